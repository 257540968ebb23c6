"""Task space actions: poses of an end effector, reached by differential inverse kinematics."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any, ClassVar

import torch

from usdsim.controllers import DifferentialIKController, DifferentialIKControllerCfg
from usdsim.envs.managers.term_cfg import ActionTermCfg
from usdsim.envs.tensors import tensor

from .buffered import BufferedActions, by_joint
from .end_effector import EndEffector, EndEffectorOffsetCfg

__all__ = [
    "DifferentialInverseKinematicsAction",
    "DifferentialInverseKinematicsActionCfg",
]


class DifferentialInverseKinematicsAction(BufferedActions):
    """Pose of a body in the root's frame, by targets of joint positions in every time step.

    What the numbers of an action mean is up to the controller; see `DifferentialIKController`. They
    are scaled, and clipped: the limits of a joint are those of the number in its place.
    """

    def __init__(self, cfg: DifferentialInverseKinematicsActionCfg, env: Any):
        super().__init__(cfg, env)
        self._controller = DifferentialIKController(cfg.controller, self.num_envs, self.device)
        self._end_effector = EndEffector(
            self._asset, cfg.body_name, cfg.joint_names, cfg.body_offset
        )
        self._allocate(self._controller.action_dim)
        self._scale = torch.tensor(cfg.scale, device=self.device)
        names = [self._asset.joint_names[i] for i in self._end_effector.joint_ids]
        given = by_joint("clip", cfg.clip or {}, names, (-torch.inf, torch.inf))[: self.action_dim]
        limits = torch.tensor([[-torch.inf], [torch.inf]], device=self.device)
        limits = limits.repeat(1, self.action_dim)
        limits[:, : len(given)] = torch.tensor(given, device=self.device).mT
        self._clip = limits[0], limits[1]

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, action_dim)."""
        self._raw_actions.copy_(actions)
        self._processed_actions.copy_(self._clipped(self._raw_actions * self._scale))
        self._controller.set_command(self._processed_actions, *self._end_effector.pose())

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
