"""The moving axes of joints: direction, limits, drive, and what dialects add."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.math.transforms import Pose
from usdsim.parser.context import Context
from usdsim.parser.description import BallDriveDescription, DofDescription, DofKind
from usdsim.parser.quantities import Quantities
from usdsim.parser.units import DEGREE

from .authored import D6_AXES, JointRecord
from .drives import parse_drive

__all__ = ["Axis", "joint_axes", "make_dofs"]

_UNIT = {
    "X": np.array([1.0, 0.0, 0.0]),
    "Y": np.array([0.0, 1.0, 0.0]),
    "Z": np.array([0.0, 0.0, 1.0]),
}
_UNLIMITED = 3.4e38
_EXACT = {"armature": "armature", "friction": "frictionloss", "damping": "damping"}
"""Names of quantities in the MuJoCo dialect."""


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
    """What its path has behind the joint's, ``:rotX``."""

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


def joint_axes(context: Context, joint: JointRecord) -> list[Axis]:
    """All axes of a joint, from the side of body 0 to that of body 1; locked ones included."""
    view = joint.view
    if joint.kind in ("revolute", "prismatic"):
        angular = joint.kind == "revolute"
        lower, upper = _limits(context, joint, "physics:lowerLimit", "physics:upperLimit", angular)
        kind: DofKind = "hinge" if angular else "slide"
        return [Axis(kind, _token(joint), lower, upper, "angular" if angular else "linear")]
    if joint.kind == "spherical":
        _token(joint)
        return [Axis("ball", "X", 0.0, _cone(context, joint))]
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
    context: Context,
    quantities: Quantities,
    joint: JointRecord,
    *,
    reverse: bool,
) -> tuple[DofDescription, ...]:
    """Degrees of freedom in the child's frame.

    Where body 0 is the child, axes turn around, so that each coordinate keeps its sign, and their
    order does too.
    """
    frame = joint.frame0 if reverse else joint.frame1
    axes = joint_axes(context, joint)
    _report_crossed(context, joint, axes)
    _report_locked_drives(context, joint, axes)
    axes = [axis for axis in axes if not axis.locked]
    if reverse:
        axes.reverse()
    turned = -_matrix(frame) if reverse else _matrix(frame)
    return tuple(_dof(context, quantities, joint, axis, turned, frame) for axis in axes)


def _report_crossed(context: Context, joint: JointRecord, axes: list[Axis]) -> None:
    """Note axes that cannot move; on joints of six axes, crossed limits are how to say so."""
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


def _report_locked_drives(context: Context, joint: JointRecord, axes: list[Axis]) -> None:
    """Note drives of axes that cannot move."""
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
    context: Context,
    quantities: Quantities,
    joint: JointRecord,
    axis: Axis,
    turned: NDArray[np.float64],
    frame: Pose,
) -> DofDescription:
    """A degree of freedom; the columns of `turned` are the joint's axes in the child's frame."""
    view, angular = joint.view, axis.kind in ("hinge", "ball")

    def read(quantity: str) -> Any:
        return quantities.read(view, "joint", quantity, axis=axis.instance, angular=angular)

    drive, ball = None, axis.kind == "ball"
    if axis.instance and not ball:
        drive = parse_drive(context, view, axis.instance, angular=angular)
    controller = joint.controller
    if controller is not None:
        # Newton counts targets of its actuators like those of drives, which may state them.
        rest = drive or controller
        drive = replace(
            controller, target_position=rest.target_position, target_velocity=rest.target_velocity
        )
    stiffness, damping = read("limit_stiffness"), read("limit_damping")
    return DofDescription(
        path=view.path + axis.suffix,
        kind=axis.kind,
        axis=turned @ _UNIT[axis.token],
        anchor=frame.pos,
        lower=axis.lower,
        upper=axis.upper,
        position=read("position") or 0.0,
        velocity=read("velocity") or 0.0,
        drive=drive,
        ball_drives=_ball_drives(context, joint, turned) if ball else (),
        armature=_positive(context, joint, "armature", read("armature")),
        friction=_positive(context, joint, "friction", read("friction")),
        damping=_positive(context, joint, "damping", read("damping")),
        velocity_limit=_velocity_limit(context, joint, read("velocity_limit")),
        # Negative infinity and zero are the dialects' spellings for a hard limit.
        limit_stiffness=stiffness if stiffness is not None and stiffness > 0.0 else None,
        limit_damping=damping if damping is not None and damping > 0.0 else None,
    )


def _velocity_limit(context: Context, joint: JointRecord, speed: float | None) -> float:
    if speed == 0.0:
        context.report.repaired(
            "zero-velocity-limit", joint.view.path,
            "has a velocity limit of 0: taken as none; a joint that must not move is a fixed one",
        )  # fmt: skip
    return np.inf if speed is None or speed >= _UNLIMITED or speed <= 0.0 else speed


def _ball_drives(
    context: Context, joint: JointRecord, turned: NDArray[np.float64]
) -> tuple[BallDriveDescription, ...]:
    found = []
    for token, column in zip("XYZ", turned.T, strict=True):
        name = f"rot{token}"
        drive = parse_drive(context, joint.view, name, angular=True)
        if drive is not None:
            path = f"{joint.view.path}:{name}"
            found.append(BallDriveDescription(path=path, axis=column, drive=drive))
    return tuple(found)


def _positive(context: Context, joint: JointRecord, what: str, value: float | None) -> float:
    """A quantity of which there is no less than none, unless MuJoCo's own value says so."""
    if value is None or value >= 0.0:
        return value or 0.0
    exact = f"mjc:{_EXACT[what]}"
    if exact in joint.view.names:
        context.report.warning(
            "unusual-value", joint.view.path,
            f"is {value:g}, less than none; MuJoCo simulates that as it stands",
            attribute=exact, value=value,
        )  # fmt: skip
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
    context: Context, joint: JointRecord, low: str, high: str, angular: bool
) -> tuple[float, float]:
    """Limits [m or rad]; the largest single-precision numbers count as none."""
    unit = DEGREE if angular else context.units.length
    lower, upper = joint.view.number(low, -np.inf), joint.view.number(high, np.inf)
    return (
        -np.inf if lower <= -_UNLIMITED else lower * unit,
        np.inf if upper >= _UNLIMITED else upper * unit,
    )


def _cone(context: Context, joint: JointRecord) -> float:
    """Largest rotation angle of a ball [rad]; negative angles on the stage mean none."""
    names = ("physics:coneAngle0Limit", "physics:coneAngle1Limit")
    angles = [joint.view.number(name, -1.0) for name in names]
    if min(angles) < 0.0 or not np.isfinite(angles).all():
        if max(angles) >= 0.0 and np.isfinite(angles).any():
            context.report.warning(
                "approximated", joint.view.path,
                "limits one of two cone angles; the joint is left without limit",
            )  # fmt: skip
        return np.inf
    if angles[0] != angles[1]:
        context.report.warning(
            "approximated", joint.view.path,
            f"has cone angles {angles[0]:g} and {angles[1]:g}; the larger limits all directions",
        )  # fmt: skip
    return max(angles) * DEGREE
