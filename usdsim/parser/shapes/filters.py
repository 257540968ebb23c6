"""Collision filters: pairs of bodies and geoms that never collide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pxr import Usd, UsdPhysics

from usdsim.parser.context import ParseContext
from usdsim.parser.description import CollisionGroupDescription
from usdsim.parser.element import at_and_above
from usdsim.parser.joints.authored import JointRecord
from usdsim.parser.prims import PrimView
from usdsim.usd.converted import edited

from .colliders import Collider

__all__ = ["Filters", "parse_filters", "parse_groups", "with_ungrouped"]

_FILTERED = "physics:filteredGroups"
_MERGE, _INVERT = "physics:mergeGroup", "physics:invertFilteredGroups"


@dataclass(slots=True, eq=False)
class Filters:
    """Pairs that never collide, smaller index first."""

    bodies: set[tuple[int, int]] = field(default_factory=set)
    geoms: set[tuple[int, int]] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class _Members:
    """Members that a filtered target stands for."""

    bodies: tuple[int, ...] = ()
    geoms: tuple[int, ...] = ()


def parse_groups(
    context: ParseContext,
    colliders: Mapping[str, Collider],
    geoms: Mapping[str, list[int]],
    owned: frozenset[str] = frozenset(),
) -> tuple[CollisionGroupDescription, ...]:
    """Collision groups, with merging and inversion resolved by OpenUSD's own table."""
    views = [
        view
        for view in context.views
        if view.type_name == "PhysicsCollisionGroup" and view.path not in owned
    ]
    if not views:
        return ()
    members = _group_members(views, colliders, geoms)
    for view in views:
        view.read.update((_FILTERED, _MERGE, _INVERT))
        for target in view.targets(_FILTERED):
            if target.pathString not in members and not context.left_out(target):
                _dangling(context, view.path, _FILTERED, target)
    if context.exclude:
        # Thousands of groups may filter what is left out; one that merges still counts.
        views = [view for view in views if members[view.path] or _MERGE in view.names]
    paths = [view.prim.GetPath() for view in views]
    inverted = _inverts_all(context)
    table = _group_table(views, plain=inverted)
    groups = []
    for view, path in zip(views, paths, strict=True):
        groups.append(
            CollisionGroupDescription(
                path=view.path,
                name=view.source_name,
                geoms=tuple(sorted(set(members[view.path]))),
                filtered=frozenset(
                    i
                    for i, other in enumerate(paths)
                    if table.IsCollisionEnabled(path, other) == inverted
                ),
            )
        )
    return tuple(groups)


def with_ungrouped(
    context: ParseContext,
    groups: tuple[CollisionGroupDescription, ...],
    num_geoms: int,
    num_deformables: int,
) -> tuple[CollisionGroupDescription, ...]:
    """Groups, and one more of all that is in none, where an inverted group never touches that.

    To OpenUSD an inverted group collides with the groups it names alone. A scene that inverts all
    groups, as PhysX has it, leaves what is in none out.
    """
    views = [context.by_path[group.path] for group in groups]
    inverted = [view for view in views if view.flag(_INVERT)]
    if not inverted or _inverts_all(context):
        return groups
    merged = {view.value(_MERGE) for view in inverted} - {None, ""}
    apart = [i for i, v in enumerate(views) if v in inverted or v.value(_MERGE) in merged]
    geoms = set(range(num_geoms)).difference(*(group.geoms for group in groups))
    soft = set(range(num_deformables)).difference(*(group.deformables for group in groups))
    if not (geoms or soft):
        return groups
    rest = CollisionGroupDescription(
        path="",
        geoms=tuple(sorted(geoms)),
        deformables=tuple(sorted(soft)),
        filtered=frozenset(apart),
    )
    return (*groups, rest)


def _inverts_all(context: ParseContext) -> bool:
    """Whether the physics scene says that groups collide with what they name, as PhysX has it."""
    scenes = [view for view, _ in context.descs("Scene")]
    return bool(scenes and context.quantities.read(scenes[0], "scene", "inverts_groups"))


def _group_table(views: Sequence[PrimView], *, plain: bool) -> UsdPhysics.CollisionGroupTable:
    """OpenUSD's table of these groups.

    OpenUSD looks at the groups of a whole stage but those in instances, and takes one that does
    not exist for the first, so this is the table of a stage with copies of the groups. In a `plain`
    one no group is inverted.
    """
    stage = Usd.Stage.CreateInMemory()
    known = {view.path for view in views}
    for view in views:
        group = UsdPhysics.CollisionGroup.Define(stage, view.path)
        filtered = [path for path in view.targets(_FILTERED) if path.pathString in known]
        group.CreateFilteredGroupsRel().SetTargets(filtered)
        if merge := view.value(_MERGE):
            group.CreateMergeGroupNameAttr(merge)
        group.CreateInvertFilteredGroupsAttr(not plain and view.flag(_INVERT))
    return UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(stage)


def _group_members(
    views: Sequence[PrimView], colliders: Mapping[str, Collider], geoms: Mapping[str, list[int]]
) -> dict[str, list[int]]:
    """Geoms of each group; OpenUSD's traversal hands those of merged groups to one of them."""
    members: dict[str, list[int]] = {view.path: [] for view in views}
    merged = {view.path: view for view in views if view.value(_MERGE)}
    for path, collider in colliders.items():
        for group in collider.groups:
            if group.pathString not in merged:
                members.setdefault(group.pathString, []).extend(geoms.get(path, ()))
    grouped = [path for path, collider in colliders.items() if collider.owner != path]
    for view in views if grouped else merged.values():
        collection = UsdPhysics.CollisionGroup(view.prim).GetCollidersCollectionAPI()
        query = collection.ComputeMembershipQuery()
        for path in colliders if view.path in merged else grouped:
            if query.IsPathIncluded(path) or query.IsPathIncluded(colliders[path].owner):
                members[view.path].extend(geoms.get(path, ()))
    return members


def parse_filters(
    context: ParseContext,
    geoms: Mapping[str, list[int]],
    articulations: Mapping[str, Sequence[int]],
    geom_bodies: Sequence[int],
    elsewhere: Callable[[str], bool] = lambda path: False,
) -> Filters:
    """Pairs of UsdPhysics' FilteredPairsAPI on bodies, colliders and articulations.

    Prims that `elsewhere` accepts are filtered by another pass.
    """
    filters = Filters()
    for view in context.views:
        if "physics:filteredPairs" not in view.names:
            continue
        first = _members(context, view.path, geoms, articulations)
        for target in view.targets("physics:filteredPairs"):
            if context.left_out(target):
                continue
            if not context.stage.GetPrimAtPath(target):
                _dangling(context, view.path, "physics:filteredPairs", target)
                continue
            second = _members(context, target.pathString, geoms, articulations)
            if elsewhere(view.path) or elsewhere(target.pathString):
                _cross(filters, first, second, geom_bodies)
                continue
            if not (first.bodies or first.geoms) or not (second.bodies or second.geoms):
                empty = target if first.bodies or first.geoms else view.path
                context.report.warning(
                    "unsupported", view.path,
                    f"filters collisions with {target}, but {empty} has no body and no collider; "
                    "name a rigid body, a collider or an articulation",
                    attribute="physics:filteredPairs",
                )  # fmt: skip
                continue
            _cross(filters, first, second, geom_bodies)
    return filters


def add_joint_filters(
    context: ParseContext,
    filters: Filters,
    joints: Iterable[JointRecord],
    geoms: Mapping[str, Sequence[int]],
    geom_bodies: Sequence[int],
) -> None:
    """Joints keep what they join from colliding, where neither tree nor constraint does.

    Those are bodies of joints without any constraint, and of edited ones; and colliders that
    nothing moves, at or above the prim a joint names: other parts of the world meet its body, as
    in PhysX.

    Args:
        context: of the stage, whose bodies have their final numbers.
        filters: completed here.
        joints: all joints.
        geoms: by prim path.
        geom_bodies: the body of each geom.
    """
    for joint in joints:
        if joint.collision_enabled:
            continue
        ends = [context.body_above(context.views[p].path) if p >= 0 else -1 for p in joint.prims]
        if min(ends) >= 0:
            # MuJoCo's rule for neighbours holds on converted stages until the joint is edited.
            if joint.kind == "free" or edited(joint.view.prim, "physics:collisionEnabled"):
                filters.bodies.add(_pair(*ends))
        elif max(ends) >= 0 and not joint.view.in_mujoco:
            still = _collider_above(context, joint.prims[ends.index(-1)], geoms)
            body = _Members(bodies=(max(ends),))
            _cross(filters, _Members(geoms=still), body, geom_bodies)


def _collider_above(
    context: ParseContext, prim: int, geoms: Mapping[str, Sequence[int]]
) -> tuple[int, ...]:
    """Geoms of the nearest prim with any, at or above another; -1: none."""
    path = context.views[prim].path if prim >= 0 else ""
    return next((tuple(geoms[above]) for above in at_and_above(path) if above in geoms), ())


def _members(
    context: ParseContext,
    path: str,
    geoms: Mapping[str, list[int]],
    articulations: Mapping[str, Sequence[int]],
) -> _Members:
    """A body, an articulation, a collider, or everything below any other prim."""
    if path in context.bodies:
        return _Members(bodies=(context.bodies[path],))
    if path in articulations:
        return _Members(bodies=tuple(articulations[path]))
    if path in geoms:
        return _Members(geoms=tuple(geoms[path]))
    below = path.rstrip("/") + "/"
    bodies = tuple(i for p, i in context.bodies.items() if p.startswith(below))
    loose = [i for p, found in geoms.items() if p.startswith(below) for i in found]
    return _Members(bodies, () if bodies else tuple(loose))


def _cross(filters: Filters, a: _Members, b: _Members, geom_bodies: Sequence[int]) -> None:
    for first in a.bodies:
        filters.bodies.update(_pair(first, second) for second in b.bodies if first != second)
    for geoms, bodies in ((a.geoms, b.bodies), (b.geoms, a.bodies)):
        if geoms and bodies:
            others = [i for i, body in enumerate(geom_bodies) if body in bodies]
            filters.geoms.update(_pair(g, o) for g in geoms for o in others if g != o)
    filters.geoms.update(_pair(g, o) for g in a.geoms for o in b.geoms if g != o)


def _pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _dangling(context: ParseContext, path: str, attribute: str, target: Any) -> None:
    context.report.repaired(
        "dangling-filter", path, f"filters {target}, which does not exist: left out",
        attribute=attribute, value=str(target),
    )  # fmt: skip
