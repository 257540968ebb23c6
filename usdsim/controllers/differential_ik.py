"""Differential inverse kinematics: joint positions that bring a body nearer to its goal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from usdsim.core.arguments import choice
from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.math.tensors import apply_delta_pose, compute_pose_error

from .goals import checked_goals

__all__ = ["DifferentialIKController", "DifferentialIKControllerCfg"]

_COMMANDS = ("position", "pose")
_PARAMETERS: dict[str, dict[str, float]] = {
    "pinv": {"k_val": 1.0},
    "svd": {"k_val": 1.0, "min_singular_value": 1e-5},
    "trans": {"k_val": 1.0},
    "dls": {"lambda_val": 0.01},
}


class DifferentialIKController:
    """Differential inverse kinematics of one body, for many environments.

    A step solves J dq = dx, with the error of position [m] and rotation vector [rad] as dx. All
    poses and the Jacobian are in one frame of your choice.

    Args:
        cfg: what is commanded, and the method.
        num_envs: number of environments.
        device: where tensors live.

    Attributes:
        cfg: the configuration.
        num_envs: number of environments.
        ee_pos_des: goals of positions [m], shape (num_envs, 3).
        ee_quat_des: goals of orientations, quaternions xyzw, shape (num_envs, 4).
    """

    def __init__(self, cfg: DifferentialIKControllerCfg, num_envs: int, device: Any):
        self.cfg = cfg
        self.num_envs = num_envs
        self._device = device
        self.ee_pos_des = torch.zeros(num_envs, 3, device=device)
        self.ee_quat_des = torch.zeros(num_envs, 4, device=device)

    @property
    def action_dim(self) -> int:
        """Numbers of a command: 3 of positions; 6 of changes of poses; 7 of poses."""
        if self.cfg.command_type == "position":
            return 3
        return 6 if self.cfg.use_relative_mode else 7

    def reset(self, env_ids: Any = None) -> None:
        """Nothing: goals hold until the next command."""

    def set_command(
        self, command: Tensor, ee_pos: Tensor | None = None, ee_quat: Tensor | None = None
    ) -> None:
        """Take goals.

        Args:
            command: positions [m], poses, or changes of them, shape (num_envs, `action_dim`).
            ee_pos: present positions [m], for changes.
            ee_quat: present orientations xyzw, for positions and changes.

        Raises:
            InvalidValueError: the present pose is needed and not given; or goals are no numbers, or
                have another shape.
        """
        shape = (self.num_envs, self.action_dim)
        command = checked_goals("command", command, shape, self._device).clone()
        position, relative = self.cfg.command_type == "position", self.cfg.use_relative_mode
        if (position or relative) and ee_quat is None:
            raise InvalidValueError("ee_quat", None, "the present orientations")
        if relative and ee_pos is None:
            raise InvalidValueError("ee_pos", None, "the present positions")
        if position or relative:
            ee_quat = checked_goals("ee_quat", ee_quat, (self.num_envs, 4), self._device)
        if relative:
            ee_pos = checked_goals("ee_pos", ee_pos, (self.num_envs, 3), self._device)
        if position:
            self.ee_pos_des = ee_pos + command if relative else command
            self.ee_quat_des = torch.as_tensor(ee_quat).clone()
        elif relative:
            self.ee_pos_des, self.ee_quat_des = apply_delta_pose(ee_pos, ee_quat, command)
        else:
            self.ee_pos_des, self.ee_quat_des = command[:, :3], command[:, 3:]

    def compute(
        self, ee_pos: Tensor, ee_quat: Tensor, jacobian: Tensor, joint_pos: Tensor
    ) -> Tensor:
        """Joint positions to go to.

        Args:
            ee_pos: present positions [m], shape (num_envs, 3).
            ee_quat: present orientations xyzw, shape (num_envs, 4).
            jacobian: of the body, linear rows first, shape (num_envs, 6, joints).
            joint_pos: present joint positions, shape (num_envs, joints).

        Returns:
            Shape (num_envs, joints).

        Raises:
            ShapeError: the Jacobian has another shape.
        """
        size = (*ee_pos.shape[:-1], 6, joint_pos.shape[-1])
        if tuple(jacobian.shape) != size:
            raise ShapeError("jacobian", jacobian.shape, f"{size}: linear rows first")
        if self.cfg.command_type == "position":
            return joint_pos + self._solve(jacobian[:, :3], self.ee_pos_des - ee_pos)
        error = compute_pose_error(ee_pos, ee_quat, self.ee_pos_des, self.ee_quat_des)
        return joint_pos + self._solve(jacobian, torch.cat(error, dim=-1))

    def _solve(self, jacobian: Tensor, error: Tensor) -> Tensor:
        """Changes of joint positions for errors of shape (num_envs, rows of the Jacobian)."""
        numbers, method = self.cfg.ik_params or {}, self.cfg.ik_method
        if method == "dls":
            # J^T (J J^T + lambda^2 I)^-1 dx; Nakamura and Hanafusa, 1986.
            square = jacobian @ jacobian.mT
            square.diagonal(dim1=-2, dim2=-1).add_(numbers["lambda_val"] ** 2)
            return (jacobian.mT @ torch.linalg.solve(square, error[..., None]))[..., 0]
        if method == "trans":
            inverse = jacobian.mT
        elif method == "pinv":
            inverse = torch.linalg.pinv(jacobian)
        else:
            left, values, right = torch.linalg.svd(jacobian, full_matrices=False)
            kept = values > numbers["min_singular_value"]
            factors = torch.where(kept, 1.0 / values, torch.zeros_like(values))
            inverse = right.mT @ (factors[..., None] * left.mT)
        return numbers["k_val"] * (inverse @ error[..., None])[..., 0]


@dataclass(kw_only=True)
class DifferentialIKControllerCfg(Configuration):
    """Configuration of a `DifferentialIKController`.

    Raises:
        InvalidValueError: the command or the method is none of those there are.
    """

    class_type: type[Any] = DifferentialIKController
    """Class of the controller."""
    command_type: str
    """Commanded quantity: ``position`` or ``pose``."""
    use_relative_mode: bool = False
    """Whether commands are changes of the present position or pose."""
    ik_method: str
    """Inverse of the Jacobian: ``pinv``, the pseudoinverse; ``svd``, the same without directions of
    small singular values; ``trans``, the transposed Jacobian; ``dls``, damped least squares."""
    ik_params: dict[str, float] | None = None
    """Numbers of the method: ``k_val``, the share of the way (all but ``dls``);
    ``min_singular_value`` (``svd``); ``lambda_val``, the damping (``dls``). Those left out have
    defaults."""

    def __post_init__(self) -> None:
        choice("command_type", self.command_type, _COMMANDS)
        choice("ik_method", self.ik_method, _PARAMETERS)
        self.ik_params = {**_PARAMETERS[self.ik_method], **(self.ik_params or {})}
