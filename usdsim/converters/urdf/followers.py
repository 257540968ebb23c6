"""Joints that mimic others: whether they can, and what they are where they cannot."""

from __future__ import annotations

import math

from usdsim.converters.report import ConversionReport
from usdsim.math.rotations import quat_from_axis_angle
from usdsim.math.transforms import Pose

from .reading.model import UrdfJoint, UrdfRobot

__all__ = ["check_followers", "free_followers", "hold_followers"]

_ONE_POSITION = 1e-6
"""Widest range of a joint that is a single position [rad or m]."""


def check_followers(robot: UrdfRobot, report: ConversionReport) -> None:
    """Leave joints free that mimic what does not exist, or themselves."""
    for joint in robot.joints.values():
        if joint.mimic is None:
            continue
        leader = robot.joints.get(joint.mimic.joint)
        if leader is None:
            report.warn(
                "mimic-unknown",
                joint.where,
                f"{joint.name!r} mimics {joint.mimic.joint!r}, which does not exist; left free",
            )
            joint.mimic = None
        elif leader is joint:
            report.warn("mimic-self", joint.where, f"{joint.name!r} mimics itself; left free")
            joint.mimic = None


def hold_followers(robot: UrdfRobot, report: ConversionReport) -> None:
    """Fix joints that mimic a fixed one, which is at zero, where their relation puts them."""
    held = {name: 0.0 for name, joint in robot.joints.items() if joint.kind == "fixed"}
    followers = {joint: joint.mimic for joint in robot.joints.values() if joint.single}
    while found := [
        (joint, mimic)
        for joint, mimic in followers.items()
        if mimic is not None and mimic.joint in held and joint.name not in held
    ]:
        for joint, mimic in found:
            position = held[joint.name] = mimic.multiplier * held[mimic.joint] + mimic.offset
            slides = joint.kind == "prismatic"
            turn = quat_from_axis_angle(joint.axis, position)
            joint.origin @= Pose(position * joint.axis) if slides else Pose(quat=turn)
            joint.kind, joint.mimic = "fixed", None
            report.info(
                "mimic-held",
                joint.where,
                f"{joint.name!r} mimics {mimic.joint!r}, which is fixed; fixed at {position:g} "
                f"{'m' if slides else 'rad'}",
            )


def free_followers(robot: UrdfRobot, report: ConversionReport) -> None:
    """Take limits from joints that could not follow another one within them.

    Limits of joints that mimic are often those of a mirrored twin. Where they leave at most one
    position to the joint that leads, they would hold both, and all that follows them.
    """
    ranges = {name: _range(joint) for name, joint in robot.joints.items()}
    for name, joint in robot.joints.items():
        if joint.mimic is None or not joint.single or not joint.mimic.multiplier:
            continue
        leader, (lower, upper) = joint.mimic.joint, ranges[name]
        ways = [joint.mimic.multiplier * end + joint.mimic.offset for end in ranges[leader]]
        if min(max(ways), upper) - max(min(ways), lower) > _ONE_POSITION:
            continue
        report.warn(
            "mimic-limits",
            joint.where,
            f"{name!r} follows {leader!r} from {min(ways):g} to {max(ways):g}, and its limits are "
            f"{lower:g} to {upper:g}, which would hold both; it is unlimited. Correct the limits, "
            "or the multiplier",
        )
        joint.lower = joint.upper = None


def _range(joint: UrdfJoint) -> tuple[float, float]:
    """Limits of a joint [rad or m]; infinite where it has none."""
    lower = -math.inf if joint.lower is None else joint.lower
    return lower, math.inf if joint.upper is None else joint.upper
