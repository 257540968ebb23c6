"""URDF elements: numbers that read back as they were, poses, and names that are unique."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_to_matrix
from usdsim.math.transforms import Pose

__all__ = ["Names", "add_origin", "number", "numbers"]

_LEVEL = 1e-9
"""Cosine of the pitch below which roll and yaw turn about the same axis."""


class Names:
    """Hands out names that are unique, numbered where they would not be.

    Args:
        taken: names that are in use.
    """

    def __init__(self, taken: Iterable[str] = ()):
        self._taken = set(taken)

    def take(self, wanted: str) -> str:
        """The wanted name or, for a prim path, its last part; with ``_1`` and so on if taken."""
        base = name = wanted.rpartition("/")[2] or "unnamed"
        count = 0
        while name in self._taken:
            count += 1
            name = f"{base}_{count}"
        self._taken.add(name)
        return name


def number(value: float) -> str:
    """The shortest text that gives a number back."""
    value = float(value)
    return repr(value + 0.0 if value else 0.0).removesuffix(".0")


def numbers(values: Iterable[float]) -> str:
    """Numbers separated by spaces."""
    return " ".join(map(number, values))


def add_origin(parent: ET.Element, pose: Pose) -> None:
    """Add an ``<origin>``, unless the pose is the identity."""
    angles = _roll_pitch_yaw(pose.quat)
    if pose.pos.any() or any(angles):
        ET.SubElement(parent, "origin", {"xyz": numbers(pose.pos), "rpy": numbers(angles)})


def _roll_pitch_yaw(quat: NDArray[np.float64]) -> tuple[float, float, float]:
    """Fixed-axis angles of a quaternion xyzw: R = Rz(yaw) Ry(pitch) Rx(roll).

    The yaw follows from the roll that was found, so that an error in one undoes that in the other
    where they are about the same axis.
    """
    if not quat[:3].any():
        return 0.0, 0.0, 0.0
    m = quat_to_matrix(quat / np.linalg.norm(quat))
    level = math.hypot(m[2, 1], m[2, 2])
    roll = math.atan2(m[2, 1], m[2, 2]) if level > _LEVEL else 0.0
    sine, cosine = math.sin(roll), math.cos(roll)
    yaw = math.atan2(sine * m[0, 2] - cosine * m[0, 1], cosine * m[1, 1] - sine * m[1, 2])
    return roll, math.atan2(-m[2, 0], level), yaw
