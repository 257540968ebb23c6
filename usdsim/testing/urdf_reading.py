"""URDF reading, second and independent, to hold conversions against.

It shares no code with `usdsim.converters.urdf`: matrices in place of quaternions, the standard
library's XML reader, and only what the format itself defines.
"""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

__all__ = ["JointReading", "LinkReading", "RobotReading", "read_urdf"]

Array = NDArray[np.float64]

_OPTENV = re.compile(r"\$\((?:opt)?env (\w+) ?([^)]*)\)")

_DECLARATION = re.compile(r"^<\?xml[^>]*\?>")
"""Declaration of how bytes are encoded, which text does not need."""

ENVIRONMENT = ("world", "map", "odom")
"""Names of links that are no part of a robot."""

MOVING = ("revolute", "continuous", "prismatic")


_NONE = 1e9
"""Limit from which on nothing is limited: what files write where the format wants a number."""


@dataclass(frozen=True, eq=False)
class LinkReading:
    """Mass properties of one link in its own frame; None where the file gives none."""

    mass: float | None = None
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    collisions: int = 0

    @property
    def physical(self) -> bool:
        """Whether a body can have this inertia."""
        moments = np.linalg.eigvalsh(self.inertia)
        least = 1e-13 * abs(self.mass or 0.0)
        balanced = 2.0 * moments[2] <= 1.000001 * moments.sum()
        return bool(moments[2] > least and moments[0] >= 1e-6 * moments[2] and balanced)


@dataclass(frozen=True, eq=False)
class JointReading:
    """One joint."""

    kind: str
    parent: str
    child: str
    transform: Array
    """Child frame in the parent link when the joint is at zero, shape (4, 4)."""
    axis: Array
    lower: float = -np.inf
    upper: float = np.inf
    effort: float = np.inf
    velocity: float = np.inf
    damping: float = 0.0
    friction: float = 0.0
    mimic: tuple[str, float, float] | None = None
    """Leader, multiplier, offset."""

    def motion(self, position: float) -> Array:
        """Transform a joint position [rad or m] adds after `transform`, shape (4, 4)."""
        result = np.eye(4)
        if self.kind == "prismatic":
            result[:3, 3] = position * self.axis
        elif self.kind in MOVING:
            x, y, z = self.axis
            cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
            result[:3, :3] += np.sin(position) * cross + (1.0 - np.cos(position)) * cross @ cross
        return result


@dataclass(frozen=True, eq=False)
class RobotReading:
    """A whole file."""

    links: dict[str, LinkReading]
    joints: dict[str, JointReading]

    def link_transforms(self, positions: Mapping[str, float]) -> dict[str, Array]:
        """Poses of all links in the frame of the root that carries them, shape (4, 4).

        Args:
            positions: joint positions [rad or m] by joint name; others are at zero.
        """
        carried_by: dict[str, str] = {}
        for name, joint in self.joints.items():
            carried_by.setdefault(joint.child, name)
        found: dict[str, Array] = {}

        def place(link: str) -> Array:
            if link not in found:
                name = carried_by.get(link)
                if name is None:
                    found[link] = np.eye(4)
                else:
                    joint = self.joints[name]
                    moved = joint.transform @ joint.motion(positions.get(name, 0.0))
                    found[link] = place(joint.parent) @ moved
            return found[link]

        for link in self.links:
            place(link)
        return found


def _environment(match: re.Match[str]) -> str:
    return os.environ.get(match[1], match[2] or "")


def _vector(text: str | None, default: str) -> Array:
    return np.array((text or default).replace(",", " ").split(), dtype=np.float64)


def _transform(element: ElementTree.Element | None) -> Array:
    result = np.eye(4)
    if element is None:
        return result
    r, p, y = _vector(element.get("rpy"), "0 0 0")
    cr, sr, cp, sp, cy, sy = np.cos(r), np.sin(r), np.cos(p), np.sin(p), np.cos(y), np.sin(y)
    result[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    result[:3, 3] = _vector(element.get("xyz"), "0 0 0")
    return result


def _link(element: ElementTree.Element) -> LinkReading:
    collisions = sum(1 for c in element.findall("collision") if c.find("geometry") is not None)
    inertial = element.find("inertial")
    mass = None if inertial is None else inertial.find("mass")
    if inertial is None or mass is None:
        return LinkReading(collisions=collisions)
    tensor = inertial.find("inertia")
    origin = _transform(inertial.find("origin"))
    entries = {} if tensor is None else tensor.attrib
    xx, yy, zz, xy, xz, yz = (
        float(entries.get(key, 0.0)) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    )
    local = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return LinkReading(
        mass=float(mass.get("value", 0.0)),
        com=origin[:3, 3],
        inertia=origin[:3, :3] @ local @ origin[:3, :3].T,
        collisions=collisions,
    )


def _positive(element: ElementTree.Element | None, key: str) -> float:
    value = 0.0 if element is None else float(element.get(key, 0.0))
    return value if 0.0 < value < _NONE else np.inf


def _joint(element: ElementTree.Element) -> JointReading:
    kind = element.get("type", "")
    ends = [element.find(tag) for tag in ("parent", "child")]
    axis_element = element.find("axis")
    axis = _vector(None if axis_element is None else axis_element.get("xyz"), "1 0 0")
    norm = np.linalg.norm(axis)
    limit, dynamics, mimic = (element.find(tag) for tag in ("limit", "dynamics", "mimic"))
    lower, upper = -np.inf, np.inf
    if kind in ("revolute", "prismatic") and limit is not None:
        low, high = (float(limit.get(end, 0.0)) for end in ("lower", "upper"))
        if low < high:
            lower = low if low > -_NONE else -np.inf
            upper = high if high < _NONE else np.inf
    return JointReading(
        kind=kind,
        parent="" if ends[0] is None else ends[0].get("link", ""),
        child="" if ends[1] is None else ends[1].get("link", ""),
        transform=_transform(element.find("origin")),
        axis=axis / norm if norm else np.array([1.0, 0.0, 0.0]),
        lower=lower,
        upper=upper,
        effort=_positive(limit, "effort"),
        velocity=_positive(limit, "velocity"),
        damping=0.0 if dynamics is None else max(float(dynamics.get("damping", 0.0)), 0.0),
        friction=0.0 if dynamics is None else max(float(dynamics.get("friction", 0.0)), 0.0),
        mimic=None
        if mimic is None
        else (
            mimic.get("joint", ""),
            float(mimic.get("multiplier", 1.0)),
            float(mimic.get("offset", 0.0)),
        ),
    )


def _elements(text: str) -> ElementTree.Element:
    """Elements of a text; prefixes stay part of names, whether or not they are declared."""
    builder, parser = ElementTree.TreeBuilder(), expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.data
    parser.Parse(_DECLARATION.sub("", text), True)
    return builder.close()


def read_urdf(text: str) -> RobotReading:
    """Read links and joints of a URDF text.

    What mimics itself or a joint that is none moves on its own; what mimics a fixed one is fixed.
    What could not follow within its limits, beyond a single position, has none.
    """
    root = _elements(_OPTENV.sub(_environment, text.strip(" \t\r\n\0")))
    joints = {e.get("name", ""): _joint(e) for e in root.findall("joint")}
    for name, joint in joints.items():
        if joint.mimic is not None and joint.mimic[0] not in joints.keys() - {name}:
            joints[name] = replace(joint, mimic=None)
    at = {name: 0.0 for name, joint in joints.items() if joint.kind == "fixed"}
    for _ in joints:
        for name, joint in joints.items():
            if joint.kind in MOVING and joint.mimic is not None and joint.mimic[0] in at:
                at[name] = joint.mimic[1] * at[joint.mimic[0]] + joint.mimic[2]
                still = joint.transform @ joint.motion(at[name])
                joints[name] = replace(joint, kind="fixed", transform=still, mimic=None)
    joints = {name: _able_to_follow(joint, joints) for name, joint in joints.items()}
    return RobotReading({e.get("name", ""): _link(e) for e in root.findall("link")}, joints)


def _able_to_follow(joint: JointReading, joints: Mapping[str, JointReading]) -> JointReading:
    if joint.mimic is None or joint.kind not in MOVING or not joint.mimic[1]:
        return joint
    leader, multiplier, offset = joint.mimic
    first, last = sorted((end - offset) / multiplier for end in (joint.lower, joint.upper))
    allowed = min(last, joints[leader].upper) - max(first, joints[leader].lower)
    return (
        joint if allowed > 1e-6 / abs(multiplier) else replace(joint, lower=-np.inf, upper=np.inf)
    )
