"""Joint limits of a URDF: range, effort and speed, and what zero means."""

from __future__ import annotations

from usdsim.converters.report import ConversionReport

from .model import UrdfJoint, UrdfRobot
from .values import read_number, read_optional
from .xmltree import Node

__all__ = ["UNLIMITED", "lift_zero_limits", "read_limits"]

UNLIMITED = 1e9
"""Limit from which on nothing is limited; where the format wants a number, it stands for none."""


def read_limits(node: Node, joint: UrdfJoint, report: ConversionReport) -> None:
    """Read a joint's ``<limit>``; what limits nothing is None."""
    limit = node.find("limit")
    if limit is None:
        if joint.kind in ("revolute", "prismatic"):
            report.warn("limit-missing", node.where, "no <limit>; the joint is unlimited")
        return
    for key in ("effort", "velocity"):
        value = read_optional(limit, key)
        if value is not None and value < 0.0:
            report.warn(
                "limit-negative",
                limit.where,
                f"{joint.name!r}: {key} {value:g} is negative; taken as no limit",
            )
            value = None
        setattr(joint, key, None if value is not None and value >= UNLIMITED else value)
    if joint.kind not in ("revolute", "prismatic"):
        return
    lower, upper = read_number(limit, "lower", 0.0), read_number(limit, "upper", 0.0)
    if lower > upper:
        report.warn(
            "limit-reversed",
            limit.where,
            f"{joint.name!r}: lower {lower} > upper {upper}; the joint is unlimited",
        )
        return
    if lower == upper:
        report.warn(
            "limit-empty",
            limit.where,
            f"{joint.name!r}: lower = upper = {lower}; the joint is unlimited",
        )
        return
    joint.lower = lower if lower > -UNLIMITED else None
    joint.upper = upper if upper < UNLIMITED else None


def lift_zero_limits(robot: UrdfRobot, report: ConversionReport) -> None:
    """Take an effort or velocity limit of zero as none.

    Zero is what generators write where they do not know the limit.
    """
    for joint in robot.joints.values():
        for key in ("effort", "velocity"):
            if getattr(joint, key) == 0.0:
                what = f"{joint.name!r}: {key} 0 taken as no limit; zero_limits='keep' keeps it"
                report.warn("limit-zero", joint.where, what)
                setattr(joint, key, None)
