"""Kinematic tree: who carries whom, whatever order the file is in."""

from __future__ import annotations

from usdsim.converters.report import ConversionReport
from usdsim.core.errors import ConversionError, UnknownNameError

from .followers import check_followers
from .reading.model import UrdfJoint, UrdfLink, UrdfRobot

__all__ = ["WORLD_NAMES", "arrange", "children_of"]

WORLD_NAMES = ("world", "map", "odom")
"""Link names that mean the environment; used as a parent, they need no ``<link>``."""


def arrange(robot: UrdfRobot, report: ConversionReport) -> None:
    """Fill in `roots`, `order` and `parent_joint`.

    Raises:
        ConversionError: a joint names a link that does not exist, or links carry each other.
    """
    for joint in robot.joints.values():
        _supply_parent(robot, joint, report)
        _check_ends(robot, joint)
        if joint.loop:
            continue
        other = robot.parent_joint.get(joint.child)
        if other is None:
            robot.parent_joint[joint.child] = joint
            continue
        report.warn(
            "second-parent",
            joint.where,
            f"link {joint.child!r} already hangs on joint {other.name!r}; closes a loop instead",
        )
        joint.loop = True
    robot.roots = [name for name in robot.links if name not in robot.parent_joint]
    robot.order = _depth_first(robot)
    if len(robot.order) < len(robot.links):
        lost = sorted(set(robot.links) - set(robot.order))
        raise ConversionError(
            f"{robot.where}: links {', '.join(lost[:8])} carry each other in a circle; "
            "remove a joint."
        )
    if len(robot.roots) > 1:
        report.warn(
            "several-roots",
            robot.where,
            f"{len(robot.roots)} links have no parent: {', '.join(robot.roots[:8])}",
        )
    check_followers(robot, report)


def children_of(robot: UrdfRobot) -> dict[str, list[UrdfJoint]]:
    """Tree joints by parent link, in file order."""
    found: dict[str, list[UrdfJoint]] = {name: [] for name in robot.links}
    for joint in robot.joints.values():
        if not joint.loop and joint.parent in found:
            found[joint.parent].append(joint)
    return found


def _supply_parent(robot: UrdfRobot, joint: UrdfJoint, report: ConversionReport) -> None:
    """Add the link a joint hangs on where the file refers to it without declaring it.

    The environment needs no declaration; any other is a part of the robot this file leaves out.
    """
    name = joint.parent
    if name in robot.links or joint.loop:
        return
    robot.links[name] = UrdfLink(name=name, where=joint.where)
    if name not in WORLD_NAMES:
        report.warn(
            "parent-undeclared", joint.where, f"no <link name={name!r}>; taken as an empty link"
        )


def _check_ends(robot: UrdfRobot, joint: UrdfJoint) -> None:
    for name in (joint.parent, joint.child):
        if name not in robot.links:
            close = UnknownNameError("link", name, robot.links)
            raise ConversionError(f"{joint.where}: {close}")
    if joint.parent == joint.child:
        raise ConversionError(f"{joint.where}: joins link {joint.parent!r} to itself.")


def _depth_first(robot: UrdfRobot) -> list[str]:
    children = children_of(robot)
    order: list[str] = []
    stack = list(reversed(robot.roots))
    while stack:
        name = stack.pop()
        order.append(name)
        stack += [joint.child for joint in reversed(children[name])]
    return order
