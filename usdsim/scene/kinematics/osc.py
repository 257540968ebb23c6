"""Operational space control: joint forces that pull an end effector to a pose.

Khatib, "A unified approach for motion and force control of robot manipulators", IEEE J. Robotics
and Automation 3 (1987): f = L (kp e - kd v), tau = J^T f + bias, with L = (J M^-1 J^T)^-1; what
joints are left over follow their own targets in the null space of J.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import number, truth
from usdsim.math.rotations import quat_from_axis_angle, quat_to_matrix
from usdsim.scene.arrays import FloatArray
from usdsim.scene.checks import finite_numbers

from .ik_chain import IkChain

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

__all__ = ["OscSolver"]

Floats = NDArray[np.float64]

_SINGULAR = 1e-6
"""Share of the largest singular value below which a direction counts as lost."""


class OscSolver:
    """A controller without memory: each call looks at the worlds as they are.

    Args:
        control_ori: also control the orientation.
        uncouple_pos_ori: control position and orientation as if each were alone.
        kp: stiffness [1/s^2], one number or one per axis, position first, shape (6,).
        damping_ratio: of the closed loop, 1 for critical damping.
        nullspace_kp: stiffness of the joints left over [1/s^2]; they are critically damped.
    """

    def __init__(
        self,
        control_ori: bool = True,
        uncouple_pos_ori: bool = True,
        kp: ArrayLike | None = None,
        damping_ratio: float = 1.0,
        nullspace_kp: float = 10.0,
    ):
        self._turns = truth("control_ori", control_ori)
        self._apart = truth("uncouple_pos_ori", uncouple_pos_ori)
        gains = finite_numbers(150.0 if kp is None else kp, (6,), (), "kp")
        self._kp = np.broadcast_to(gains, (6,)).astype(np.float64)
        ratio = number("damping_ratio", damping_ratio, above=False)
        self._kd = 2.0 * ratio * np.sqrt(np.maximum(self._kp, 0.0))
        self._null = number("nullspace_kp", nullspace_kp, above=False)

    def solve(
        self,
        chain: IkChain,
        ee_target_pos: ArrayLike,
        ee_target_ori: ArrayLike,
        nullspace_joint_pos: ArrayLike,
        data: SceneData,
    ) -> FloatArray:
        """Forces of the chain's joints, gravity compensated [N or N m], shape (*B, n).

        Args:
            chain: the chain.
            ee_target_pos: position of the end effector in world [m], shape (3,) or (*B, 3).
            ee_target_ori: its orientation as a rotation vector [rad], shape (3,) or (*B, 3).
            nullspace_joint_pos: what joints that are left over pull to, shape (n,) or (*B, n).
            data: the worlds.
        """
        count = chain.num_dof_vel
        place = data.finite(ee_target_pos, (3,), "ee_target_pos")
        turn = data.finite(ee_target_ori, (3,), "ee_target_ori")
        rest = data.finite(nullspace_joint_pos, (count,), "nullspace_joint_pos")
        jacobian, speed = _linear_first(chain, data)
        error = _errors(chain, data, place, turn)
        wanted = self._kp * error - self._kd * speed
        mass = chain.get_inertia_matrix(data).astype(np.float64)
        inverse = np.asarray(np.linalg.inv(mass), np.float64)
        size = 6 if self._turns else 3
        jacobian, wanted = jacobian[..., :size, :], wanted[..., :size]
        space = _space_inertia(jacobian, inverse)
        transpose = np.swapaxes(jacobian, -1, -2)
        if self._turns and self._apart:
            parts = (slice(0, 3), slice(3, 6))
            forces = [
                _times(_space_inertia(jacobian[..., p, :], inverse), wanted[..., p]) for p in parts
            ]
            force = np.concatenate(forces, axis=-1)
        else:
            force = _times(space, wanted)
        torque = _times(transpose, force) + chain.get_bias_force(data)
        pull = self._null * (rest - chain.get_dof_pos(data))
        pull = pull - 2.0 * np.sqrt(self._null) * chain.get_dof_vel(data)
        left = np.eye(count) - transpose @ space @ jacobian @ inverse
        return (torque + _times(left, _times(mass, pull))).astype(np.float32)


def _times(matrix: Floats, vector: Floats) -> Floats:
    return (matrix @ vector[..., None])[..., 0]


def _linear_first(chain: IkChain, data: SceneData) -> tuple[Floats, Floats]:
    """Jacobian and velocity of the end effector, linear before angular."""
    jacobian = chain.get_end_effector_jac(data).astype(np.float64)
    speed = chain.get_end_effector_vel(data).astype(np.float64)
    return np.roll(jacobian, 3, axis=-2), np.roll(speed, 3, axis=-1)


def _errors(chain: IkChain, data: SceneData, place: Floats, turn: Floats) -> Floats:
    """Way to the target and rotation about it, shape (*B, 6)."""
    pose = chain.get_end_effector_pose(data).astype(np.float64)
    now = quat_to_matrix(pose[..., 3:])
    size = np.linalg.norm(turn, axis=-1)
    axis = turn / np.where(size > 0.0, size, 1.0)[..., None]
    goal = np.broadcast_to(quat_to_matrix(quat_from_axis_angle(axis, size)), now.shape)
    # Half the sum of the cross products of the axes: the sine of the angle along its axis.
    angle = 0.5 * np.cross(now, goal, axisa=-2, axisb=-2, axisc=-2).sum(axis=-1)
    return np.concatenate([place - pose[..., :3], angle], axis=-1)


def _space_inertia(jacobian: Floats, inverse: Floats) -> Floats:
    """Inertia that a force at the end effector feels."""
    mobility = jacobian @ inverse @ np.swapaxes(jacobian, -1, -2)
    found = np.linalg.pinv(mobility, rcond=_SINGULAR, hermitian=True)
    return np.asarray(found, np.float64)
