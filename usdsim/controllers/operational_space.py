"""Operational space control: joint efforts that move a body and press it as commanded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from usdsim.core.arguments import choice
from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError
from usdsim.math.tensors import (
    apply_delta_pose,
    combine_frame_transforms,
    compute_pose_error,
    matrix_from_quat,
    quat_apply,
    subtract_frame_transforms,
)

from .goals import checked_goals

__all__ = ["GAINS", "OperationalSpaceController", "OperationalSpaceControllerCfg"]

_SIZES = {"pose_abs": 7, "pose_rel": 6, "wrench_abs": 6}
GAINS = {"fixed": 0, "variable_kp": 1, "variable": 2}
"""Gains of each axis that are part of a command, by mode of impedance."""
_TARGETS, _MODES = tuple(_SIZES), tuple(GAINS)
_NULLSPACE = ("none", "position")
_ALL = (1, 1, 1, 1, 1, 1)
_NONE = (0, 0, 0, 0, 0, 0)


class OperationalSpaceController:
    """Operational space control of one body, for many environments.

    Khatib, "A unified approach for motion and force control of robot manipulators: the operational
    space formulation", 1987. Commands and gains are those of a task frame; everything measured is
    in the frame of the robot's root.

    Args:
        cfg: goals, axes, gains, decoupling and null space.
        num_envs: number of environments.
        device: where tensors live.

    Attributes:
        cfg: the configuration.
        num_envs: number of environments.
        target_list: numbers of each kind of goal.
        target_dim: numbers of all goals.
        desired_ee_pose_task: goals of the pose in the task frame, shape (num_envs, 7), or None.
        desired_ee_pose_b: the same in the root's frame.
        desired_ee_wrench_task: goals of force [N] and torque [N m] in the task frame, shape
            (num_envs, 6), or None.
        desired_ee_wrench_b: the same in the root's frame, about its origin.
    """

    def __init__(self, cfg: OperationalSpaceControllerCfg, num_envs: int, device: Any):
        self.cfg = cfg
        self.num_envs = num_envs
        self._device = device
        self.target_list = [_SIZES[kind] for kind in cfg.target_types]
        self.target_dim = sum(self.target_list)
        self.desired_ee_pose_task: Tensor | None = None
        self.desired_ee_pose_b: Tensor | None = None
        self.desired_ee_wrench_task: Tensor | None = None
        self.desired_ee_wrench_b: Tensor | None = None
        self._motion_axes = self._axes(cfg.motion_control_axes_task)
        self._wrench_axes = self._axes(cfg.contact_wrench_control_axes_task)
        self._stiffness = self._axes(cfg.motion_stiffness_task)
        self._ratio = self._axes(cfg.motion_damping_ratio_task)
        feedback = cfg.contact_wrench_stiffness_task
        self._feedback = None if feedback is None else self._axes(feedback)
        self._turn = torch.eye(6, device=device).expand(num_envs, 6, 6)

    def _axes(self, values: Any) -> Tensor:
        """Numbers of the axes, shape (num_envs, 6)."""
        given = torch.as_tensor(values, dtype=torch.float32, device=self._device)
        return given.expand(self.num_envs, 6)

    @property
    def action_dim(self) -> int:
        """Numbers of a command: the goals, and the gains that are commanded."""
        return self.target_dim + 6 * GAINS[self.cfg.impedance_mode]

    def reset(self) -> None:
        """Forget the goals; until the next command no effort is made for them."""
        self.desired_ee_pose_task = self.desired_ee_pose_b = None
        self.desired_ee_wrench_task = self.desired_ee_wrench_b = None

    def set_command(
        self,
        command: Tensor,
        current_ee_pose_b: Tensor | None = None,
        current_task_frame_pose_b: Tensor | None = None,
    ) -> None:
        """Take goals, and gains if they are variable.

        Args:
            command: goals in the order of `cfg.target_types`: positions [m] and quaternions xyzw,
                changes [m] and rotation vectors [rad], forces [N] and torques [N m]; then
                stiffness, then damping ratios; shape (num_envs, `action_dim`).
            current_ee_pose_b: present poses of the body, for changes, shape (num_envs, 7).
            current_task_frame_pose_b: poses of the task frame, likewise; None: the root's frame.

        Raises:
            InvalidValueError: a shape is another, or the present poses are needed and not given.
        """
        shape = (self.num_envs, self.action_dim)
        command = checked_goals("command", command, shape, self._device)
        gains = command[:, self.target_dim :].split(6, dim=-1)
        if self.cfg.impedance_mode != "fixed":
            self._stiffness = gains[0].clamp(*self.cfg.motion_stiffness_limits_task)
        if self.cfg.impedance_mode == "variable":
            self._ratio = gains[1].clamp(*self.cfg.motion_damping_ratio_limits_task)
        frame = current_task_frame_pose_b
        if frame is None:
            frame = torch.eye(7, device=self._device)[6].expand(self.num_envs, 7)
        turn = matrix_from_quat(frame[:, 3:])
        self._turn = torch.zeros(self.num_envs, 6, 6, device=self._device)
        self._turn[:, :3, :3] = self._turn[:, 3:, 3:] = turn
        goals = command[:, : self.target_dim].split(self.target_list, dim=-1)
        for kind, goal in zip(self.cfg.target_types, goals, strict=True):
            if kind == "wrench_abs":
                self._aim_wrench(goal.clone(), frame)
            else:
                self._aim_pose(goal.clone(), kind == "pose_rel", current_ee_pose_b, frame)

    def _aim_pose(self, goal: Tensor, relative: bool, pose: Tensor | None, frame: Tensor) -> None:
        if relative:
            if pose is None:
                raise InvalidValueError("current_ee_pose_b", None, "the present poses")
            place = subtract_frame_transforms(frame[:, :3], frame[:, 3:], pose[:, :3], pose[:, 3:])
            goal = torch.cat(apply_delta_pose(*place, goal), dim=-1)
        self.desired_ee_pose_task = goal
        self.desired_ee_pose_b = torch.cat(
            combine_frame_transforms(frame[:, :3], frame[:, 3:], goal[:, :3], goal[:, 3:]), dim=-1
        )

    def _aim_wrench(self, goal: Tensor, frame: Tensor) -> None:
        self.desired_ee_wrench_task = goal
        force = quat_apply(frame[:, 3:], goal[:, :3])
        torque = quat_apply(frame[:, 3:], goal[:, 3:]) + torch.linalg.cross(frame[:, :3], force)
        self.desired_ee_wrench_b = torch.cat([force, torque], dim=-1)

    def compute(
        self,
        jacobian_b: Tensor,
        current_ee_pose_b: Tensor | None = None,
        current_ee_vel_b: Tensor | None = None,
        current_ee_force_b: Tensor | None = None,
        mass_matrix: Tensor | None = None,
        gravity: Tensor | None = None,
        current_joint_pos: Tensor | None = None,
        current_joint_vel: Tensor | None = None,
        nullspace_joint_pos_target: Tensor | None = None,
    ) -> Tensor:
        """Joint efforts [N m or N], shape (num_envs, joints).

        Args:
            jacobian_b: of the body, linear rows first, shape (num_envs, 6, joints).
            current_ee_pose_b: poses of the body, shape (num_envs, 7).
            current_ee_vel_b: linear [m/s] and angular velocities [rad/s], shape (num_envs, 6).
            current_ee_force_b: contact forces [N], shape (num_envs, 3).
            mass_matrix: mass matrices, shape (num_envs, joints, joints).
            gravity: efforts that hold against gravity, shape (num_envs, joints).
            current_joint_pos: joint positions, shape (num_envs, joints).
            current_joint_vel: joint velocities, likewise.
            nullspace_joint_pos_target: where redundant joints go; None: zero.

        Raises:
            InvalidValueError: what the configuration needs is not given, has another shape, or the
                robot is not redundant.
        """
        efforts = torch.zeros_like(jacobian_b[:, 0])
        inverse = space = None
        if self.cfg.inertial_dynamics_decoupling and self.desired_ee_pose_b is not None:
            mass = _needed("mass_matrix", mass_matrix)
            inverse = torch.linalg.inv(mass)
            space = self._task_space_mass(jacobian_b, inverse)
        if self.desired_ee_pose_b is not None:
            wrench = self._motion_wrench(
                _needed("current_ee_pose_b", current_ee_pose_b),
                _needed("current_ee_vel_b", current_ee_vel_b),
            )
            if space is not None:
                wrench = _times(space, wrench)
            efforts += _times(jacobian_b.mT @ self._in_root(self._motion_axes), wrench)
        if self.desired_ee_wrench_b is not None:
            wrench = self._contact_wrench(self.desired_ee_wrench_b, current_ee_force_b)
            efforts += _times(jacobian_b.mT @ self._in_root(self._wrench_axes), wrench)
        if self.cfg.gravity_compensation:
            efforts += _needed("gravity", gravity)
        if self.cfg.nullspace_control == "position":
            position = _needed("current_joint_pos", current_joint_pos)
            velocity = _needed("current_joint_vel", current_joint_vel)
            goal = nullspace_joint_pos_target
            wanted = self._posture(position, velocity, goal)
            if mass_matrix is not None:
                wanted = _times(mass_matrix, wanted)
            efforts += _times(self._nullspace(jacobian_b, inverse, space), wanted)
        return efforts

    def _in_root(self, values: Tensor) -> Tensor:
        """Diagonal matrices of the task frame in the axes of the root, shape (num_envs, 6, 6)."""
        return self._turn @ torch.diag_embed(values) @ self._turn.mT

    def _task_space_mass(self, jacobian: Tensor, inverse: Tensor) -> Tensor:
        mobility = jacobian @ inverse @ jacobian.mT
        if self.cfg.partial_inertial_dynamics_decoupling:
            parts = [torch.linalg.inv(mobility[:, part, part]) for part in (slice(3), slice(3, 6))]
            return torch.stack([torch.block_diag(*pair) for pair in zip(*parts, strict=True)])
        return torch.linalg.inv(mobility)

    def _motion_wrench(self, pose: Tensor, velocity: Tensor) -> Tensor:
        """Wrench of springs and dampers along the controlled axes, shape (num_envs, 6)."""
        goal = _needed("command", self.desired_ee_pose_b)
        error = torch.cat(
            compute_pose_error(pose[:, :3], pose[:, 3:], goal[:, :3], goal[:, 3:]), dim=-1
        )
        # Gains of axes that are not controlled would act on others through the coupling.
        stiffness = self._motion_axes * self._stiffness
        damping = 2.0 * stiffness.sqrt() * self._ratio
        spring = _times(self._in_root(stiffness), error)
        return spring - _times(self._in_root(damping), velocity)

    def _contact_wrench(self, goal: Tensor, force: Tensor | None) -> Tensor:
        if self._feedback is None:
            return goal
        # Torques are not measured, so that they have no error.
        error = torch.zeros_like(goal)
        error[:, :3] = goal[:, :3] - _needed("current_ee_force_b", force)
        return goal + _times(self._in_root(self._wrench_axes * self._feedback), error)

    def _posture(self, position: Tensor, velocity: Tensor, goal: Tensor | None) -> Tensor:
        """Accelerations towards the joint positions of the null space."""
        goal = torch.zeros_like(position) if goal is None else goal
        if goal.shape != position.shape:
            raise InvalidValueError(
                "nullspace_joint_pos_target",
                tuple(goal.shape),
                f"the shape {tuple(position.shape)}",
            )
        stiffness = self.cfg.nullspace_stiffness
        damping = 2.0 * stiffness**0.5 * self.cfg.nullspace_damping_ratio
        return stiffness * (goal - position) - damping * velocity

    def _nullspace(self, jacobian: Tensor, inverse: Tensor | None, space: Tensor | None) -> Tensor:
        """Projections of efforts onto those that do not move the body."""
        count = jacobian.shape[2]
        if count <= 6:
            raise InvalidValueError(
                "nullspace_control", "position", "'none', as 6 joints or fewer are not redundant"
            )
        if inverse is None or space is None or self.cfg.partial_inertial_dynamics_decoupling:
            back = torch.linalg.pinv(jacobian).mT
        else:  # dynamically consistent
            back = space @ jacobian @ inverse
        return torch.eye(count, device=jacobian.device) - jacobian.mT @ back


def _times(matrix: Tensor, vector: Tensor) -> Tensor:
    return (matrix @ vector[..., None])[..., 0]


def _needed(name: str, value: Tensor | None) -> Tensor:
    if value is None:
        raise InvalidValueError(name, None, "a tensor, as the configuration needs it")
    return value


@dataclass(kw_only=True)
class OperationalSpaceControllerCfg(Configuration):
    """Configuration of an `OperationalSpaceController`.

    Six numbers are those of three axes of motion and three of rotation, in the task frame.

    Raises:
        InvalidValueError: a word is none of those there are.
    """

    class_type: type[Any] = OperationalSpaceController
    """Class of the controller."""
    target_types: Sequence[str]
    """Commanded quantities, in this order: ``pose_abs``, ``pose_rel``, ``wrench_abs``."""
    motion_control_axes_task: Sequence[int] = _ALL
    """1 for each axis along which the pose is controlled, else 0."""
    contact_wrench_control_axes_task: Sequence[int] = _NONE
    """1 for each axis along which the contact wrench is controlled, else 0."""
    inertial_dynamics_decoupling: bool = False
    """Whether accelerations are multiplied with the mass matrix of the task space."""
    partial_inertial_dynamics_decoupling: bool = False
    """Whether that matrix has no coupling of translation and rotation."""
    gravity_compensation: bool = False
    """Whether the efforts that hold against gravity are added."""
    impedance_mode: str = "fixed"
    """Gains: ``fixed``; ``variable_kp``, stiffness commanded; ``variable``, damping ratios too."""
    motion_stiffness_task: float | Sequence[float] = (100.0,) * 6
    """Stiffness per axis [1/s^2 with decoupling, else N/m and N m/rad]."""
    motion_damping_ratio_task: float | Sequence[float] = (1.0,) * 6
    """Damping ratio per axis: the damping is twice it times the root of the stiffness."""
    motion_stiffness_limits_task: tuple[float, float] = (0.0, 1000.0)
    """Least and largest stiffness that can be commanded."""
    motion_damping_ratio_limits_task: tuple[float, float] = (0.0, 100.0)
    """Least and largest damping ratio that can be commanded."""
    contact_wrench_stiffness_task: float | Sequence[float] | None = None
    """Feedback of the measured force per axis, of which the first three act; None: none."""
    nullspace_control: str = "none"
    """Null-space motion of joints: ``none``, or ``position``: go to given positions."""
    nullspace_stiffness: float = 10.0
    """Stiffness of that [1/s^2]."""
    nullspace_damping_ratio: float = 1.0
    """Damping ratio of that."""

    def __post_init__(self) -> None:
        for target in self.target_types:
            choice("target_types", target, _TARGETS)
        choice("impedance_mode", self.impedance_mode, _MODES)
        choice("nullspace_control", self.nullspace_control, _NULLSPACE)
