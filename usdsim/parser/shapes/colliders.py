"""Colliders: which prims collide, by their own collision schema or by that of a prim above."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Any

from pxr import Sdf, Usd, UsdGeom

from usdsim.parser.context import SHAPE_DESCRIPTORS, ParseContext
from usdsim.parser.prims import PrimView

__all__ = ["Collider", "collect_colliders"]

_COLLIDER = "PhysicsCollisionAPI"
_MERGED = "PhysxMeshMergeCollisionAPI"
_MERGED_MESHES = "collisionmeshes"
_TRIGGER = "PhysxTriggerAPI"
_SURFACES = ("none", "meshSimplification")
"""Approximations of meshes that stay surfaces; such meshes cannot be triggers in PhysX."""


@dataclass(frozen=True, slots=True, eq=False)
class Collider:
    """A prim that collides."""

    path: str
    owner: str
    """The prim with the collision schema: the same, or a group above it."""
    enabled: bool = True
    materials: tuple[Sdf.Path, ...] = ()
    """Materials bound to the prim itself."""
    groups: tuple[Sdf.Path, ...] = ()
    """Collision groups that name the prim itself."""
    merged: tuple[PrimView, ...] = field(default=())
    """Meshes that collide as one."""


def collect_colliders(
    context: ParseContext, claimed: Set[str] = frozenset()
) -> dict[str, Collider]:
    """Colliders in stage order, by path.

    The collision schema on a prim that is no shape, such as an Xform or a Scope, holds for every
    shape below it, instance proxies included, as in PhysX. With `PhysxMeshMergeCollisionAPI` the
    meshes of its collection collide as one, or all below where it names none.

    Args:
        context: of the stage.
        claimed: paths of prims that collide as parts of deformable bodies.
    """
    found = {
        view.path: _own(view, desc)
        for view, desc in context.descs(*SHAPE_DESCRIPTORS)
        if view.path not in claimed
    }
    for view in context.views:
        if _COLLIDER not in view.apis or view.path in found or view.path in claimed:
            continue
        if view.prim.IsA(UsdGeom.Gprim) or view.prim.IsA(UsdGeom.PointInstancer):
            continue
        for collider in _grouped(context, view):
            if collider.path not in claimed:
                found.setdefault(collider.path, collider)
    order = {view.path: view.index for view in context.views}
    return dict(sorted(found.items(), key=lambda item: order[item[0]]))


def _own(view: PrimView, desc: Any) -> Collider:
    return Collider(
        view.path, view.path, bool(desc.collisionEnabled) and not _is_trigger(view),
        tuple(desc.materials), tuple(desc.collisionGroups),
    )  # fmt: skip


def _grouped(context: ParseContext, view: PrimView) -> Iterator[Collider]:
    """Colliders of a group: its shapes, or its meshes as one."""
    enabled = view.flag("physics:collisionEnabled", True)
    if _MERGED in view.apis:
        meshes = tuple(_merged_meshes(context, view))
        if meshes:
            yield Collider(view.path, view.path, enabled, merged=meshes)
        return
    for shape in _shapes_below(context, view):
        yield Collider(shape.path, view.path, enabled and not _is_trigger(shape))


def _is_trigger(view: PrimView) -> bool:
    """Whether a collider lets others through and has no mass, as triggers of PhysX do."""
    if _TRIGGER not in view.apis:
        return False
    return view.type_name != "Mesh" or view.raw("physics:approximation") not in (None, *_SURFACES)


def _shapes_below(context: ParseContext, view: PrimView) -> Iterator[PrimView]:
    for prim in Usd.PrimRange(view.prim, Usd.TraverseInstanceProxies()):
        shape = context.by_path.get(prim.GetPath().pathString)
        if shape is not None and prim.IsA(UsdGeom.Gprim) and shape.type_name != "TetMesh":
            yield shape


def _merged_meshes(context: ParseContext, view: PrimView) -> Iterator[PrimView]:
    name = f"collection:{_MERGED_MESHES}:"
    view.read.update(n for n in view.names if n.startswith(name))
    collection = Usd.CollectionAPI(view.prim, _MERGED_MESHES)
    stated = view.targets(name + "includes") or view.flag(name + "includeRoot")
    query = collection.ComputeMembershipQuery() if stated else None
    for mesh in context.views if stated else _shapes_below(context, view):
        if mesh.type_name == "Mesh" and (query is None or query.IsPathIncluded(mesh.path)):
            yield mesh
