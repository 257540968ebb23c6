"""Kinematic topology: the graph of bodies and joints as a forest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from usdsim.parser.context import ParseContext
from usdsim.parser.element import at_and_above
from usdsim.parser.joints.authored import JointRecord, leave_out

from .rigid_bodies import BodyRecord

__all__ = ["Forest", "build_forest"]

WORLD = -1


@dataclass(slots=True, eq=False)
class Forest:
    """Joints that carry bodies; numbers are those of the records."""

    order: list[int] = field(default_factory=list)
    """Bodies, parents before children, children in stage order."""
    parent: dict[int, int] = field(default_factory=dict)
    joints: dict[int, list[int]] = field(default_factory=dict)
    """Joints to the parent, per body."""
    in_tree: set[int] = field(default_factory=set)

    def numbers(self) -> list[int]:
        """Place of each body record in `order`."""
        number = [0] * len(self.order)
        for place, i in enumerate(self.order):
            number[i] = place
        return number

    def reversed(self, joint: int, record: JointRecord) -> bool:
        """Whether body 0 of a joint is the child."""
        if joint not in self.in_tree:
            return False
        return self.parent.get(record.body0, WORLD) == record.body1 and joint in self.joints.get(
            record.body0, ()
        )


class _Sets:
    """Union-find over bodies and the world."""

    def __init__(self) -> None:
        self._above: dict[int, int] = {}

    def find(self, item: int) -> int:
        path = []
        while self._above.get(item, item) != item:
            path.append(item)
            item = self._above[item]
        for visited in path:
            self._above[visited] = item
        return item

    def join(self, a: int, b: int) -> bool:
        """Join two sets; False if they were one already."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        self._above[a] = b
        return True


def build_forest(
    context: ParseContext, bodies: Sequence[BodyRecord], joints: Sequence[JointRecord]
) -> Forest:
    """Choose tree joints in stage order; what would close a loop stays outside.

    Joints that can break stay outside too: what one has held must be free to fall.

    Parallel joints add up if they say so (`_stacks`). A tree hangs on the world if a joint attaches
    it, else it is rooted at its articulation root, or at the body no joint points to.
    """
    forest, sets = Forest(), _Sets()
    links: dict[int, dict[int, list[int]]] = defaultdict(dict)
    for i, record in enumerate(bodies):
        if record.kinematic:
            sets.join(i, WORLD)
            links[WORLD][i] = []
        elif record.fixed:
            above = context.body_above(record.view.path.rpartition("/")[0])
            if sets.join(i, above):
                links[above][i] = links[i][above] = []
    # Whether a body is free, as a disabled joint says, is known after all that may hold it.
    for j, joint in sorted(enumerate(joints), key=lambda item: not item[1].enabled):
        a, b = joint.body0, joint.body1
        if joint.excluded or joint.kind == "distance" or (joint.kind == "free" and min(a, b) >= 0):
            continue
        if joint.break_limits:
            context.report.info(
                "breakable-joint", joint.view.path,
                "can break, so it is a constraint between two bodies in no tree of each other's; "
                "its bodies' coordinates are their own",
            )  # fmt: skip
            continue
        if sets.join(a, b):
            links[a][b] = links[b][a] = [j]
            forest.in_tree.add(j)
        elif joint.enabled and links[a].get(b):
            if _stacks(context, joint):
                links[a][b].append(j)
                forest.in_tree.add(j)
            else:
                _note_parallel(context, joint, joints[links[a][b][0]])
        elif not joint.enabled:
            leave_out(context, joint.view)
    _orient(forest, links, _roots(bodies, joints, sets, forest.in_tree))
    return forest


def _stacks(context: ParseContext, joint: JointRecord) -> bool:
    """Whether a joint parallel to another adds mobility instead of closing a loop."""
    if joint.view.has_api("MjcJointAPI"):
        return True
    above = (context.by_path.get(path) for path in at_and_above(joint.view.path))
    return any(view is not None and view.flag("newton:jointsAddMobility") for view in above)


def _note_parallel(context: ParseContext, joint: JointRecord, other: JointRecord) -> None:
    context.report.info(
        "parallel-joint", joint.view.path,
        f"joins the bodies that <{other.view.path}> joins: they move only as both joints allow; "
        "where each should add its motion, set newton:jointsAddMobility on a prim above them",
    )  # fmt: skip


def _roots(
    bodies: Sequence[BodyRecord],
    joints: Sequence[JointRecord],
    sets: _Sets,
    in_tree: set[int],
) -> list[int]:
    """The root of each tree that does not hang on the world."""
    members: dict[int, list[int]] = defaultdict(list)
    world = sets.find(WORLD)
    for i in range(len(bodies)):
        owner = sets.find(i)
        if owner != world:
            members[owner].append(i)
    pointed = {joints[j].body1 for j in in_tree}
    pointed.update(i for i, record in enumerate(bodies) if record.fixed)
    roots = []
    for tree in members.values():
        marked = [i for i in tree if bodies[i].view.has_api("PhysicsArticulationRootAPI")]
        free = [i for i in tree if i not in pointed]
        roots.append((marked or free or tree)[0])
    return roots


def _orient(forest: Forest, links: dict[int, dict[int, list[int]]], roots: list[int]) -> None:
    """Depth first from the world, children in stage order."""
    for root in roots:
        links[WORLD].setdefault(root, [])
    stack = [(WORLD, WORLD)]
    while stack:
        node, parent = stack.pop()
        if node != WORLD:
            forest.order.append(node)
            forest.parent[node] = parent
            forest.joints[node] = links[parent].get(node, [])
        below = sorted((n for n in links[node] if n != parent), reverse=True)
        stack.extend((n, node) for n in below if n != WORLD)
