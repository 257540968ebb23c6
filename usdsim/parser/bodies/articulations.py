"""Articulations: which tree of bodies each root API marks."""

from __future__ import annotations

from collections.abc import Sequence

from usdsim.parser.context import ParseContext
from usdsim.parser.description import ArticulationDescription, BodyDescription, JointDescription
from usdsim.parser.prims import PrimView

__all__ = ["parse_articulations"]


def parse_articulations(
    context: ParseContext,
    bodies: Sequence[BodyDescription],
    joints: Sequence[JointDescription],
) -> tuple[ArticulationDescription, ...]:
    """Articulations in stage order.

    A root API on a body or joint marks the tree that body, or the joint's bodies, belong to; on any
    other prim, the trees of the bodies below it.
    """
    top = _tops(bodies)
    marked = {view.path: desc for view, desc in context.descs("Articulation")}
    found = []
    roots: list[str] = []
    for view in context.views:
        if "PhysicsArticulationRootAPI" not in view.apis:
            continue
        outer = [root for root in roots if view.path.startswith(root.rstrip("/") + "/")]
        if outer:
            context.report.warning(
                "nested-articulation",
                view.path,
                f"is an articulation root inside the articulation root {outer[-1]}; take the API "
                "off one of them, or their bodies are listed twice",
            )
        roots.append(view.path)
        desc = marked.get(view.path)
        listed = [] if desc is None else [p.pathString for p in desc.articulatedBodies]
        members = _members(context, view, joints, listed)
        if not members:
            context.report.warning(
                "empty-articulation", view.path,
                "is an articulation root without bodies; apply PhysicsRigidBodyAPI to prims below "
                "it, or take PhysicsArticulationRootAPI off",
            )  # fmt: skip
            continue
        tops = {top[i] for i in members}
        inside = tuple(i for i in range(len(bodies)) if top[i] in tops)
        root = inside[0]
        found.append(
            ArticulationDescription(
                path=view.path,
                name=view.source_name,
                root=root,
                bodies=inside,
                joints=tuple(
                    j
                    for j, joint in enumerate(joints)
                    if joint.in_tree and joint.child >= 0 and top[joint.child] in tops
                ),
                fixed_base=_is_fixed(bodies[root], joints),
                self_collision=_self_collision(context, view),
            )
        )
    return tuple(found)


def _tops(bodies: Sequence[BodyDescription]) -> list[int]:
    """The body of each body's tree that hangs on the world."""
    top = list(range(len(bodies)))
    for i, body in enumerate(bodies):
        if body.parent >= 0:
            top[i] = top[body.parent]
    return top


def _members(
    context: ParseContext,
    view: PrimView,
    joints: Sequence[JointDescription],
    listed: Sequence[str],
) -> list[int]:
    if view.path in context.bodies:
        return [context.bodies[view.path]]
    below = view.path.rstrip("/") + "/"
    members = [i for path, i in context.bodies.items() if path.startswith(below)]
    members += [context.bodies[path] for path in listed if path in context.bodies]
    for joint in joints:
        if joint.path == view.path:
            members += [body for body in (joint.parent, joint.child) if body >= 0]
    return members


def _is_fixed(root: BodyDescription, joints: Sequence[JointDescription]) -> bool:
    if root.kinematic or root.fixed:
        return True
    return bool(root.joints) and all(not joints[j].dofs for j in root.joints)


def _self_collision(context: ParseContext, view: PrimView) -> bool:
    value = context.quantities.read(view, "articulation", "self_collision")
    # The C++ parser and the joints' stacking read the other two.
    view.read.add("newton:jointsAddMobility")
    return True if value is None else bool(value)
