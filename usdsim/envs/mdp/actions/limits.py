"""Joint actions between limits: targets from -1 to 1 over the range of each joint."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

import torch

from usdsim.envs.managers.term_cfg import ActionTermCfg
from usdsim.envs.tensors import tensor
from usdsim.math.tensors import unscale_transform

from .joints import JointTargets

__all__ = [
    "EMAJointPositionToLimitsAction",
    "EMAJointPositionToLimitsActionCfg",
    "JointPositionToLimitsAction",
    "JointPositionToLimitsActionCfg",
]


class JointPositionToLimitsAction(JointTargets):
    """Targets of joint positions, -1 at the lower and 1 at the upper soft limit."""

    def __init__(self, cfg: JointPositionToLimitsActionCfg, env: Any):
        super().__init__(cfg, env)
        self._scale = self._each("scale", cfg.scale, self._joint_names)

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, joints)."""
        self._raw_actions.copy_(actions)
        processed = self._clipped(self._raw_actions * self._scale)
        if self.cfg.rescale_to_limits:
            limits = tensor(self._asset.data.soft_joint_pos_limits)[:, self._columns]
            processed = processed.clamp(-1.0, 1.0)
            processed = unscale_transform(processed, limits[..., 0], limits[..., 1])
        self._processed_actions.copy_(processed)


class JointPositionToLimitsActionCfg(ActionTermCfg):
    """Targets of joint positions between soft limits."""

    class_type: type[Any] = JointPositionToLimitsAction
    """Class of the term."""
    joint_names: list[str] = MISSING  # type: ignore[assignment]
    """Expressions for the joints."""
    scale: float | dict[str, float] = 1.0
    """Factor of actions, or factors by expression for names of joints."""
    rescale_to_limits: bool = True
    """Whether -1 to 1 stands for the range of the joint."""
    preserve_order: bool = False
    """Whether joints come in the order of the expressions, not in that of the articulation."""


class EMAJointPositionToLimitsAction(JointPositionToLimitsAction):
    """Like `JointPositionToLimitsAction`, smoothed: alpha x + (1 - alpha) times the last target."""

    def __init__(self, cfg: EMAJointPositionToLimitsActionCfg, env: Any):
        super().__init__(cfg, env)
        self._alpha = self._each("alpha", cfg.alpha, self._joint_names)
        self._last = tensor(self._asset.data.joint_pos)[:, self._columns].clone()

    def reset(self, env_ids: Any = None) -> None:
        """Start from where joints are; see `ManagerTermBase.reset`."""
        super().reset(env_ids)
        rows = slice(None) if env_ids is None else env_ids
        self._last[rows] = tensor(self._asset.data.joint_pos)[rows][:, self._columns]

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, joints)."""
        super().process_actions(actions)
        limits = tensor(self._asset.data.soft_joint_pos_limits)[:, self._columns]
        smooth = self._alpha * self._processed_actions + (1.0 - self._alpha) * self._last
        self._processed_actions.copy_(smooth.clamp(limits[..., 0], limits[..., 1]))
        self._last.copy_(self._processed_actions)


class EMAJointPositionToLimitsActionCfg(JointPositionToLimitsActionCfg):
    """Smoothed targets of joint positions between soft limits."""

    class_type: type[Any] = EMAJointPositionToLimitsAction
    """Class of the term."""
    alpha: float | dict[str, float] = 1.0
    """Weight of the newest target, or weights by expression for names of joints."""
