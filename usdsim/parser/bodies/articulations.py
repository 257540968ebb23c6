"""Articulations: which tree of bodies each root API marks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from usdsim.parser.context import ParseContext
from usdsim.parser.description import ArticulationDescription, BodyDescription, JointDescription
from usdsim.parser.element import at_and_above
from usdsim.parser.prims import PrimView

__all__ = ["parse_articulations"]

_API = "PhysicsArticulationRootAPI"


def parse_articulations(
    context: ParseContext,
    bodies: Sequence[BodyDescription],
    joints: Sequence[JointDescription],
) -> tuple[ArticulationDescription, ...]:
    """Articulations in stage order.

    A root API on a body or joint marks the tree that body, or the joint's bodies, belong to; on any
    other prim, the trees of the bodies below it.
    """
    trees = _Trees(bodies, joints)
    members = _RootMembers(context, joints)
    found = []
    roots: set[str] = set()
    for view in context.views:
        if _API not in view.apis:
            continue
        outer = next((path for path in at_and_above(view.path) if path in roots), None)
        if outer is not None:
            context.report.warning(
                "nested-articulation",
                view.path,
                f"is an articulation root inside the articulation root {outer}; take the API "
                "off one of them, or their bodies are listed twice",
            )
        roots.add(view.path)
        tops = {trees.tops[i] for i in members.of(view)}
        if not tops:
            context.report.warning(
                "empty-articulation", view.path,
                "is an articulation root without bodies; apply PhysicsRigidBodyAPI to prims below "
                "it, or take PhysicsArticulationRootAPI off",
            )  # fmt: skip
            continue
        inside = trees.of(tops, trees.bodies)
        found.append(
            ArticulationDescription(
                path=view.path,
                name=view.source_name,
                root=inside[0],
                bodies=inside,
                joints=trees.of(tops, trees.joints),
                fixed_base=_is_fixed(bodies[inside[0]], joints),
                self_collision=_self_collision(context, view),
            )
        )
    return tuple(found)


class _Trees:
    """Bodies and joints of each tree, by the body of it that hangs on the world."""

    def __init__(self, bodies: Sequence[BodyDescription], joints: Sequence[JointDescription]):
        self.tops: list[int] = []
        """That body of each body's tree."""
        self.bodies: dict[int, list[int]] = defaultdict(list)
        self.joints: dict[int, list[int]] = defaultdict(list)
        for index, body in enumerate(bodies):
            self.tops.append(self.tops[body.parent] if body.parent >= 0 else index)
            self.bodies[self.tops[index]].append(index)
        for index, joint in enumerate(joints):
            if joint.in_tree and joint.child >= 0:
                self.joints[self.tops[joint.child]].append(index)

    @staticmethod
    def of(tops: Iterable[int], members: Mapping[int, Sequence[int]]) -> tuple[int, ...]:
        """Those of some trees, in the order of the description."""
        return tuple(sorted(chain.from_iterable(members.get(top, ()) for top in tops)))


class _RootMembers:
    """Bodies that a root API names, each of which stands for its tree."""

    def __init__(self, context: ParseContext, joints: Sequence[JointDescription]):
        self._bodies = context.bodies
        self._joints = {joint.path: joint for joint in joints}
        self._listed = {
            view.path: [path.pathString for path in desc.articulatedBodies]
            for view, desc in context.descs("Articulation")
        }
        self._below: dict[str, list[int]] = {v.path: [] for v in context.views if _API in v.apis}
        for path, index in context.bodies.items():
            for above in at_and_above(path):
                if above in self._below:
                    self._below[above].append(index)

    def of(self, view: PrimView) -> list[int]:
        """Indices of bodies, in any order."""
        if view.path in self._bodies:
            return [self._bodies[view.path]]
        listed = self._listed.get(view.path, ())
        found = list(self._below[view.path])
        found += [self._bodies[path] for path in listed if path in self._bodies]
        joint = self._joints.get(view.path)
        if joint is not None:
            found += [body for body in (joint.parent, joint.child) if body >= 0]
        return found


def _is_fixed(root: BodyDescription, joints: Sequence[JointDescription]) -> bool:
    if root.kinematic or root.fixed:
        return True
    return bool(root.joints) and all(not joints[j].dofs for j in root.joints)


def _self_collision(context: ParseContext, view: PrimView) -> bool:
    value = context.quantities.read(view, "articulation", "self_collision")
    # The C++ parser and the joints' stacking read the other two.
    view.read.add("newton:jointsAddMobility")
    return True if value is None else bool(value)
