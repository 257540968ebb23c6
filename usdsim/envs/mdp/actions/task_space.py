"""Task space actions: poses of a hand, reached by differential inverse kinematics."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

import torch

from usdsim.controllers import DifferentialIKController, DifferentialIKControllerCfg
from usdsim.core.declared import DeclaredConfiguration
from usdsim.core.errors import InvalidValueError
from usdsim.envs.managers.action import ActionTerm
from usdsim.envs.managers.term_cfg import ActionTermCfg
from usdsim.envs.tensors import tensor
from usdsim.math.tensors import (
    combine_frame_transforms,
    matrix_from_quat,
    quat_inv,
    subtract_frame_transforms,
)

__all__ = [
    "DifferentialInverseKinematicsAction",
    "DifferentialInverseKinematicsActionCfg",
]


class DifferentialInverseKinematicsAction(ActionTerm):
    """Pose of a body in the root's frame, by targets of joint positions in every time step.

    What the numbers of an action mean is up to the controller; see `DifferentialIKController`.
    """

    def __init__(self, cfg: DifferentialInverseKinematicsActionCfg, env: Any):
        super().__init__(cfg, env)
        asset = self._asset
        self._controller = DifferentialIKController(cfg.controller, self.num_envs, self.device)
        self._joint_ids = [int(i) for i in asset.find_joints(cfg.joint_names)[0]]
        bodies = asset.find_bodies(cfg.body_name)[0]
        if len(bodies) != 1:
            raise InvalidValueError("body_name", cfg.body_name, "a name that matches one body")
        self._body = int(bodies[0])
        fixed = asset.is_fixed_base
        self._row = self._body - 1 if fixed else self._body
        self._dofs = [i + asset.num_base_dofs for i in self._joint_ids]
        self._raw_actions = torch.zeros((self.num_envs, self.action_dim), device=self.device)
        self._scale = torch.tensor(cfg.scale, device=self.device)
        offset = cfg.body_offset or DifferentialInverseKinematicsActionCfg.OffsetCfg()
        rows = (self.num_envs, 1)
        self._offset = (
            torch.tensor([offset.pos], device=self.device).repeat(rows),
            torch.tensor([offset.rot], device=self.device).repeat(rows),
        )

    @property
    def action_dim(self) -> int:
        """3, 6 or 7 numbers."""
        return self._controller.action_dim

    @property
    def raw_actions(self) -> torch.Tensor:
        """Actions as they came, shape (num_envs, action_dim)."""
        return self._raw_actions

    @property
    def processed_actions(self) -> torch.Tensor:
        """Wanted poses in the root's frame [m, xyzw], shape (num_envs, 7)."""
        return torch.cat([self._controller.ee_pos_des, self._controller.ee_quat_des], dim=1)

    def reset(self, env_ids: Any = None) -> None:
        """Forget the last actions; see `ManagerTermBase.reset`."""
        self._raw_actions[slice(None) if env_ids is None else env_ids] = 0.0

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, action_dim)."""
        self._raw_actions.copy_(actions)
        self._controller.set_command(actions * self._scale, *self._pose())

    def apply_actions(self) -> None:
        """Set the targets of the joints."""
        joints = tensor(self._asset.data.joint_pos)[:, self._joint_ids]
        target = self._controller.compute(*self._pose(), self._jacobian(), joints)
        self._asset.set_joint_position_target(target, joint_ids=self._joint_ids)

    def _pose(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Pose of the hand in the root's frame."""
        data = self._asset.data
        pose = subtract_frame_transforms(
            tensor(data.root_pos_w), tensor(data.root_quat_w),
            tensor(data.body_pos_w)[:, self._body], tensor(data.body_quat_w)[:, self._body],
        )  # fmt: skip
        return combine_frame_transforms(*pose, *self._offset)

    def _jacobian(self) -> torch.Tensor:
        """Jacobian of the hand in the root's frame, shape (num_envs, 6, joints)."""
        data = self._asset.data
        jacobian = tensor(data.body_link_jacobian_w)[:, self._row][:, :, self._dofs]
        turn = matrix_from_quat(quat_inv(tensor(data.root_quat_w)))
        linear, angular = turn @ jacobian[:, :3], turn @ jacobian[:, 3:]
        body = subtract_frame_transforms(
            tensor(data.root_pos_w), tensor(data.root_quat_w),
            tensor(data.body_pos_w)[:, self._body], tensor(data.body_quat_w)[:, self._body],
        )  # fmt: skip
        # The point of the hand moves with the link's origin, and about it.
        arm = self._pose()[0] - body[0]
        linear = linear + torch.linalg.cross(
            angular.transpose(1, 2), arm.unsqueeze(1).expand(-1, angular.shape[2], 3)
        ).transpose(1, 2)
        return torch.cat([linear, angular], dim=1)


class DifferentialInverseKinematicsActionCfg(ActionTermCfg):
    """Pose of a body by differential inverse kinematics."""

    class OffsetCfg(DeclaredConfiguration):
        """Pose of the hand in the frame of the body."""

        pos: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """Position [m]."""
        rot: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
        """Orientation, xyzw."""

    class_type: type[Any] = DifferentialInverseKinematicsAction
    """Class of the term."""
    joint_names: list[str] = MISSING  # type: ignore[assignment]
    """Expressions for the joints that move the body."""
    body_name: str = MISSING  # type: ignore[assignment]
    """Name of the body."""
    body_offset: OffsetCfg | None = None
    """Pose of the hand in the frame of the body; None: at its origin."""
    scale: float | tuple[float, ...] = 1.0
    """Factor of actions, or one for each."""
    controller: DifferentialIKControllerCfg = MISSING  # type: ignore[assignment]
    """Controller that finds steps of joints."""
