"""Gazebo tags of a URDF: surfaces, gravity, damping, springs and self collision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from usdsim.converters.report import ConversionReport

from .cameras import read_gazebo_camera
from .model import UrdfJoint, UrdfLink, UrdfRobot
from .values import read_switch, read_value
from .xmltree import Node

__all__ = ["read_gazebo"]

_STEP = 1e-3
"""Gazebo's own time step [s], in which a damping factor is the share of velocity that is lost."""
_RIGID = 1e9
"""Contact stiffness [N/m] from which nothing gives way in any time step."""


def read_gazebo(robot: UrdfRobot, report: ConversionReport) -> None:
    """Give links and joints what the ``<gazebo>`` elements that refer to them say.

    Elements without effect stay as data and are named.
    """
    for node in robot.extras:
        if node.tag != "gazebo":
            continue
        name = node.attributes.get("reference")
        unread: Sequence[Node] = node.children
        if name is None:
            unread = [child for child in unread if not _robot_tag(robot, child, report)]
        elif name not in robot.links and name not in robot.joints:
            report.warn("annotation", node.where, f"refers to {name!r}, which does not exist")
            continue
        # A link and a joint may share a name; what a tag is says which of them it means.
        elif name in robot.links:
            unread = [
                child
                for child in _link(robot.links[name], node, report)
                if child.tag != "sensor" or not read_gazebo_camera(robot, name, child, report)
            ]
        if name in robot.joints:
            unread = _joint(robot.joints[name], unread, report)
        if unread:
            tags = ", ".join(dict.fromkeys(child.tag for child in unread))
            report.info("gazebo", node.where, f"kept as data, without effect: {tags}")
    _filter_links(robot)


def _robot_tag(robot: UrdfRobot, node: Node, report: ConversionReport) -> bool:
    if node.tag not in ("self_collide", "selfCollide"):
        return False
    robot.self_collide = read_switch(node, report)
    return True


def _link(link: UrdfLink, node: Node, report: ConversionReport) -> list[Node]:
    """Read what concerns a link; returns the elements without effect."""
    first, second = (read_value(node.find(tag), report) for tag in ("mu1", "mu2"))
    given = [value for value in (first, second) if value is not None]
    if given:
        link.friction = (given[0], given[-1])
        if given[0] != given[-1]:
            report.info(
                "friction-directions",
                node.where,
                f"mu1 {given[0]:g} and mu2 {given[-1]:g} differ; mu1 holds in all directions",
            )
    unread = []
    for child in node.children:
        reader = _LINK.get(child.tag)
        if reader is not None:
            reader(link, child, report)
        elif child.tag not in ("mu1", "mu2"):
            unread.append(child)
    return unread


def _not_negative(node: Node, report: ConversionReport) -> float:
    """A number from zero; zero if there is none."""
    value = read_value(node, report) or 0.0
    if value < 0.0:
        report.warn("annotation", node.where, f"{value:g} is negative; left out")
    return max(value, 0.0)


def _stiffness(link: UrdfLink, node: Node, report: ConversionReport) -> None:
    value = _not_negative(node, report)
    link.contact_stiffness = value if 0.0 < value < _RIGID else None


def _damping(link: UrdfLink, node: Node, report: ConversionReport) -> None:
    link.contact_damping = _not_negative(node, report) or None


def _gravity(link: UrdfLink, node: Node, report: ConversionReport) -> None:
    value = read_switch(node, report)
    if value is not None:
        link.gravity = value if node.tag == "gravity" else not value


def _decay(link: UrdfLink, node: Node, report: ConversionReport) -> None:
    value = read_value(node, report)
    if value is not None and not 0.0 <= value < 1.0:
        report.warn("annotation", node.where, f"{value:g} is no share of velocity; left out")
    elif value is not None:
        link.velocity_decay = value / _STEP


def _self_collide(link: UrdfLink, node: Node, report: ConversionReport) -> None:
    link.self_collide = read_switch(node, report)


_LINK: dict[str, Callable[[UrdfLink, Node, ConversionReport], None]] = {
    "dampingFactor": _decay,
    "gravity": _gravity,
    "kd": _damping,
    "kp": _stiffness,
    "selfCollide": _self_collide,
    "self_collide": _self_collide,
    "turnGravityOff": _gravity,
}


def _joint(joint: UrdfJoint, nodes: Sequence[Node], report: ConversionReport) -> list[Node]:
    """Read what concerns a joint; returns the elements without effect."""
    unread = []
    for child in nodes:
        if child.tag == "springStiffness" and joint.single:
            joint.spring_stiffness = _not_negative(child, report)
        elif child.tag == "springReference" and joint.single:
            joint.spring_reference = read_value(child, report) or 0.0
        elif child.tag in ("preserveFixedJoint", "disableFixedJointLumping"):
            joint.preserved |= bool(read_switch(child, report))
        elif child.tag != "implicitSpringDamper":
            # Springs and dampers of joints are integrated implicitly in any case.
            unread.append(child)
    return unread


def _filter_links(robot: UrdfRobot) -> None:
    """Two links of a robot collide where both do so with their own kind."""
    flags = {name: link.self_collide for name, link in robot.links.items()}
    if all(flag is None for flag in flags.values()):
        return
    colliding = {
        name for name, flag in flags.items() if (robot.self_collide if flag is None else flag)
    }
    robot.self_collide = bool(colliding)
    if colliding:
        robot.filtered_pairs += [
            pair for pair in combinations(robot.links, 2) if not colliding.issuperset(pair)
        ]
