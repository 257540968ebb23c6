"""Joints that follow another joint, in Newton's and in PhysX's spelling."""

from __future__ import annotations

import math

from usdsim.parser.context import ParseContext
from usdsim.parser.description import MimicDescription
from usdsim.parser.prims import PrimView
from usdsim.parser.units import DEGREE

from .authored import JointRecord

__all__ = ["parse_mimic"]


def parse_mimic(
    context: ParseContext, joint: JointRecord, leaders: dict[str, JointRecord], without: str = ""
) -> MimicDescription | None:
    """The leader of a joint; None if it moves on its own.

    Args:
        context: of the stage.
        joint: the follower.
        leaders: all joints by path.
        without: a dialect that is not asked.
    """
    readers = {"newton": _newton, "physx": _physx}
    asked = [name for name in context.quantities.precedence if name in readers and name != without]
    said = [readers[name](context, joint, leaders) for name in asked]
    stated = [mimic for mimic in said if mimic is not None]
    for other in stated[1:]:
        if not _agree(stated[0], other):
            context.report.conflict(
                joint.view.path, "physxMimicJoint", other.joint,
                f"follows {other.joint} otherwise than {stated[0]}, which goes first; remove one "
                "of the two",
            )  # fmt: skip
    return stated[0] if stated else None


def _agree(one: MimicDescription, other: MimicDescription) -> bool:
    """Whether two spellings say the same, as single precision can."""
    numbers = ((one.offset, other.offset), (one.gearing, other.gearing))
    return one.joint == other.joint and all(
        math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-7) for a, b in numbers
    )


def _newton(
    context: ParseContext, joint: JointRecord, leaders: dict[str, JointRecord]
) -> MimicDescription | None:
    """Position = coef0 + coef1 * position of the leader."""
    view = joint.view
    targets = view.targets("newton:mimicJoint")
    offset, gearing = view.number("newton:mimicCoef0", 0.0), view.number("newton:mimicCoef1", 1.0)
    if not view.flag("newton:mimicEnabled", True) or not targets:
        return None
    leader = _leader(context, view, "newton:mimicJoint", targets[0].pathString, leaders)
    if leader is None:
        return None
    unit, other = _unit(context, joint), _unit(context, leader)
    return MimicDescription(
        joint=leader.view.path, offset=offset * unit, gearing=gearing * unit / other
    )


def _physx(
    context: ParseContext, joint: JointRecord, leaders: dict[str, JointRecord]
) -> MimicDescription | None:
    """Position + gearing * position of the leader + offset = 0."""
    view = joint.view
    for axis in view.instances("PhysxMimicJointAPI"):
        prefix = f"physxMimicJoint:{axis}:"
        targets = view.targets(prefix + "referenceJoint")
        gearing, offset = view.number(prefix + "gearing", 1.0), view.number(prefix + "offset", 0.0)
        leader_axis = view.value(prefix + "referenceJointAxis", "")
        if not targets:
            context.report.repaired(
                "dangling-joint", view.path, "follows no joint: it moves on its own",
                attribute=prefix + "referenceJoint",
            )  # fmt: skip
            continue
        leader = _leader(context, view, prefix + "referenceJoint", targets[0].pathString, leaders)
        if leader is None:
            continue
        unit, other = _unit(context, joint, axis), _unit(context, leader, leader_axis)
        suffix = f":{leader_axis}" if leader.kind == "d6" and leader_axis else ""
        return MimicDescription(
            joint=leader.view.path + suffix, offset=-offset * unit, gearing=-gearing * unit / other
        )
    return None


def _leader(
    context: ParseContext,
    view: PrimView,
    attribute: str,
    path: str,
    leaders: dict[str, JointRecord],
) -> JointRecord | None:
    leader = leaders.get(path)
    if path == view.path:
        view.invalid(attribute, path, "another joint; this one would follow itself")
        return None
    if leader is None:
        context.report.repaired(
            "dangling-joint", view.path,
            f"follows {path}, which is no joint that is simulated; it moves on its own",
            attribute=attribute, value=path,
        )  # fmt: skip
    return leader


def _unit(context: ParseContext, joint: JointRecord, axis: str = "") -> float:
    """SI value of one unit of the joint's position on the stage."""
    if joint.kind == "prismatic" or (joint.kind == "d6" and axis.startswith("trans")):
        return context.units.length
    return DEGREE
