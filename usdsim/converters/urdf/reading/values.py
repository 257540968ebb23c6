"""Attribute values of URDF elements: numbers and poses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.converters.report import ConversionReport
from usdsim.core.errors import ConversionError
from usdsim.math.rotations import quat_from_axis_angle, quat_multiply, quat_normalize
from usdsim.math.transforms import Pose

from .xmltree import Node

__all__ = [
    "non_negative",
    "quat_from_rpy",
    "read_number",
    "read_numbers",
    "read_optional",
    "read_pose",
    "read_switch",
    "read_value",
]


def read_numbers(node: Node, key: str, count: int, default: str) -> NDArray[np.float64]:
    """An attribute of `count` numbers, separated by spaces or commas.

    Raises:
        ConversionError: it is something else, with file, line and element.
    """
    text = node.attributes.get(key, default)
    allowed = "a finite number" if count == 1 else f"{count} finite numbers"
    try:
        values = np.array([float(word) for word in text.replace(",", " ").split()])
    except ValueError as error:
        raise ConversionError(f"{node.where}: {key}={text!r} is not {allowed}.") from error
    if values.shape == (1,) and key == "scale":
        values = np.repeat(values, 3)
    if values.shape != (count,) or not np.isfinite(values).all():
        raise ConversionError(f"{node.where}: {key}={text!r} is not {allowed}.")
    return values


def read_number(node: Node | None, key: str, default: float) -> float:
    """An attribute of one number; `default` if the element or the attribute is missing."""
    return default if node is None else float(read_numbers(node, key, 1, repr(default))[0])


def read_optional(node: Node, key: str) -> float | None:
    """An attribute of one number; None if it is missing."""
    return float(read_numbers(node, key, 1, "0")[0]) if key in node.attributes else None


def non_negative(node: Node | None, key: str, report: ConversionReport) -> float:
    """A number that cannot be below zero; 0 if it is missing."""
    value = read_number(node, key, 0.0)
    if node is not None and value < 0.0:
        report.warn("negative", node.where, f"{key} {value} is negative; taken as 0")
        return 0.0
    return value


def read_value(node: Node | None, report: ConversionReport) -> float | None:
    """A number written as text or as a ``value`` attribute; None if there is none."""
    if node is None:
        return None
    text = node.attributes.get("value", node.text).strip()
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if np.isfinite(value):
        return value
    report.warn("annotation", node.where, f"{text!r} is not a number; left out")
    return None


def read_switch(node: Node, report: ConversionReport) -> bool | None:
    """A truth value written as text or as a ``value`` attribute; None if it is something else."""
    text = node.attributes.get("value", node.text).strip().lower()
    if text in ("true", "1", "false", "0"):
        return text in ("true", "1")
    report.warn("annotation", node.where, f"{text!r} is neither true nor false; left out")
    return None


def read_pose(node: Node | None) -> Pose:
    """Pose of an ``<origin>``, or of any element with ``xyz`` and ``rpy`` or ``quat_xyzw``."""
    if node is None:
        return Pose()
    pos = read_numbers(node, "xyz", 3, "0 0 0")
    if "quat_xyzw" in node.attributes:
        quat = read_numbers(node, "quat_xyzw", 4, "0 0 0 1")
        if not quat.any():
            raise ConversionError(f"{node.where}: quat_xyzw is zero, which is no rotation.")
        return Pose(pos, quat_normalize(quat))
    rpy = read_numbers(node, "rpy", 3, "0 0 0")
    return Pose(pos, quat_from_rpy(*rpy)) if rpy.any() else Pose(pos)


def quat_from_rpy(roll: float, pitch: float, yaw: float) -> NDArray[np.float64]:
    """Rotation by roll, pitch and yaw about fixed axes [rad], xyzw."""
    x, y, z = np.eye(3)
    turn = quat_multiply(quat_from_axis_angle(z, yaw), quat_from_axis_angle(y, pitch))
    return quat_normalize(quat_multiply(turn, quat_from_axis_angle(x, roll)))
