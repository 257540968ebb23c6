"""Degrees of freedom of joints: direction, limits, drive, and what dialects add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.units import UNLIMITED
from usdsim.math.transforms import Pose
from usdsim.parser.context import ParseContext
from usdsim.parser.description import (
    BallDriveDescription,
    ConeDescription,
    DofDescription,
    DofKind,
    DriveDescription,
)
from usdsim.parser.quantities import Statement, rounds_to
from usdsim.parser.units import DEGREE

from .authored import D6_AXES, JointRecord
from .cones import cone_angles, joint_cone
from .drives import parse_drive, parse_envelope

__all__ = ["Axis", "joint_axes", "make_dofs"]

_UNIT = {
    "X": np.array([1.0, 0.0, 0.0]),
    "Y": np.array([0.0, 1.0, 0.0]),
    "Z": np.array([0.0, 0.0, 1.0]),
}
_EXACT = {
    "armature": ("mjc:armature", "armature"),
    "friction": ("mjc:frictionloss", "frictionloss"),
    "damping": ("mjc:damping", "damping[0]"),
}
"""Attributes of quantities in the MuJoCo dialect, and fields of its spec."""
_COEFFICIENT = "physxJoint:jointFriction"
_ROUNDING = 5e-7
"""Error of an axis from a quaternion in single precision."""


@dataclass(slots=True, eq=False)
class Axis:
    """An axis in the joint frame, with its limits in SI."""

    kind: DofKind
    token: str
    """X, Y or Z."""
    lower: float = -np.inf
    upper: float = np.inf
    instance: str = ""
    """Name of its drive, limit and state schemas."""
    suffix: str = ""
    """Suffix of its path behind the joint's, ``:rotX``."""

    @property
    def locked(self) -> bool:
        """Whether it cannot move: USD says so with crossed limits."""
        if self.kind not in ("hinge", "slide"):
            return False
        return self.crossed or self.lower == self.upper == 0.0

    @property
    def crossed(self) -> bool:
        """Whether no position is within the limits."""
        return self.lower > self.upper or self.lower == np.inf or self.upper == -np.inf


def joint_axes(context: ParseContext, joint: JointRecord) -> list[Axis]:
    """All axes of a joint, from the side of body 0 to that of body 1; locked ones included."""
    view = joint.view
    if joint.kind in ("revolute", "prismatic"):
        angular = joint.kind == "revolute"
        lower, upper = _limits(context, joint, "physics:lowerLimit", "physics:upperLimit", angular)
        kind: DofKind = "hinge" if angular else "slide"
        return [Axis(kind, _token(joint), lower, upper, "angular" if angular else "linear")]
    if joint.kind == "spherical":
        return [Axis("ball", "X")]
    if joint.kind == "free":
        return [Axis("free", "X")]
    if joint.kind != "d6":
        return []
    axes = []
    for name in D6_AXES:
        angular = name.startswith("rot")
        prefix = f"limit:{name}:physics:"
        lower, upper = _limits(context, joint, prefix + "low", prefix + "high", angular)
        axes.append(Axis("hinge" if angular else "slide", name[-1], lower, upper, name, f":{name}"))
    turning = axes[3:]
    plain = all(np.isinf(a.lower) and np.isinf(a.upper) for a in turning)
    driven = sum(f"PhysicsDriveAPI:{a.instance}" in view.apis for a in turning)
    # Hinges one after the other lock at a quarter turn of the second; drives of single axes need
    # them, because a ball has no angles of its own.
    if plain and driven in (0, 3):
        axes[3:] = [Axis("ball", "X", 0.0, np.inf, "rot", ":rot")]
    return axes


def make_dofs(
    context: ParseContext,
    joint: JointRecord,
    exact: Mapping[str, Any],
    *,
    reverse: bool,
) -> tuple[DofDescription, ...]:
    """Degrees of freedom in the child's frame.

    Where body 0 is the child, axes turn around, so that each coordinate keeps its sign, and their
    order does too.

    Args:
        context: of the stage.
        joint: the joint.
        exact: values of the MuJoCo dialect by field of its spec.
        reverse: whether body 0 is the child.
    """
    axes = joint_axes(context, joint)
    _report_crossed(context, joint, axes)
    _report_locked_drives(context, joint, axes)
    axes = [axis for axis in axes if not axis.locked]
    if reverse:
        axes.reverse()
    return tuple(_dof(context, joint, axis, exact, reverse) for axis in axes)


def _report_crossed(context: ParseContext, joint: JointRecord, axes: list[Axis]) -> None:
    """Report axes that cannot move; on joints of six axes, crossed limits are how to say so."""
    for axis in axes:
        if axis.crossed and axis.locked and joint.kind != "d6":
            unit = DEGREE if axis.kind == "hinge" else context.units.length
            lower, upper = axis.lower / unit, axis.upper / unit
            context.report.warning(
                "locked-axis", joint.view.path,
                f"is {lower:g} and the upper limit {upper:g}, with nothing between: the joint's "
                "axis is locked; make it a PhysicsFixedJoint if that is meant",
                attribute="physics:lowerLimit", value=lower,
            )  # fmt: skip


def _report_locked_drives(context: ParseContext, joint: JointRecord, axes: list[Axis]) -> None:
    """Report drives of axes that cannot move."""
    view = joint.view
    for axis in axes:
        if axis.locked and view.has_api(f"PhysicsDriveAPI:{axis.instance}"):
            view.read.update(n for n in view.names if n.startswith(f"drive:{axis.instance}:"))
            context.report.warning(
                "locked-drive", view.path,
                f"has PhysicsDriveAPI:{axis.instance}, but that axis is locked; the drive moves "
                "nothing. Open the limits of the axis, or remove the drive",
            )  # fmt: skip


def _matrix(frame: Pose) -> NDArray[np.float64]:
    x, y, z, w = frame.quat.tolist()
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _dof(
    context: ParseContext,
    joint: JointRecord,
    axis: Axis,
    exact: Mapping[str, Any],
    reverse: bool,
) -> DofDescription:
    view, angular = joint.view, axis.kind in ("hinge", "ball")
    frame = joint.frame0 if reverse else joint.frame1
    # Its columns are the joint's axes in the child's frame.
    turned = -_matrix(frame) if reverse else _matrix(frame)

    def read(quantity: str) -> Any:
        return context.quantities.read(view, "joint", quantity, axis=axis.instance, angular=angular)

    rest = dict(exact)
    reference = float(rest.pop("ref", 0.0))
    lower, cone = 0.0, None
    if axis.kind == "ball":
        cone, upper = _ball_range(context, joint, rest, reverse)
    else:
        lower, upper = _range(context, joint, axis, reference, rest)
    direction, anchor = _place(context, joint, axis, turned @ _UNIT[axis.token], frame.pos)
    stiffness, damping = _limit_compliance(context, joint, axis, rest)
    friction = _friction(context, joint, axis, angular)
    return DofDescription(
        path=view.path + axis.suffix,
        kind=axis.kind,
        axis=direction,
        anchor=anchor,
        reference=reference,
        lower=lower,
        upper=upper,
        cone=cone,
        position=read("position") or 0.0,
        velocity=read("velocity") or 0.0,
        drive=_drive(context, joint, axis, angular),
        ball_drives=_ball_drives(context, joint, turned) if axis.kind == "ball" else (),
        armature=_positive(context, joint, "armature", read("armature"), rest),
        friction=_positive(context, joint, "friction", friction, rest),
        damping=_positive(context, joint, "damping", read("damping"), rest),
        velocity_limit=_velocity_limit(context, joint, read("velocity_limit")),
        limit_stiffness=stiffness,
        limit_damping=damping,
        overrides=rest,
    )


def _friction(context: ParseContext, joint: JointRecord, axis: Axis, angular: bool) -> float | None:
    """Dry friction, also where it is spelled as the coefficient that PhysX had once."""
    view = joint.view
    stated = context.quantities.stated(
        view, "joint", "friction", axis=axis.instance, angular=angular
    )
    chosen = context.quantities.choose(view, "friction", stated)
    if chosen is not None and chosen.name == _COEFFICIENT and chosen.value:
        context.report.warning(
            "approximated", view.path,
            f"is taken as dry friction of {chosen.value:g} {'N m' if angular else 'N'}, as "
            "importers of robots write it; in PhysX before 5.6 it multiplied the force that the "
            "joint transmits, and has no effect since. Author newton:friction",
            attribute=_COEFFICIENT, value=chosen.value,
        )  # fmt: skip
    return None if chosen is None else chosen.value


def _velocity_limit(context: ParseContext, joint: JointRecord, speed: float | None) -> float:
    if speed == 0.0:
        context.report.repaired(
            "zero-velocity-limit", joint.view.path,
            "has a velocity limit of 0: taken as none; a joint that must not move is a fixed one",
        )  # fmt: skip
    return np.inf if speed is None or speed >= UNLIMITED or speed <= 0.0 else speed


def _drive(
    context: ParseContext, joint: JointRecord, axis: Axis, angular: bool
) -> DriveDescription | None:
    """The drive of a hinge or slide: that of a controller, else the joint's own."""
    drive = None
    if axis.instance and axis.kind != "ball":
        drive = parse_drive(context, joint.view, axis.instance, angular=angular)
        if drive is not None:
            envelope = parse_envelope(context, joint.view, axis.instance, angular=angular)
            drive = replace(drive, envelope=envelope)
    if joint.controller is None:
        return drive
    # Newton counts targets of its actuators like those of drives, which may state them.
    rest = drive or joint.controller
    return replace(
        joint.controller,
        target_position=rest.target_position,
        target_velocity=rest.target_velocity,
        envelope=rest.envelope,
    )


def _range(
    context: ParseContext,
    joint: JointRecord,
    axis: Axis,
    reference: float,
    rest: dict[str, Any],
) -> tuple[float, float]:
    """Limits in the joint's own coordinate, in which the rest pose is the reference.

    USD counts from the rest pose. MuJoCo's own tools write the range there as it is, counted like
    ``mjc:ref``, and so does who reads it; conversions of ours keep a record of the range. The range
    of an axis without limits stays among the values that only MuJoCo has.
    """
    view = joint.view
    ends, limited = view.vector("mjc:range", size=2), view.flag("mjc:limited", True)
    if joint.kind not in ("revolute", "prismatic"):
        if ends is not None:  # of no effect, but part of MuJoCo's model
            rest |= {"range": ends, "limited": int(limited)}
        return axis.lower, axis.upper
    from_rest = ends is not None or "range" in view.converted
    zero = reference if from_rest else 0.0
    within = (axis.lower + zero, axis.upper + zero)
    stated = [Statement("physics", "physics:lowerLimit", within)]
    stated += _mjc_limits(ends, limited, -np.inf)

    def same(statement: Statement, exact: Any) -> bool:
        # What was rounded is counted from the rest pose.
        counted = np.asarray(statement.value) - reference
        return rounds_to(counted, exact - reference, statement.precise)

    lower, upper = (float(end) for end in context.quantities.settle(view, "range", stated, same))
    if ends is not None and not np.isfinite((lower, upper)).all():
        rest["range"] = ends
    return lower, upper


def _mjc_limits(ends: NDArray[np.float64] | None, limited: bool, lowest: float) -> list[Statement]:
    """Limits in MuJoCo's attributes; where it has none, a range begins at the lowest value."""
    if not limited:
        return [Statement("mjc", "mjc:limited", (lowest, np.inf), precise=True)]
    if ends is None or not ends[0] < ends[1]:
        return []
    return [Statement("mjc", "mjc:range", tuple(ends.tolist()), precise=True)]


def _ball_range(
    context: ParseContext,
    joint: JointRecord,
    rest: dict[str, Any],
    reverse: bool,
) -> tuple[ConeDescription | None, float]:
    """The cone of a ball's axis, or the limit of its whole rotation [rad], which MuJoCo has."""
    view = joint.view
    ends, limited = view.vector("mjc:range", size=2), view.flag("mjc:limited", True)
    if joint.kind != "spherical":
        if ends is not None:
            rest |= {"range": ends, "limited": int(limited)}
        return None, np.inf
    angles, token = cone_angles(joint), _token(joint)
    # MuJoCo's range begins at zero; so do angles that are alike, as the converter writes them.
    within = (0.0, angles[0]) if angles[0] == angles[1] else angles
    stated = [Statement("physics", "physics:coneAngle0Limit", within)]
    stated += _mjc_limits(ends, limited, 0.0)
    chosen = context.quantities.choose(view, "range", stated)
    own = chosen is not None and (chosen.dialect == "mjc" or chosen.converted)
    upper = float(chosen.value[1]) if own and chosen is not None else np.inf
    if ends is not None and not np.isfinite(upper):
        rest["range"] = ends
    return None if own else joint_cone(context, joint, token, reverse), upper


def _place(
    context: ParseContext,
    joint: JointRecord,
    axis: Axis,
    direction: NDArray[np.float64],
    anchor: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Axis and anchor in the child's frame."""
    view = joint.view
    if joint.kind not in ("revolute", "prismatic", "spherical"):
        return direction, anchor
    anchors = [Statement("physics", "physics:localPos1", anchor)]
    pos = view.vector("mjc:pos")
    if pos is not None:
        anchors.append(Statement("mjc", "mjc:pos", pos, precise=True))
    anchor = np.asarray(context.quantities.settle(view, "anchor", anchors))
    axes = [Statement("physics", "physics:localRot1", direction)]
    exact = view.vector("mjc:axis") if axis.kind != "ball" else None
    if exact is not None and exact.any():
        unit = exact / np.linalg.norm(exact)
        axes.append(Statement("mjc", "mjc:axis", unit, precise=True))
    return np.asarray(context.quantities.settle(view, "axis", axes, _same_axis)), anchor


def _same_axis(statement: Statement, exact: Any) -> bool:
    return bool(np.abs(statement.value - exact).max() <= _ROUNDING)


def _limit_compliance(
    context: ParseContext,
    joint: JointRecord,
    axis: Axis,
    rest: dict[str, Any],
) -> tuple[float | None, float | None]:
    """Stiffness and damping of the limits, unless MuJoCo's own parameters of them go first."""
    angular = axis.kind in ("hinge", "ball")

    def read(quantity: str) -> list[Statement]:
        stated = context.quantities.stated(
            joint.view, "joint", quantity, axis=axis.instance, angular=angular
        )
        # Negative infinity and zero are the dialects' spellings for what nobody has stated.
        return [statement for statement in stated if statement.value > 0.0]

    springs, dampers = read("limit_stiffness"), read("limit_damping")
    for damper in dampers if not springs else ():
        context.report.unsupported(
            joint.view.path, damper.name, damper.value,
            "is authored, but damps nothing: limits without a stiffness are hard; author that too",
        )  # fmt: skip
    rivals = []
    if "solref_limit" in rest:
        rivals.append(Statement("mjc", "mjc:solreflimit", rest["solref_limit"], precise=True))
    chosen = context.quantities.choose(joint.view, "solref_limit", (*springs, *rivals))
    if not springs or chosen is None or chosen.dialect == "mjc":
        return None, None
    for name in ("solref_limit", "solimp_limit"):
        rest.pop(name, None)
    if chosen.value == np.inf:
        return None, None
    return chosen.value, context.quantities.settle(joint.view, "limit_damping", dampers)


def _ball_drives(
    context: ParseContext, joint: JointRecord, turned: NDArray[np.float64]
) -> tuple[BallDriveDescription, ...]:
    found = []
    for token, column in zip("XYZ", turned.T, strict=True):
        name = f"rot{token}"
        drive = parse_drive(context, joint.view, name, angular=True)
        if drive is not None:
            path = f"{joint.view.path}:{name}"
            found.append(BallDriveDescription(path=path, axis=column, drive=drive))
    return tuple(found)


def _positive(
    context: ParseContext, joint: JointRecord, what: str, value: float | None, rest: dict[str, Any]
) -> float:
    """A quantity of which there is no less than none, unless MuJoCo's own value says so.

    That one stays among the values that only MuJoCo has.
    """
    if value is None or value >= 0.0:
        return float(value or 0.0)
    name, field = _EXACT[what]
    if name in joint.view.names:
        context.report.warning(
            "unusual-value", joint.view.path,
            f"is {value:g}, less than none; MuJoCo simulates that as it stands. Author 0 or more",
            attribute=name, value=value,
        )  # fmt: skip
        rest[field] = value
    else:
        joint.view.invalid(what, value, "zero or a positive number")
    return 0.0


def _token(joint: JointRecord) -> str:
    token = joint.view.value("physics:axis", "X")
    if token not in _UNIT:
        joint.view.invalid("physics:axis", token, "X, Y or Z", code="unknown-token")
        return "X"
    return str(token)


def _limits(
    context: ParseContext, joint: JointRecord, low: str, high: str, angular: bool
) -> tuple[float, float]:
    """Limits [m or rad]; the largest single-precision numbers count as none."""
    unit = DEGREE if angular else context.units.length
    lower, upper = joint.view.number(low, -np.inf), joint.view.number(high, np.inf)
    return (
        -np.inf if lower <= -UNLIMITED else lower * unit,
        np.inf if upper >= UNLIMITED else upper * unit,
    )
