"""Rigid object layout: its elements in the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from usdsim.assets.common.checks import UnfitAssetError
from usdsim.assets.common.matching import aligned, elements_below
from usdsim.engine.colliding import colliding
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.usd.instancers import copied_from
from usdsim.usd.queries import traverse
from usdsim.usd.schemas import has_api
from usdsim.views.layout import Ids

__all__ = ["collection_colliders", "colliders", "require_no_articulation", "single_body"]

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


def collection_colliders(
    compiled: CompiledModel, objects: Sequence[str], prims: Sequence[Sequence[str]]
) -> tuple[Ids, tuple[str, ...]]:
    """Colliders of the objects of a collection one after the other, shape (matches, num_shapes).

    Args:
        compiled: the model.
        objects: names of the objects.
        prims: prim of each object in each match.

    Returns:
        Indices, and names that begin with those of their objects.

    Raises:
        StageError: two matches of an object have other colliders.
    """
    columns, names = [], []
    for name, matches in zip(objects, zip(*prims, strict=True), strict=True):
        geoms, shapes = colliders(compiled, matches)
        columns.append(geoms)
        names += [f"{name}/{shape}" for shape in shapes]
    return np.hstack(columns), tuple(names)
