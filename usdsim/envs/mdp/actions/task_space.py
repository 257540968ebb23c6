"""Task space actions: poses of an end effector, reached by differential inverse kinematics."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any, ClassVar

import torch

from usdsim.controllers import DifferentialIKController, DifferentialIKControllerCfg
from usdsim.envs.managers.term_cfg import ActionTermCfg
from usdsim.envs.tensors import tensor

from .buffered import BufferedActions
from .end_effector import EndEffector, EndEffectorOffsetCfg

__all__ = [
    "DifferentialInverseKinematicsAction",
    "DifferentialInverseKinematicsActionCfg",
]


class DifferentialInverseKinematicsAction(BufferedActions):
    """Pose of a body in the root's frame, by targets of joint positions in every time step.

    What the numbers of an action mean is up to the controller; see `DifferentialIKController`.
    """

    def __init__(self, cfg: DifferentialInverseKinematicsActionCfg, env: Any):
        super().__init__(cfg, env)
        self._controller = DifferentialIKController(cfg.controller, self.num_envs, self.device)
        self._end_effector = EndEffector(
            self._asset, cfg.body_name, cfg.joint_names, cfg.body_offset
        )
        self._allocate(self._controller.action_dim)
        self._scale = torch.tensor(cfg.scale, device=self.device)

    @property
    def processed_actions(self) -> torch.Tensor:
        """Wanted poses in the root's frame [m, xyzw], shape (num_envs, 7)."""
        return torch.cat([self._controller.ee_pos_des, self._controller.ee_quat_des], dim=1)

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, action_dim)."""
        self._raw_actions.copy_(actions)
        self._controller.set_command(actions * self._scale, *self._end_effector.pose())

    def apply_actions(self) -> None:
        """Set the targets of the joints."""
        tool = self._end_effector
        joints = tensor(self._asset.data.joint_pos)[:, tool.joint_ids]
        target = self._controller.compute(*tool.pose(), tool.jacobian(), joints)
        self._asset.set_joint_position_target(target, joint_ids=tool.joint_ids)


class DifferentialInverseKinematicsActionCfg(ActionTermCfg):
    """Pose of a body by differential inverse kinematics."""

    OffsetCfg: ClassVar[type[EndEffectorOffsetCfg]] = EndEffectorOffsetCfg

    class_type: type[Any] = DifferentialInverseKinematicsAction
    """Class of the term."""
    joint_names: list[str] = MISSING  # type: ignore[assignment]
    """Expressions for the joints that move the body."""
    body_name: str = MISSING  # type: ignore[assignment]
    """Name of the body."""
    body_offset: EndEffectorOffsetCfg | None = None
    """Pose of the end effector in the frame of the body; None: at its origin."""
    scale: float | tuple[float, ...] = 1.0
    """Factor of actions, or one for each."""
    controller: DifferentialIKControllerCfg = MISSING  # type: ignore[assignment]
    """Controller that finds steps of joints."""
