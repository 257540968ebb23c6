"""Ray scenes: worlds in which rays see only some shapes."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.assets.common.matching import below_any, first_environment, matching_prims
from usdsim.core.errors import StageError
from usdsim.engine.base import Engine
from usdsim.engine.threads import ThreadedBatch
from usdsim.parser import parse_stage
from usdsim.parser.description import (
    APART,
    WORLD,
    GenericDescription,
    GeomDescription,
    MeshDescription,
    SceneDescription,
)
from usdsim.sensors.common.bodies import find_geoms

__all__ = ["RayScene", "find_targets", "target_geoms", "with_targets"]

_GROUPS = int(mujoco.mjNGROUP)
_SEEN = _GROUPS - 1
_STATE = ("qpos", "mocap_pos", "mocap_quat")
_PLACES: tuple[str, ...] = ("body_pos", "body_quat", "bvh_aabb", "jnt_axis", "jnt_pos", "qpos0")
_PLACES += ("body_ipos", "body_iquat", "body_sameframe")
_PLACES += ("geom_aabb", "geom_dataid", "geom_pos", "geom_quat", "geom_rbound")
_PLACES += ("geom_sameframe", "geom_size", "geom_type")
"""Parameters that say where shapes are, and how large."""
_SURFACE = int(mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)


def find_targets(
    scene: SceneDescription, expressions: Iterable[str], env_paths: Sequence[str]
) -> tuple[str, ...]:
    """Paths of the shapes at or below what expressions match.

    Args:
        scene: the first environment and what is outside environments.
        expressions: see `usdsim.assets.common.matching.first_environment`.
        env_paths: prim paths of the environments.

    Raises:
        StageError: an expression matches no shape.
    """
    found: dict[str, None] = {}
    for expression in expressions:
        paths = [p for own in find_geoms(scene, expression, env_paths).values() for p in own]
        if not paths:
            raise StageError(
                f"{expression!r} matches no prim with shapes, so that rays would hit nothing. "
                "Correct mesh_prim_paths."
            )
        found |= dict.fromkeys(paths)
    return tuple(found)


def with_targets(
    scene: SceneDescription, expressions: Iterable[str], env_paths: Sequence[str], stage: Any
) -> SceneDescription:
    """A scene that has what rays are to hit, even if nothing collides with it.

    Args:
        scene: the first environment and what is outside environments.
        expressions: see `find_targets`; where there are no colliders, visible shapes are added.
        env_paths: prim paths of the environments.
        stage: where the scene comes from.
    """
    missing: list[str] = []
    for expression in expressions:
        local = first_environment(expression, env_paths)
        if not any(_geoms(scene, local)):
            missing.append(local)
    if not missing or stage is None:
        return scene
    seen = parse_stage(stage, exact=True, exclude=env_paths[1:]).scene
    shapes = {geom.path: geom for local in missing for geom in _geoms(seen, local)}
    if not shapes:
        return scene
    places = {body.path: index for index, body in enumerate(scene.bodies)}
    added = []
    for geom in shapes.values():
        body = WORLD if geom.body == WORLD else places[seen.bodies[geom.body].path]
        added.append(replace(geom, body=body, collides=False, material=None, visual_material=None))
    used = {geom.mesh for geom in added}
    return replace(
        scene,
        geoms=(*scene.geoms, *added),
        meshes={**{k: _thin(v) for k, v in seen.meshes.items() if k in used}, **scene.meshes},
        height_fields={
            **{k: v for k, v in seen.height_fields.items() if k in used},
            **scene.height_fields,
        },
        elements=(*scene.elements, _keeper(shapes)),
    )


def _thin(mesh: MeshDescription) -> MeshDescription:
    """The mesh as a surface, so that it may be flat."""
    return replace(mesh, overrides={**mesh.overrides, "inertia": _SURFACE})


def _geoms(scene: SceneDescription, local: str) -> Iterator[GeomDescription]:
    """Shapes at or below the prims that an expression in the scene's own terms matches."""
    try:
        prims = frozenset(matching_prims(scene, local))
    except StageError:
        return
    for geom in scene.geoms:
        if below_any(geom.path, prims):
            yield geom


def _keeper(paths: Iterable[str]) -> GenericDescription:
    """An element without meaning to the engine, which keeps the shapes it refers to."""
    return GenericDescription(
        path="rays:" + "|".join(paths).replace("/", "."),
        kind="numeric",
        overrides={"size": 1, "data": [0.0]},
        targets={"seen": tuple(paths)},
    )


def target_geoms(engine: Engine, paths: Iterable[str]) -> NDArray[np.intp]:
    """Indices of the engine's shapes at or below prims, in ascending order.

    Args:
        engine: the engine.
        paths: of the prims.
    """
    prims, known = frozenset(paths), engine.compiled.names.paths("geom")
    found = [i for i, path in enumerate(known) if path != "/" and below_any(path, prims)]
    return np.array(found, np.intp)


class RayScene:
    """Casts rays at some shapes where they are in the engine's worlds.

    Rays are cast on the host, in worlds of their own that follow the engine's.

    Args:
        engine: the engine.
        geoms: its shapes; see `target_geoms`.
    """

    def __init__(self, engine: Engine, geoms: NDArray[np.intp]):
        self._engine, ids = engine, geoms
        compiled = engine.compiled
        self._mask = np.zeros(_GROUPS, np.uint8)
        self._mask[_SEEN] = 1
        model = copy.copy(compiled.mj)
        model.geom_group[:] = 0
        model.geom_group[ids] = _SEEN
        # Rays do not see what is drawn transparent altogether.
        model.geom_rgba[ids, 3] = 1.0
        self._batch = ThreadedBatch(model, engine.num_envs, engine.threads)
        self._seen = -1

    def cast(
        self,
        starts: NDArray[np.float64],
        directions: NDArray[np.float64],
        worlds: NDArray[np.intp] | None,
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
        """Distances along rays to what they hit first, what that is, and normals there.

        Args:
            starts: world [m], shape (worlds, rays, 3).
            directions: unit vectors, same shape.
            worlds: worlds in ascending order; None: all.

        Returns:
            Distances [m] and shapes of the engine, -1 for none, shape (worlds, rays), and outward
            normals (worlds, rays, 3).
        """
        if self._seen != self._engine.versions.parameters:
            self._seen = self._engine.versions.parameters
            for name in _PLACES:
                self._follow(name)
            self._hide(self._engine.param("geom_margin") <= APART)
        for name in _STATE:
            values = self._batch.bind(name)
            if values.size:
                values[...] = self._engine.read(name)
        return self._batch.ray(starts, directions, self._mask, True, -1, worlds, True)

    def _hide(self, absent: NDArray[np.bool_]) -> None:
        """Mark shapes that are absent, (worlds, geoms), so that rays miss them."""
        if absent.any():
            opacity = self._batch.expand("geom_rgba")[..., 3]
            opacity[...] = np.where(absent, 0.0, self._batch.model.geom_rgba[:, 3])

    def _follow(self, name: str) -> None:
        """Copy a parameter that differs from the model's in some world."""
        values = self._engine.param(name)
        own = self._batch.expanded(name)
        if own is None and not np.array_equal(values[:1], getattr(self._batch.model, name)[None]):
            own = self._batch.expand(name)
        # Where worlds have one value together, it is one row seen as many.
        if own is None and values.strides[0] and (values != values[:1]).any():
            own = self._batch.expand(name)
        if own is not None:
            self._batch.expand(name)[...] = values
