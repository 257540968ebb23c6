"""What simulators' own tags say about surfaces and filters: Gazebo, Bullet, Drake."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from usdsim.converters.report import ConversionReport

from .model import UrdfLink, UrdfRobot
from .xmltree import Node

__all__ = ["read_annotations"]


def read_annotations(robot: UrdfRobot, report: ConversionReport) -> None:
    """Give the links of a robot what foreign tags say about them; the tags stay as data."""
    for link in robot.links.values():
        for node in link.extras:
            if node.tag == "contact":
                _bullet_contact(link, node, report)
    for node in robot.extras:
        owner = robot.links.get(node.attributes.get("reference", ""))
        if node.tag == "gazebo" and owner is not None:
            _gazebo_surface(owner, node, report)
    robot.filtered_pairs = list(_drake_filters(robot))


def _value(node: Node | None, report: ConversionReport) -> float | None:
    """A number written as text or as a ``value`` attribute."""
    if node is None:
        return None
    text = node.attributes.get("value", node.text).strip()
    try:
        return float(text)
    except ValueError:
        report.warn("annotation", node.where, f"{text!r} is not a number; left out")
        return None


def _bullet_contact(link: UrdfLink, node: Node, report: ConversionReport) -> None:
    lateral = _value(node.find("lateral_friction"), report)
    if lateral is not None:
        link.friction = (lateral, lateral)
    link.rolling_friction = _value(node.find("rolling_friction"), report)
    link.torsional_friction = _value(node.find("spinning_friction"), report)
    link.restitution = _value(node.find("restitution"), report)


def _gazebo_surface(link: UrdfLink, node: Node, report: ConversionReport) -> None:
    first, second = _value(node.find("mu1"), report), _value(node.find("mu2"), report)
    given = [value for value in (first, second) if value is not None]
    if given:
        link.friction = (given[0], given[-1])


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
