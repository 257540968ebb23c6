"""Transmissions and control interfaces: ``<transmission>`` and ``<ros2_control>`` of joints."""

from __future__ import annotations

from usdsim.converters.report import ConversionReport

from .model import CommandKind, UrdfJoint, UrdfMimic, UrdfRobot
from .values import read_value
from .xmltree import Node

__all__ = ["read_transmissions"]

_REDUCTIONS = ("mechanicalReduction", "mechanical_reduction", "drake:gear_ratio")
_COMMANDS: tuple[CommandKind, ...] = ("position", "velocity", "effort")
"""Command interfaces; of several, the first holds, as it needs the least of a controller."""
_INERTIAS = ("rotorInertia", "rotor_inertia", "motorInertia", "drake:rotor_inertia")


def read_transmissions(robot: UrdfRobot, report: ConversionReport) -> None:
    """Give joints their actuators and the inertia of the rotors, their start, and their limits."""
    for node in robot.extras:
        if node.tag == "transmission":
            _transmission(robot, node, report)
        elif node.tag == "ros2_control":
            for child in node.find_all("transmission"):
                _transmission(robot, child, report)
            for child in node.find_all("joint"):
                joint = _joint(robot, child, report)
                if joint is not None:
                    _interfaces(robot, joint, child, report)


def _joint(robot: UrdfRobot, node: Node, report: ConversionReport) -> UrdfJoint | None:
    name = node.attributes.get("name", "")
    if name not in robot.joints:
        report.warn("annotation", node.where, f"there is no joint {name!r}; left out")
    return robot.joints.get(name)


def _transmission(robot: UrdfRobot, node: Node, report: ConversionReport) -> None:
    """A simple transmission; others couple several joints in ways that their plugins know."""
    joints = [_joint(robot, child, report) for child in node.find_all("joint")]
    motors = node.find_all("actuator")
    if len(joints) > 1 or len(motors) > 1:
        report.info("transmission", node.where, "couples several joints: kept as data, no effect")
        return
    joint = joints[0] if joints else None
    if joint is None or not motors:
        return
    # Dialects disagree about which of the elements says so.
    places = (motors[0], *node.find_all("joint"), node)
    reduction = _first(places, _REDUCTIONS, report)
    inertia = _first(places, _INERTIAS, report) or 0.0
    ratio = 1.0 if reduction is None else reduction
    if ratio == 0.0 or inertia < 0.0:
        what = f"reduction {ratio:g} and rotor inertia {inertia:g} are no transmission; left out"
        report.warn("annotation", node.where, what)
        return
    words = [place.text for n in places if (place := n.find("hardwareInterface")) is not None]
    names = [word.strip().rpartition("/")[2].lower() for word in words]
    said = (kind for kind in _COMMANDS for name in names if name.startswith(kind))
    joint.command = joint.command or next(said, None)
    joint.actuators.append((motors[0].attributes.get("name", ""), ratio))
    joint.armature += inertia * ratio * ratio


def _first(
    places: tuple[Node, ...], tags: tuple[str, ...], report: ConversionReport
) -> float | None:
    nodes = (place.find(tag) for place in places for tag in tags)
    return next((value for node in nodes if (value := read_value(node, report)) is not None), None)


def _interfaces(robot: UrdfRobot, joint: UrdfJoint, node: Node, report: ConversionReport) -> None:
    for state in node.find_all("state_interface"):
        start = _parameter(state, "initial_value", report)
        if start is not None and state.attributes.get("name") == "position":
            joint.position = start
        elif start is not None and state.attributes.get("name") == "velocity":
            joint.speed = start
    commands = node.find_all("command_interface")
    names = [command.attributes.get("name", "") for command in commands]
    joint.command = next((kind for kind in _COMMANDS if kind in names), joint.command)
    for command in commands:
        if command.attributes.get("name") == joint.command:
            joint.stiffness = _gain(command, "stiffness", report)
            joint.drive_damping = _gain(command, "damping", report)
            joint.target = _parameter(command, "initial_value", report)
        most = _parameter(command, "max", report)
        if command.attributes.get("name") == "effort" and most is not None and most > 0.0:
            joint.effort = most if joint.effort is None else min(most, joint.effort)
    leader = _text(node, "mimic")
    if leader and joint.mimic is None:
        multiplier, offset = (_parameter(node, name, report) for name in ("multiplier", "offset"))
        if leader not in robot.joints:
            report.warn("annotation", node.where, f"mimics {leader!r}, which does not exist")
            return
        joint.mimic = UrdfMimic(leader, 1.0 if multiplier is None else multiplier, offset or 0.0)


def _text(node: Node, name: str) -> str:
    """Text of a ``<param>``; empty if there is none of that name."""
    found = (p.text for p in node.find_all("param") if p.attributes.get("name") == name)
    return next(found, "").strip()


def _parameter(node: Node, name: str, report: ConversionReport) -> float | None:
    found = (p for p in node.find_all("param") if p.attributes.get("name") == name)
    return read_value(next(found, None), report)


def _gain(command: Node, name: str, report: ConversionReport) -> float | None:
    value = _parameter(command, name, report)
    if value is not None and value < 0.0:
        report.warn(
            "gain-negative", command.where, f"{name} {value:g} would drive away; taken as 0"
        )
        return 0.0
    return value
