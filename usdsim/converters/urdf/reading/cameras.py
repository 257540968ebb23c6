"""Cameras of a URDF: sensors of Gazebo, and URDF's own ``<sensor>``."""

from __future__ import annotations

import math

import numpy as np

from usdsim.converters.report import ConversionReport
from usdsim.core.errors import ConversionError
from usdsim.math.transforms import Pose

from .model import UrdfCamera, UrdfRobot
from .values import quat_from_rpy, read_number, read_numbers, read_pose, read_value
from .xmltree import Node

__all__ = ["read_gazebo_camera", "read_sensor"]

_KINDS = (
    "camera",
    "depth",
    "depth_camera",
    "rgbd_camera",
    "segmentation_camera",
    "wideanglecamera",
)
"""Types of Gazebo's sensors that see."""
_FORWARD_X = Pose(quat=np.array([0.5, -0.5, -0.5, 0.5]))
"""A camera of USD in the frame of Gazebo's, which looks along +x, up is +z."""
_FORWARD_Z = Pose(quat=np.array([1.0, 0.0, 0.0, 0.0]))
"""A camera of USD in an optical frame, which looks along +z, up is -y."""
_DEFAULT_ANGLE = 1.047
"""Horizontal field of view where none is given, as in Gazebo [rad]."""
_WIDEST = math.radians(179.0)
"""Largest field of view that a pinhole can have [rad]."""


def read_gazebo_camera(robot: UrdfRobot, link: str, sensor: Node, report: ConversionReport) -> bool:
    """Take a ``<sensor>`` of Gazebo on a link as a camera; whether it is one.

    Args:
        robot: receives the camera.
        link: what carries it.
        sensor: the element.
        report: receives a warning for what is left out.
    """
    node = sensor.find("camera")
    if sensor.attributes.get("type") not in _KINDS or node is None:
        return False
    image, clip = node.find("image"), node.find("clip")
    (angle,) = _numbers(node, {"horizontal_fov": _DEFAULT_ANGLE}, report)
    width, height = _numbers(image, {"width": 320.0, "height": 240.0}, report)
    near, far = _numbers(clip, {"near": 0.1, "far": 100.0}, report)
    inner, outer = (_gazebo_pose(part.find("pose")) for part in (node, sensor))
    _add(
        robot,
        UrdfCamera(
            name=sensor.attributes.get("name", f"camera_{sensor.line}"),
            link=link,
            origin=outer @ inner @ _FORWARD_X,
            field_of_view=angle,
            resolution=(int(width), int(height)),
            clipping=(near, far),
            where=sensor.where,
        ),
        report,
    )
    return True


def read_sensor(robot: UrdfRobot, sensor: Node, report: ConversionReport) -> bool:
    """Take URDF's own ``<sensor>``, at an optical frame, as a camera; whether it is one."""
    node, parent = sensor.find("camera"), sensor.find("parent")
    image = None if node is None else node.find("image")
    if image is None or parent is None:
        return False
    width, height = (int(read_number(image, key, 0.0)) for key in ("width", "height"))
    _add(
        robot,
        UrdfCamera(
            name=sensor.attributes.get("name", f"camera_{sensor.line}"),
            link=parent.attributes.get("link", ""),
            origin=read_pose(sensor.find("origin")) @ _FORWARD_Z,
            field_of_view=read_number(image, "hfov", _DEFAULT_ANGLE),
            resolution=(width, height),
            clipping=(read_number(image, "near", 0.1), read_number(image, "far", 100.0)),
            where=sensor.where,
        ),
        report,
    )
    return True


def _numbers(
    parent: Node | None, defaults: dict[str, float], report: ConversionReport
) -> list[float]:
    """Numbers below an element, by tag."""
    found = [None if parent is None else read_value(parent.find(tag), report) for tag in defaults]
    return [
        default if value is None else value
        for value, default in zip(found, defaults.values(), strict=True)
    ]


def _gazebo_pose(node: Node | None) -> Pose:
    """Pose of a ``<pose>`` with six numbers; the identity if there is none."""
    if node is None or not node.text.strip():
        return Pose()
    values = Node("pose", {"values": node.text}, node.file, node.line)
    numbers = read_numbers(values, "values", 6, "")
    return Pose(numbers[:3], quat_from_rpy(*numbers[3:]))


def _add(robot: UrdfRobot, camera: UrdfCamera, report: ConversionReport) -> None:
    near, far = camera.clipping
    if camera.link not in robot.links:
        report.warn("camera", camera.where, f"on {camera.link!r}, which does not exist; left out")
    elif min(camera.resolution) < 1 or not 0.0 < near < far or not camera.field_of_view > 0.0:
        raise ConversionError(
            f"{camera.where}: a camera of {camera.resolution} pixels that sees {near} to {far} m "
            f"within {camera.field_of_view} rad; sizes and angles are above zero, and near is "
            "nearer than far."
        )
    else:
        if camera.field_of_view > _WIDEST:
            report.warn(
                "camera",
                camera.where,
                f"{camera.field_of_view:g} rad is more than a pinhole sees; taken as {_WIDEST:.4g}",
            )
            camera.field_of_view = _WIDEST
        robot.cameras.append(camera)
