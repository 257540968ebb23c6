"""Joint velocities from the authored velocities of jointed bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import cross, quat_apply, quat_from_axis_angle
from usdsim.math.transforms import Pose
from usdsim.parser.context import ParseContext
from usdsim.parser.description import BodyDescription, DofDescription, JointDescription

__all__ = ["with_joint_velocities"]

Array = NDArray[np.float64]
_TOLERANCE = 1e-3
"""Part of a velocity that may be left over in silence: single precision on the stage."""


@dataclass(frozen=True)
class _BodyMotion:
    """Velocities in world: of the body's origin [m/s], and angular [rad/s]."""

    linear: Array
    angular: Array

    def at(self, offset: Array) -> Array:
        """Velocity of the point at an offset from the origin, in world [m/s]."""
        moved: Array = self.linear + cross(self.angular, offset)
        return moved


def with_joint_velocities(
    context: ParseContext, bodies: Sequence[BodyDescription], joints: Sequence[JointDescription]
) -> list[JointDescription]:
    """Let joints move as their bodies are authored to, parents before children.

    A body's velocity relative to the body it hangs on is projected on the axes of its joints:
    turning axes take the angular velocity, or where there is none the linear one of the body's
    origin; sliding axes take what turning leaves of the linear one. A body without velocities of
    its own is carried along. Axes with a state of their own keep it. What no axis can take is a
    finding.

    Returns:
        The joints, with the velocities of their axes.
    """
    moved = list(joints)
    if not _anything_moves(bodies, joints):
        return moved
    motions: list[_BodyMotion] = []
    still = _BodyMotion(np.zeros(3), np.zeros(3))
    for body in bodies:
        parent, base = still, Pose()
        if body.parent >= 0:
            parent, base = motions[body.parent], bodies[body.parent].initial_pose_w
        own = _BodyMotion(body.linear_velocity, body.angular_velocity)
        dofs = [dof for j in body.joints for dof in moved[j].dofs if dof.lower != dof.upper]
        jointed = bool(body.joints) and all(
            moved[j].kind != "distance" or moved[j].dofs for j in body.joints
        )
        if body.kinematic:
            motions.append(still)
        elif not (jointed or body.fixed) or any(dof.kind == "free" for dof in dofs):
            motions.append(own)
        elif any(dof.kind == "ball" for dof in dofs):
            # The engine takes a ball's motion from its body.
            motions.append(_on_ball(dofs, body, _carried(parent, base, body), own))
            _report_rest(context, body, own, motions[-1])
        else:
            rates, motion = _projected(dofs, body, _carried(parent, base, body), own)
            for j in body.joints:
                moved[j] = _with_rates(moved[j], rates)
            motions.append(motion)
            _report_rest(context, body, own, motion)
    return moved


def _anything_moves(bodies: Sequence[BodyDescription], joints: Sequence[JointDescription]) -> bool:
    """Whether a body or an axis has a velocity, as few stages say."""
    if any(dof.velocity for joint in joints for dof in joint.dofs):
        return True
    return any(body.linear_velocity.any() or body.angular_velocity.any() for body in bodies)


def _carried(parent: _BodyMotion, base: Pose, body: BodyDescription) -> _BodyMotion:
    """Motion of a body carried by the one it hangs on while its joints stand still."""
    return _BodyMotion(parent.at(body.initial_pose_w.pos - base.pos), parent.angular)


def _columns(dofs: Sequence[DofDescription], body: BodyDescription) -> dict[str, Array]:
    """Motion in world per unit of each axis' velocity, linear then angular, shape (6,)."""
    columns = {}
    # What axes nearer to the body have done since the rest pose turns those before them.
    undo = Pose()
    for dof in reversed(dofs):
        axis = quat_apply(undo.quat, dof.axis)
        anchor = undo.apply(dof.anchor)
        world = quat_apply(body.initial_pose_w.quat, axis)
        if dof.kind == "hinge":
            lever = quat_apply(body.initial_pose_w.quat, -anchor)
            columns[dof.path] = np.concatenate([cross(world, lever), world])
            turn = quat_from_axis_angle(dof.axis, dof.position)
            step = Pose(dof.anchor - quat_apply(turn, dof.anchor), turn)
        else:
            columns[dof.path] = np.concatenate([world, np.zeros(3)])
            step = Pose(dof.position * dof.axis)
        undo = undo @ step.inverse()
    return columns


def _projected(
    dofs: Sequence[DofDescription], body: BodyDescription, carried: _BodyMotion, own: _BodyMotion
) -> tuple[dict[str, float], _BodyMotion]:
    """Velocities of axes by path, and the motion of the body that they amount to."""
    columns = _columns(dofs, body)
    rates = {dof.path: dof.velocity for dof in dofs if dof.velocity}
    total = np.concatenate([carried.linear, carried.angular])
    total = total + sum((rates[path] * columns[path] for path in rates), np.zeros(6))
    free = [dof for dof in dofs if dof.path not in rates]
    wanted = np.concatenate([own.linear, own.angular])
    groups: list[tuple[list[DofDescription], slice]] = []
    turning = [dof for dof in free if dof.kind == "hinge"]
    if own.angular.any():
        sliding = [dof for dof in free if dof.kind == "slide"]
        groups.append((turning, slice(3, 6)))
        if own.linear.any():
            groups.append((sliding, slice(0, 3)))
    elif own.linear.any():
        groups.append((free, slice(0, 3)))
    for group, rows in groups:
        if not group:
            continue
        matrix = np.stack([columns[dof.path] for dof in group], axis=1)
        found = np.linalg.lstsq(matrix[rows], (wanted - total)[rows], rcond=None)[0]
        total = total + matrix @ found
        rates.update(zip((dof.path for dof in group), found.tolist(), strict=True))
    return rates, _BodyMotion(total[:3], total[3:])


def _on_ball(
    dofs: Sequence[DofDescription], body: BodyDescription, carried: _BodyMotion, own: _BodyMotion
) -> _BodyMotion:
    angular = own.angular if own.angular.any() else carried.angular
    anchor = quat_apply(body.initial_pose_w.quat, dofs[0].anchor)
    return _BodyMotion(carried.at(anchor) - cross(angular, anchor), angular)


def _with_rates(joint: JointDescription, rates: dict[str, float]) -> JointDescription:
    if all(dof.velocity == rates.get(dof.path, dof.velocity) for dof in joint.dofs):
        return joint
    dofs = tuple(replace(dof, velocity=rates.get(dof.path, dof.velocity)) for dof in joint.dofs)
    return replace(joint, dofs=dofs)


def _report_rest(
    context: ParseContext, body: BodyDescription, own: _BodyMotion, actual: _BodyMotion
) -> None:
    """Note what of a body's authored velocity its joints cannot do."""
    for name, authored, found, unit in (
        ("physics:velocity", own.linear, actual.linear, "m/s"),
        ("physics:angularVelocity", own.angular, actual.angular, "rad/s"),
    ):
        rest = authored - found
        size = float(np.linalg.norm(authored))
        if not size or np.linalg.norm(rest) <= _TOLERANCE * size + 1e-9:
            continue
        context.report.unsupported(
            body.path, name, np.round(authored, 6).tolist(),
            f"is {size:.4g} {unit}, of which the body's joints cannot do "
            f"{np.linalg.norm(rest):.4g} {unit}; the rest became velocities of the joints",
        )  # fmt: skip
