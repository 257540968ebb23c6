"""Rigid object layout: its elements in the engine."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from usdsim.assets.common.checks import UnfitAssetError
from usdsim.assets.common.matching import aligned, elements_below, relative_names
from usdsim.assets.participation import Simulation
from usdsim.engine.colliding import colliding
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.usd.instancers import copied_from
from usdsim.usd.queries import traverse
from usdsim.usd.schemas import has_api
from usdsim.views.layout import AssetLayout, Ids, root_rows

__all__ = ["colliders", "require_no_articulation", "rigid_layout", "single_body"]

_ENABLED = "physxArticulation:articulationEnabled"


def single_body(compiled: CompiledModel, prim: str, title: str) -> int:
    """The engine's index of the one body at or below a prim.

    Raises:
        UnfitAssetError: there is none, or there are several.
    """
    found = elements_below(compiled, "body", prim)
    if len(found.indices) != 1:
        listed = ", ".join(found.paths[:5]) or "none"
        raise UnfitAssetError(
            f"The {title} needs exactly one rigid body at or below {prim}; there are "
            f"{len(found.indices)}: {listed}. Apply PhysicsRigidBodyAPI to one prim, or use an "
            "Articulation for bodies connected by joints."
        )
    return found.indices[0]


def require_no_articulation(stage: Any, prim: str, title: str) -> None:
    """Raise if an enabled articulation root is at or below a prim of the stage.

    Raises:
        UnfitAssetError: there is one.
    """
    for found in traverse(stage, copied_from(stage, prim)):
        if not has_api(found, "PhysicsArticulationRootAPI"):
            continue
        attribute = found.GetAttribute(_ENABLED)
        enabled = attribute.Get() if attribute else None
        if enabled is None or enabled:
            raise UnfitAssetError(
                f"The {title} has an articulation root at {found.GetPath()}. Use an Articulation, "
                f"take PhysicsArticulationRootAPI off it, or set {_ENABLED} to false."
            )


def colliders(compiled: CompiledModel, prims: tuple[str, ...]) -> tuple[Ids, tuple[str, ...]]:
    """Colliders of each match, shape (matches, num_shapes), and their names.

    Raises:
        StageError: two matches have other colliders.
    """
    collides = colliding(compiled.mj)
    rows, names = [], []
    for prim in prims:
        found = elements_below(compiled, "geom", prim)
        keep = [k for k, g in enumerate(found.indices) if collides[g]]
        rows.append([found.indices[k] for k in keep])
        names.append(tuple(found.names[k] for k in keep))
    shared = aligned("colliders", prims, names)
    return np.array(rows, np.int32).reshape(len(prims), len(shared)), shared


def rigid_layout(
    simulation: Simulation, title: str, rows: Sequence[Sequence[str]], names: Sequence[str] = ()
) -> AssetLayout:
    """Layout of an asset of rigid bodies, each a root.

    Args:
        simulation: the running simulation.
        title: the asset in messages.
        rows: prims of each match, with one body at or below each.
        names: names of the bodies, with which those of their shapes begin; none: those of prims.

    Raises:
        StageError: a prim is unfit, or two matches of a body have other colliders.
    """
    compiled = simulation.engine.compiled
    for prim in chain.from_iterable(rows):
        require_no_articulation(simulation.stage, prim, title)
    bodies = [[single_body(compiled, prim, title) for prim in row] for row in rows]
    shapes = [colliders(compiled, prims) for prims in zip(*rows, strict=True)]
    paths = compiled.names.paths("body")
    called = tuple(names) or relative_names([paths[body] for body in bodies[0]])
    prefixes = [f"{name}/" if names else "" for name in called]
    found = zip(prefixes, shapes, strict=True)
    return AssetLayout(
        title=title,
        num_worlds=simulation.num_envs,
        bodies=np.array(bodies, np.int32),
        body_names=called,
        root_names=called,
        geoms=np.hstack([geoms for geoms, _ in shapes]),
        geom_names=tuple(prefix + shape for prefix, (_, own) in found for shape in own),
        **root_rows(compiled, bodies),
    )
