"""Visible worlds: what the worlds of an engine show, environments authored apart included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom

from usdsim.engine.base import Engine
from usdsim.math.rotations import quat_from_matrix, quat_to_matrix
from usdsim.math.transforms import IDENTITY_POSE, compose_poses, invert_poses
from usdsim.render.drawable import DrawableScene
from usdsim.render.engine_reader import vertex_slices
from usdsim.render.parts import Parts
from usdsim.render.semantics import semantic_labels
from usdsim.render.soft_parts import Capsules
from usdsim.usd.signatures import group_by_content

__all__ = ["FirstNames", "VisibleWorlds", "engine_bodies", "visible_worlds"]

Array = NDArray[np.float64]

_DIGITS = 6
"""Places [m] to which parts of environments must agree to be one part."""

_known: WeakKeyDictionary[Engine, VisibleWorlds] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class VisibleWorlds:
    """All that is seen in some worlds. S parts in W worlds.

    Environments with the same content have the same parts. Where others have theirs elsewhere, or
    of other geometry, these are parts of their own, hidden in the rest.
    """

    scene: DrawableScene
    """Scene of the first environment and all that is outside of environments."""
    parts: Parts
    """Parts of all worlds, under the names that they have, or would have, in the first one."""
    prims: tuple[str, ...]
    """Prim paths of the parts, each in an environment that shows it."""
    frame: NDArray[np.int32]
    """Bodies of the engine they are fixed to; their number: the environment itself, shape (S,)."""
    rgba: Array
    """Colours, fully transparent where a part is not shown, shape (W or 1, S, 4)."""
    material: NDArray[np.int32]
    """Materials of the parts' textures, -1: none, shape (W or 1, S)."""
    num_bodies: int
    """Bodies of the engine."""
    places: NDArray[np.float32]
    """Poses of environments to the first one [m, xyzw], shape (W, 7)."""
    surfaces: dict[int, int]
    """First vertex in the engine of each soft mesh of the parts, by its index."""
    capsules: Capsules
    """Cables and tendons, by vertices and tendons of the engine."""


class FirstNames:
    """Prims of environments by the paths that they have, or would have, in the first one.

    Args:
        env_paths: prim paths of the environments.
    """

    def __init__(self, env_paths: Sequence[str]):
        self._first = env_paths[0] if env_paths else ""
        self._index = {path: k for k, path in enumerate(env_paths)}

    def __call__(self, path: str) -> tuple[int, str]:
        """The environment of a prim, -1: none, and the path in the first one."""
        end = len(path) if self._index else -1
        while end > 0:
            k = self._index.get(path[:end])
            if k is not None:
                return k, self._first + path[end:]
            end = path.rfind("/", 0, end)
        return -1, path


def visible_worlds(
    stage: Usd.Stage, engine: Engine, env_paths: Sequence[str] = ()
) -> VisibleWorlds:
    """Parts that the worlds of an engine show, found once for each engine.

    Args:
        stage: the stage.
        engine: the worlds.
        env_paths: prim paths of the environments; empty if the stage has none.
    """
    if engine not in _known:
        _known[engine] = _find(stage, engine, env_paths)
    return _known[engine]


def engine_bodies(
    scene: DrawableScene, engine: Engine, env_paths: Sequence[str] = ()
) -> NDArray[np.int32]:
    """Bodies of an engine that are those of the drawable scene, by their index there.

    Args:
        scene: what is drawn, perhaps of several environments.
        engine: the worlds.
        env_paths: prim paths of the environments; bodies of any are those of the first one.
    """
    found, first = np.zeros(scene.model.nbody, np.int32), FirstNames(env_paths)
    for path, index in scene.bodies.items():
        own = engine.compiled.names.find("body", first(path)[1])
        found[index] = 0 if own is None else own
    return found


def _find(stage: Usd.Stage, engine: Engine, env_paths: Sequence[str]) -> VisibleWorlds:
    scene = every = DrawableScene(stage, env_paths[1:], floor=False)
    places, scales = _placed(stage, env_paths, scene, engine.num_envs)
    groups = [[0]]
    if env_paths:
        groups = [group.members for group in group_by_content(stage, env_paths, scales)]
    if len(groups) > 1:
        shown = {group[0] for group in groups}
        hidden = [path for k, path in enumerate(env_paths) if k not in shown]
        every = DrawableScene(stage, hidden, floor=False)
    first = FirstNames(env_paths)
    named = [first(path) for path in every.parts.paths]
    owner = np.array([k for k, _ in named], np.intp)
    # What is soft has points of its own in each world, and needs no frame.
    still = (every.parts.frame == 0) & ~every.soft.among(every.parts)
    parts = _from_first(every.parts, np.where(still, owner, 0), [n for _, n in named], places)
    frame = engine_bodies(every, engine, env_paths)[parts.frame]
    frame[still & (owner >= 0)] = engine.compiled.mj.nbody
    if len(groups) == 1:
        same, count = np.arange(len(owner)), 1
    else:
        same, count = _same(stage, parts, frame, every.parts.paths), engine.num_envs
    kept, index = np.unique(same, return_inverse=True)
    rgba = np.zeros((count, len(kept), 4))
    material = np.full((count, len(kept)), -1, np.int32)
    for group in groups:
        own = np.flatnonzero((owner == group[0]) | (owner < 0))
        cells = np.ix_(np.array(group if count > 1 else [0]), index[own])
        rgba[cells], material[cells] = parts.rgba[own], parts.material[own]
    vertices = _vertices(every, engine, first)
    meshes, renumbered = np.unique(parts.mesh[kept], return_inverse=True)
    none = int(meshes[0] < 0) if len(meshes) else 0
    return VisibleWorlds(
        scene=scene,
        parts=_chosen(parts, kept, meshes[none:], renumbered - none),
        prims=tuple(every.parts.paths[k] for k in kept),
        frame=frame[kept].astype(np.int32),
        rgba=rgba,
        material=material,
        num_bodies=engine.compiled.mj.nbody,
        places=places.astype(np.float32),
        surfaces={
            k: int(vertices[every.model.flex_vertadr[every.soft.surfaces[mesh]]])
            for k, mesh in enumerate(meshes[none:].tolist())
            if mesh in every.soft.surfaces
        },
        capsules=_capsules(every, engine, first, kept, vertices),
    )


def _placed(
    stage: Usd.Stage, paths: Sequence[str], scene: DrawableScene, count: int
) -> tuple[Array, Array]:
    """Poses of environments to the first one [m, xyzw], and their scales, a row per world."""
    places, scales = np.tile(IDENTITY_POSE, (count, 1)), np.ones((count, 3))
    description, cache = scene.description, UsdGeom.XformCache()
    turn = quat_to_matrix(description.world_from_stage.quat)
    first: Any = None
    for world, path in enumerate(paths):
        own = np.array(cache.GetLocalToWorldTransform(stage.GetPrimAtPath(path))).T
        scales[world] = np.linalg.norm(own[:3, :3], axis=0)
        own[:3, :3] /= scales[world]
        first = own if first is None else first
        change = own @ np.linalg.inv(first)
        places[world, :3] = turn @ change[:3, 3] * description.meters_per_unit
        places[world, 3:] = quat_from_matrix(turn @ change[:3, :3] @ turn.T)
    return places, scales


def _from_first(
    parts: Parts, owner: NDArray[np.intp], names: Sequence[str], places: Array
) -> Parts:
    """Parts under their names in the first environment, and where they would be there."""
    local, others = parts.local.copy(), owner > 0
    local[others] = compose_poses(invert_poses(places[owner[others]]), local[others])
    return replace(parts, paths=tuple(names), local=local)


def _same(
    stage: Usd.Stage, parts: Parts, frame: NDArray[np.integer], prims: Sequence[str]
) -> NDArray[np.intp]:
    """The first part that each is the same as, apart from how it looks."""
    shapes = [(mesh.points.tobytes(), mesh.faces.tobytes()) for mesh in parts.meshes]
    known = _firsts(shapes)
    place, size = np.round(parts.local, _DIGITS) + 0.0, np.round(parts.size, _DIGITS)
    keys, met = [], dict[str, int]()
    for k, (name, prim) in enumerate(zip(parts.paths, prims, strict=True)):
        # Several parts of one prim are told apart by their order.
        met[prim] = met.get(prim, -1) + 1
        mesh = int(parts.mesh[k])
        labels = tuple(semantic_labels(stage, prim)[1].items())
        keys.append((name, met[prim], int(parts.kind[k]), int(frame[k]), place[k].tobytes(),
                     size[k].tobytes(), known[mesh] if mesh >= 0 else -1, labels))  # fmt: skip
    return np.array(_firsts(keys), np.intp)


def _firsts(keys: Sequence[Any]) -> list[int]:
    """Index of the first key that equals each."""
    first: dict[Any, int] = {}
    return [first.setdefault(key, k) for k, key in enumerate(keys)]


def _chosen(
    parts: Parts, kept: NDArray[np.intp], meshes: NDArray[np.integer], mesh: NDArray[np.intp]
) -> Parts:
    """Selected parts, and the meshes that they use."""
    return replace(
        parts.selected(kept),
        mesh=mesh.astype(np.int32),
        meshes=tuple(parts.meshes[k] for k in meshes),
    )


def _vertices(every: DrawableScene, engine: Engine, first: FirstNames) -> NDArray[np.intp]:
    """Vertices of the engine that are those of the drawable scene, by their index there."""
    found = np.zeros(every.model.nflexvert, np.intp)
    known = vertex_slices(engine.compiled)
    for path, own in every.vertices.items():
        simulated = known.get(first(path)[1])
        if simulated is not None:
            found[own] = simulated.start + np.arange(own.stop - own.start)
    return found


def _capsules(
    every: DrawableScene,
    engine: Engine,
    first: FirstNames,
    kept: NDArray[np.intp],
    vertices: NDArray[np.intp],
) -> Capsules:
    """Cables and tendons that are kept, in terms of the engine's vertices and tendons."""
    found = every.soft.pieces
    found = found.of(np.isin(found.parts, kept))
    names = engine.compiled.names
    tendons = [
        names.find("tendon", first(path)[1]) or 0
        for path in (every.parts.paths[k] for k in found.parts[len(found.pairs) :])
    ]
    return replace(
        found,
        parts=np.searchsorted(kept, found.parts),
        pairs=vertices[found.pairs],
        tendons=np.array(tendons, np.intp),
    )
