"""Simulator tags of a URDF: surfaces and filters of Gazebo, Bullet and Drake."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from usdsim.converters.report import ConversionReport

from .cameras import read_sensor
from .gazebo import read_gazebo
from .model import UrdfLink, UrdfRobot
from .transmissions import read_transmissions
from .values import read_value
from .xmltree import Node

__all__ = ["read_annotations"]


_ACTING = ("contact", "drake:collision_filter_group", "gazebo", "ros2_control", "transmission")
"""Foreign tags with a physical meaning; what of them has none is told where they are read."""


def read_annotations(robot: UrdfRobot, report: ConversionReport) -> None:
    """Give links and joints what foreign tags say about them; the tags stay as data."""
    nodes = [*robot.extras]
    for link in robot.links.values():
        nodes += link.extras
    for joint in robot.joints.values():
        nodes += joint.extras
    for node in nodes:
        if node.tag == "sensor" and read_sensor(robot, node, report):
            continue
        if node.tag not in _ACTING:
            report.info("kept-as-data", node.where, "kept as data, without effect")
    for link in robot.links.values():
        for node in link.extras:
            if node.tag == "contact":
                _bullet_contact(link, node, report)
    read_gazebo(robot, report)
    read_transmissions(robot, report)
    robot.filtered_pairs += _drake_filters(robot)


_BULLET = {
    "lateral_friction": "friction",
    "rolling_friction": "rolling_friction",
    "spinning_friction": "torsional_friction",
    "restitution": "restitution",
    "stiffness": "contact_stiffness",
    "damping": "contact_damping",
}
"""Fields of a link by elements of Bullet's ``<contact>``."""


def _bullet_contact(link: UrdfLink, node: Node, report: ConversionReport) -> None:
    unread = []
    for child in node.children:
        field = _BULLET.get(child.tag)
        if field is None:
            unread.append(child.tag)
            continue
        value = read_value(child, report)
        if value is not None and value < 0.0:
            report.warn("annotation", child.where, f"{value:g} is negative; left out")
        elif value is not None:
            setattr(link, field, (value, value) if field == "friction" else value)
    if unread:
        tags = ", ".join(dict.fromkeys(unread))
        report.info("contact", node.where, f"kept as data, without effect: {tags}")


def _drake_filters(robot: UrdfRobot) -> Iterable[tuple[str, str]]:
    groups: dict[str, list[str]] = {}
    ignored: list[tuple[str, str]] = []
    for node in robot.extras:
        if node.tag != "drake:collision_filter_group":
            continue
        name = node.attributes.get("name", "")
        members = [member.attributes.get("link", "") for member in node.find_all("drake:member")]
        groups[name] = [member for member in members if member in robot.links]
        for other in node.find_all("drake:ignored_collision_filter_group"):
            ignored.append((name, other.attributes.get("name", "")))
    seen: set[tuple[str, str]] = set()
    for first, second in ignored:
        if first == second:
            pairs = list(combinations(groups[first], 2))
        else:
            pairs = [(a, b) for a in groups[first] for b in groups.get(second, ()) if a != b]
        for a, b in pairs:
            if (a, b) not in seen and (b, a) not in seen:
                seen.add((a, b))
                yield a, b
