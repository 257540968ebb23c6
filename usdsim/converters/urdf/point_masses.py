"""Point masses: links whose moments of inertia a file gives as zero, and means it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from usdsim.converters.report import ConversionReport
from usdsim.math.inertia import MassProperties, combine
from usdsim.math.transforms import Pose

from .masses import Solid, link_mass, point_mass
from .reading.model import UrdfJoint, UrdfLink, UrdfRobot

__all__ = ["point_masses"]

Array = NDArray[np.float64]

_ENOUGH = 0.5
"""Share of what it would resist with the moments of its shapes that a group must resist anyway."""


def point_masses(robot: UrdfRobot, solid: Solid) -> set[str]:
    """Names of links that can be simulated as points.

    Links that fixed joints join move as one. They need no moments of their own where their masses
    lie so far from the axis they turn about, or from each other if they move freely, that moments
    of their shapes would not even double what they resist.

    Args:
        robot: links and joints, in the order of the tree.
        solid: mass properties of a link's collision shapes at some density.
    """
    groups: dict[str, list[tuple[UrdfLink, Pose]]] = {}
    place: dict[str, tuple[str, Pose]] = {}
    for name in robot.order:
        joint = robot.parent_joint.get(name)
        fixed = joint is not None and joint.kind == "fixed"
        group, pose = place[joint.parent] if fixed and joint is not None else (name, Pose())
        place[name] = group, pose @ joint.origin if fixed and joint is not None else pose
        groups.setdefault(group, []).append((robot.links[name], place[name][1]))
    found: set[str] = set()
    for first, members in groups.items():
        points = {link.name for link, _ in members if point_mass(link) is not None}
        if points and _resists(robot.parent_joint.get(first), members, solid):
            found |= points
    return found


def _resists(
    joint: UrdfJoint | None, members: Iterable[tuple[UrdfLink, Pose]], solid: Solid
) -> bool:
    """Whether moments of shapes would change little of how links resist what moves them."""
    stated: list[MassProperties] = []
    repaired: list[MassProperties] = []
    for link, pose in members:
        mass = link_mass(link, solid, ConversionReport())
        if mass is not None:
            repaired.append(mass.moved(pose))
            stated.append((point_mass(link) or mass).moved(pose))
    own, other = (_resistance(joint, combine(parts)) for parts in (stated, repaired))
    return bool((own >= _ENOUGH * other).all())


def _resistance(joint: UrdfJoint | None, mass: MassProperties) -> Array:
    """Moments about the axis of a joint, or the principal ones of what moves freely."""
    kind = "floating" if joint is None else joint.kind
    if joint is not None and kind in ("revolute", "continuous"):
        return np.array([joint.axis @ mass.about(np.zeros(3)) @ joint.axis])
    if kind == "prismatic":
        return np.zeros(0)
    return np.linalg.eigvalsh(mass.inertia).astype(np.float64)
