"""Joints: ends, axes, limits, dynamics and mimic relations."""

from __future__ import annotations

import numpy as np

from usdsim.converters.report import ConversionReport
from usdsim.core.errors import ConversionError

from .limits import read_limits
from .model import UrdfJoint, UrdfMimic
from .values import non_negative, read_number, read_numbers, read_pose
from .xmltree import Node

__all__ = ["JOINT_KINDS", "read_joint", "read_loop_joint"]

JOINT_KINDS = (
    "revolute",
    "continuous",
    "prismatic",
    "fixed",
    "floating",
    "planar",
    "spherical",
)
"""Joint types that are understood; ``ball`` is read as ``spherical``."""

_JOINT_TAGS = {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"}


def read_joint(node: Node, name: str, report: ConversionReport) -> UrdfJoint:
    """Read a ``<joint>``.

    Raises:
        ConversionError: its type is unknown or an end is missing.
    """
    joint = UrdfJoint(
        name=name,
        kind=_kind(node, ""),
        parent=_end(node, "parent"),
        child=_end(node, "child"),
        origin=read_pose(node.find("origin")),
        where=node.where,
        # As importers for Isaac Gym and Isaac Sim read it.
        preserved=node.attributes.get("dont_collapse", "").strip().lower() in ("true", "1"),
        extras=[child for child in node.children if child.tag not in _JOINT_TAGS],
    )
    _axis(node, joint, report)
    read_limits(node, joint, report)
    dynamics = node.find("dynamics")
    joint.damping = non_negative(dynamics, "damping", report)
    joint.friction = non_negative(dynamics, "friction", report)
    joint.armature = non_negative(dynamics, "armature", report)
    mimic = node.find("mimic")
    if mimic is not None:
        joint.mimic = UrdfMimic(
            mimic.attributes.get("joint", ""),
            read_number(mimic, "multiplier", 1.0),
            read_number(mimic, "offset", 0.0),
        )
    return joint


def read_loop_joint(node: Node, name: str, report: ConversionReport) -> UrdfJoint:
    """Read a ``<loop_joint>``, which closes a kinematic loop.

    Raises:
        ConversionError: an end is missing.
    """
    first, second = node.find("link1"), node.find("link2")
    if first is None or second is None:
        raise ConversionError(f"{node.where}: needs <link1> and <link2>.")
    joint = UrdfJoint(
        name=name,
        kind=_kind(node, "spherical"),
        parent=first.attributes.get("link", ""),
        child=second.attributes.get("link", ""),
        origin=read_pose(first),
        where=node.where,
        child_origin=read_pose(second),
        loop=True,
    )
    _axis(node, joint, report)
    return joint


def _kind(node: Node, default: str) -> str:
    kind = node.attributes.get("type", default)
    kind = "spherical" if kind == "ball" else kind
    if kind not in JOINT_KINDS:
        raise ConversionError(
            f"{node.where}: type {kind!r} is unknown; allowed: {', '.join(JOINT_KINDS)}."
        )
    return kind


def _end(node: Node, tag: str) -> str:
    end = node.find(tag)
    name = None if end is None else end.attributes.get("link", end.attributes.get("name"))
    if not name:
        raise ConversionError(f'{node.where}: no <{tag} link="..."/>.')
    return name


def _axis(node: Node, joint: UrdfJoint, report: ConversionReport) -> None:
    axis = node.find("axis")
    if axis is None:
        return
    direction = read_numbers(axis, "xyz", 3, "1 0 0")
    if direction.any():
        joint.axis = direction / np.linalg.norm(direction)
    elif joint.kind in ("revolute", "continuous", "prismatic", "planar"):
        report.warn("axis-zero", axis.where, f"zero axis of {joint.name!r}; taken as x")
