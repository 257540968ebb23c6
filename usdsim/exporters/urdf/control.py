"""Control interfaces of an export: a ``<ros2_control>`` element with joints and sensors."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import mujoco

from .actuation import Actuation
from .elements import number
from .robot import Robot

__all__ = ["control_element"]

_SITE = int(mujoco.mjtObj.mjOBJ_SITE)
_BODIES = (int(mujoco.mjtObj.mjOBJ_BODY), int(mujoco.mjtObj.mjOBJ_XBODY))
_AXES = ("x", "y", "z")
_SENSORS = {
    int(mujoco.mjtSensor.mjSENS_GYRO): ("angular_velocity", _AXES),
    int(mujoco.mjtSensor.mjSENS_ACCELEROMETER): ("linear_acceleration", _AXES),
    int(mujoco.mjtSensor.mjSENS_FRAMEQUAT): ("orientation", (*_AXES, "w")),
    int(mujoco.mjtSensor.mjSENS_FORCE): ("force", _AXES),
    int(mujoco.mjtSensor.mjSENS_TORQUE): ("torque", _AXES),
}
"""State interfaces of sensors, as ``ros2_control`` calls them."""
_OF_JOINTS = frozenset(
    int(kind)
    for kind in (
        mujoco.mjtSensor.mjSENS_JOINTPOS,
        mujoco.mjtSensor.mjSENS_JOINTVEL,
        mujoco.mjtSensor.mjSENS_JOINTACTFRC,
        mujoco.mjtSensor.mjSENS_ACTUATORPOS,
        mujoco.mjtSensor.mjSENS_ACTUATORVEL,
        mujoco.mjtSensor.mjSENS_ACTUATORFRC,
    )
)
"""Sensors that every joint has as its states."""


def control_element(robot: Robot, actuation: dict[int, Actuation]) -> ET.Element | None:
    """The element for all joints that are driven or start elsewhere than at zero, and all sensors.

    Gains are parameters ``stiffness`` and ``damping`` of the command; forces are those of the
    joints' limits.
    """
    element = ET.Element("ros2_control", {"name": "usdsim", "type": "system"})
    initial = robot.compiled.initial
    for joint, name in robot.joint_of.items():
        position = float(initial.qpos[robot.model.jnt_qposadr[joint]])
        speed = float(initial.qvel[robot.model.jnt_dofadr[joint]])
        if joint in actuation or position or speed:
            entry = ET.SubElement(element, "joint", {"name": name})
            if joint in actuation:
                _add_command(entry, actuation[joint], position)
            for kind, value in (("position", position), ("velocity", speed), ("effort", 0.0)):
                state = ET.SubElement(entry, "state_interface", {"name": kind})
                if value:
                    _param(state, "initial_value", value)
    _add_sensors(robot, element)
    return element if len(element) else None


def _add_command(entry: ET.Element, law: Actuation, position: float) -> None:
    command = ET.SubElement(entry, "command_interface", {"name": law.command})
    if law.command == "effort":
        return
    if law.target is not None and law.target != position:
        _param(command, "initial_value", law.target)
    _param(command, "stiffness", law.stiffness)
    _param(command, "damping", law.damping)


def _param(parent: ET.Element, name: str, value: float | str) -> None:
    text = value if isinstance(value, str) else number(value)
    ET.SubElement(parent, "param", {"name": name}).text = text


def _add_sensors(robot: Robot, element: ET.Element) -> None:
    model, names = robot.model, robot.compiled.names
    for sensor in range(robot.compiled.num_sensors):
        kind = int(model.sensor_type[sensor])
        if kind in _OF_JOINTS:
            continue
        frame = _frame(robot, sensor)
        where = robot.path("sensor", sensor) or "sensor"
        if kind not in _SENSORS or not frame:
            robot.warn("sensor", where, "a sensor that no interface names; left out")
            continue
        name = names.names("sensor")[sensor].rpartition("/")[2] or f"sensor_{sensor}"
        entry = ET.SubElement(element, "sensor", {"name": name})
        quantity, axes = _SENSORS[kind]
        for axis in axes:
            ET.SubElement(entry, "state_interface", {"name": f"{quantity}.{axis}"})
        _param(entry, "frame_id", frame)


def _frame(robot: Robot, sensor: int) -> str:
    """Link of the frame a sensor measures in; empty if it is none of the file's."""
    kind, index = int(robot.model.sensor_objtype[sensor]), int(robot.model.sensor_objid[sensor])
    if kind == _SITE:
        return robot.site_link.get(index, "")
    return robot.link_of.get(index, "") if kind in _BODIES and index else ""
