"""Joint velocities from the authored velocities of jointed bodies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import cross, quat_apply, quat_from_axis_angle
from usdsim.math.transforms import Pose
from usdsim.parser.bodies.rigid_bodies import MOTION
from usdsim.parser.context import ParseContext
from usdsim.parser.description import BodyDescription, DofDescription, JointDescription

__all__ = ["with_joint_velocities"]

Array = NDArray[np.float64]
_TOLERANCE = 1e-3
"""Part of a velocity that may be left over in silence."""
_SINGLE = 1e-6
"""Part of all numbers of a motion that may be: single precision on the stage."""
_ROUNDING = 1e-9
_LINEAR, _ANGULAR = slice(0, 3), slice(3, 6)


@dataclass(frozen=True)
class _BodyMotion:
    """Velocities in world: of the body's centre of mass [m/s], and angular [rad/s]."""

    linear: Array
    angular: Array

    def at(self, offset: Array) -> Array:
        """Velocity of the point at an offset from the centre of mass, in world [m/s]."""
        moved: Array = self.linear + cross(self.angular, offset)
        return moved

    @property
    def numbers(self) -> Array:
        """Both, linear first, shape (6,)."""
        return np.concatenate([self.linear, self.angular])


@dataclass(frozen=True)
class _Statement:
    """Statement of the stage about a body's motion."""

    motion: _BodyMotion
    parts: tuple[bool, bool]
    """Whether it says the linear and the angular velocity, be they zero."""

    @classmethod
    def of(cls, context: ParseContext, body: BodyDescription) -> _Statement:
        """Statement about a body; velocities of a point instancer that are zero say nothing."""
        view = context.by_path.get(body.path)
        names = view.names if view else frozenset()
        around = cross(body.angular_velocity, _to_com(body))
        linear = body.linear_velocity + around
        if np.linalg.norm(linear) <= _ROUNDING * np.linalg.norm(around):
            linear = np.zeros(3)
        first, second = (
            name in names or bool(part.any())
            for name, part in zip(MOTION, (linear, body.angular_velocity), strict=True)
        )
        return cls(_BodyMotion(linear, body.angular_velocity), (first, second))

    def is_done_by(self, motion: _BodyMotion) -> bool:
        """Whether a motion is all that is stated."""
        return not any(
            stated and _leaves(self.motion, motion, rows)
            for stated, rows in zip(self.parts, (_LINEAR, _ANGULAR), strict=True)
        )


def _leaves(wanted: _BodyMotion, actual: _BodyMotion, rows: slice) -> bool:
    """Whether rows of a motion are more than what is left over in silence."""
    norm = np.linalg.norm
    first, second = wanted.numbers, actual.numbers
    allowed = _TOLERANCE * (norm(first[rows]) + norm(second[rows]))
    allowed += _SINGLE * (norm(first) + norm(second)) + _ROUNDING
    return bool(norm(first[rows] - second[rows]) > allowed)


def with_joint_velocities(
    context: ParseContext, bodies: Sequence[BodyDescription], joints: Sequence[JointDescription]
) -> tuple[tuple[BodyDescription, ...], list[JointDescription]]:
    """Joints with the velocities that are authored on their bodies, parents before children.

    A body's velocity relative to the body it hangs on is projected on the axes of its joints.
    Where these can do all that the stage says, be it to stand still, they do. Otherwise a velocity
    of zero counts as none: turning axes take the angular velocity, or where there is none the
    linear one of the centre of mass; sliding axes take what turning leaves of the linear one, and
    a body without velocities of its own is carried along. Axes with a state of their own keep it.
    What no axis can take is a finding.

    Returns:
        The bodies, with the motion that their joints let them have; the joints, with the
        velocities of their axes.
    """
    moved = list(joints)
    if not _anything_moves(bodies, joints):
        return tuple(bodies), moved
    found: list[BodyDescription] = []
    motions: list[_BodyMotion] = []
    still = _BodyMotion(np.zeros(3), np.zeros(3))
    for body in bodies:
        dofs = [dof for j in body.joints for dof in moved[j].dofs if dof.lower != dof.upper]
        stated = _Statement.of(context, body)
        if body.kinematic:
            motions.append(still)
        elif _is_loose(body, moved) or any(dof.kind == "free" for dof in dofs):
            motions.append(stated.motion)
        else:
            carried = still
            if body.parent >= 0:
                carried = _carried(motions[body.parent], bodies[body.parent], body)
            if any(dof.kind == "ball" for dof in dofs):
                # The engine takes a ball's motion from its body.
                motions.append(_on_ball(dofs, body, carried, stated))
            else:
                rates, motion = _projected(dofs, body, carried, stated)
                motions.append(motion)
                for j in body.joints:
                    moved[j] = _with_rates(moved[j], rates)
            _report_rest(context, body, stated.motion, motions[-1])
        found.append(_with_motion(body, stated.motion, motions[-1]))
    return tuple(found), moved


def _is_loose(body: BodyDescription, joints: Sequence[JointDescription]) -> bool:
    """Whether no joint carries a body; distances without axes only keep two of them together."""
    carried = bool(body.joints) and all(
        joints[j].kind != "distance" or joints[j].dofs for j in body.joints
    )
    return not (carried or body.fixed)


def _anything_moves(bodies: Sequence[BodyDescription], joints: Sequence[JointDescription]) -> bool:
    """Whether a body or an axis has a velocity, as few stages say."""
    if any(dof.velocity for joint in joints for dof in joint.dofs):
        return True
    return any(body.linear_velocity.any() or body.angular_velocity.any() for body in bodies)


def _to_com(body: BodyDescription) -> Array:
    """Offset of a body's centre of mass from its origin, in world [m]."""
    offset: Array = quat_apply(body.initial_pose_w.quat, body.com)
    return offset


def _carried(motion: _BodyMotion, parent: BodyDescription, body: BodyDescription) -> _BodyMotion:
    """Motion of a body carried by the one it hangs on while its joints stand still."""
    to = body.initial_pose_w.pos + _to_com(body)
    offset = to - parent.initial_pose_w.pos - _to_com(parent)
    return _BodyMotion(motion.at(offset), motion.angular)


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
            lever = quat_apply(body.initial_pose_w.quat, body.com - anchor)
            columns[dof.path] = np.concatenate([cross(world, lever), world])
            turn = quat_from_axis_angle(dof.axis, dof.position)
            step = Pose(dof.anchor - quat_apply(turn, dof.anchor), turn)
        else:
            columns[dof.path] = np.concatenate([world, np.zeros(3)])
            step = Pose(dof.position * dof.axis)
        undo = undo @ step.inverse()
    return columns


def _projected(
    dofs: Sequence[DofDescription], body: BodyDescription, carried: _BodyMotion, stated: _Statement
) -> tuple[dict[str, float], _BodyMotion]:
    """Velocities of axes by path, and the motion of the body that they amount to."""
    columns = _columns(dofs, body)
    rates = {dof.path: dof.velocity for dof in dofs if dof.velocity}
    total = carried.numbers + sum((rates[path] * columns[path] for path in rates), np.zeros(6))
    free = [dof for dof in dofs if dof.path not in rates]
    for groups in _attempts(free, stated):
        found, amount = dict(rates), total
        for group, rows in groups:
            if not group:
                continue
            matrix = np.stack([columns[dof.path] for dof in group], axis=1)
            missing = (stated.motion.numbers - amount)[rows]
            speeds = np.linalg.lstsq(matrix[rows], missing, rcond=None)[0]
            amount = amount + matrix @ speeds
            found.update(zip((dof.path for dof in group), speeds.tolist(), strict=True))
        motion = _BodyMotion(amount[:3], amount[3:])
        if stated.is_done_by(motion):
            break
    return found, motion


def _attempts(
    free: list[DofDescription], stated: _Statement
) -> Iterator[list[tuple[list[DofDescription], slice | NDArray[np.intp]]]]:
    """Axes and the rows of a motion that they are to do, in turn: first as all of it is said."""
    yield [(free, np.flatnonzero(np.repeat(stated.parts, 3)))]
    turning = [dof for dof in free if dof.kind == "hinge"]
    sliding = [dof for dof in free if dof.kind == "slide"]
    slides = bool(stated.motion.linear.any())
    if stated.motion.angular.any():
        yield [(turning, _ANGULAR), *([(sliding, _LINEAR)] if slides else [])]
    else:
        yield [(free, _LINEAR)] if slides else []


def _on_ball(
    dofs: Sequence[DofDescription], body: BodyDescription, carried: _BodyMotion, stated: _Statement
) -> _BodyMotion:
    """Motion of a body about the anchor of its ball, which its parent carries."""
    lever = quat_apply(body.initial_pose_w.quat, body.com - dofs[0].anchor)
    anchor = carried.at(-lever)

    def turning(angular: Array) -> _BodyMotion:
        return _BodyMotion(anchor + cross(angular, lever), angular)

    own = turning(stated.motion.angular)
    if stated.motion.angular.any() or (stated.parts[1] and stated.is_done_by(own)):
        return own
    return turning(carried.angular)


def _with_motion(body: BodyDescription, own: _BodyMotion, actual: _BodyMotion) -> BodyDescription:
    if body.kinematic or not any(_leaves(own, actual, rows) for rows in (_LINEAR, _ANGULAR)):
        return body
    return replace(body, linear_velocity=actual.at(-_to_com(body)), angular_velocity=actual.angular)


def _with_rates(joint: JointDescription, rates: dict[str, float]) -> JointDescription:
    if all(dof.velocity == rates.get(dof.path, dof.velocity) for dof in joint.dofs):
        return joint
    dofs = tuple(replace(dof, velocity=rates.get(dof.path, dof.velocity)) for dof in joint.dofs)
    return replace(joint, dofs=dofs)


def _report_rest(
    context: ParseContext, body: BodyDescription, own: _BodyMotion, actual: _BodyMotion
) -> None:
    """Report the part of a body's authored velocity that its joints cannot do."""
    for name, rows, unit in zip(MOTION, (_LINEAR, _ANGULAR), ("m/s", "rad/s"), strict=True):
        authored, rest = own.numbers[rows], (own.numbers - actual.numbers)[rows]
        if not authored.any() or not _leaves(own, actual, rows):
            continue
        context.report.unsupported(
            body.path, name, np.round(authored, 6).tolist(),
            f"is {np.linalg.norm(authored):.4g} {unit}, of which the body's joints cannot do "
            f"{np.linalg.norm(rest):.4g} {unit}; the rest became velocities of the joints",
        )  # fmt: skip
