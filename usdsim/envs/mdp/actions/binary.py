"""Binary joint actions: a gripper that is open or closed."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

import torch

from usdsim.envs.managers.term_cfg import ActionTermCfg

from .buffered import by_joint
from .joints import JointTargets

__all__ = [
    "AbsBinaryJointPositionAction",
    "AbsBinaryJointPositionActionCfg",
    "BinaryJointAction",
    "BinaryJointActionCfg",
    "BinaryJointPositionAction",
    "BinaryJointPositionActionCfg",
    "BinaryJointVelocityAction",
    "BinaryJointVelocityActionCfg",
]


class BinaryJointAction(JointTargets):
    """Base of terms with one action for all joints: negative, or False, closes."""

    def __init__(self, cfg: BinaryJointActionCfg, env: Any):
        super().__init__(cfg, env)
        self._raw_actions = torch.zeros((self.num_envs, 1), device=self.device)
        self._open, self._close = (
            torch.tensor(
                [by_joint(what, getattr(cfg, what), self._joint_names, None)], device=self.device
            )
            for what in ("open_command_expr", "close_command_expr")
        )

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, 1)."""
        self._raw_actions.copy_(actions)
        processed = torch.where(self._closes(actions), self._close, self._open)
        self._processed_actions.copy_(self._clipped(processed))

    def _closes(self, actions: torch.Tensor) -> torch.Tensor:
        """Actions that close, shape (num_envs, 1)."""
        return closing(actions)


def closing(actions: torch.Tensor) -> torch.Tensor:
    """Actions that close a gripper: the negative ones, or those that are False."""
    return actions == 0 if actions.dtype == torch.bool else actions < 0.0


class BinaryJointActionCfg(ActionTermCfg):
    """Base of the configurations of grippers that are open or closed."""

    joint_names: list[str] = MISSING  # type: ignore[assignment]
    """Expressions for the joints."""
    open_command_expr: dict[str, float] = MISSING  # type: ignore[assignment]
    """Targets when open, by expression for names of joints."""
    close_command_expr: dict[str, float] = MISSING  # type: ignore[assignment]
    """Targets when closed, by expression for names of joints."""
    preserve_order: bool = False
    """Whether joints come in the order of the expressions, not in that of the articulation."""


class BinaryJointPositionAction(BinaryJointAction):
    """Targets of joint positions [m or rad], open or closed."""


class BinaryJointPositionActionCfg(BinaryJointActionCfg):
    """A gripper whose joints have two target positions."""

    class_type: type[Any] = BinaryJointPositionAction
    """Class of the term."""


class AbsBinaryJointPositionAction(BinaryJointPositionAction):
    """Targets of joint positions [m or rad], open beyond a threshold, such as one of width."""

    def _closes(self, actions: torch.Tensor) -> torch.Tensor:
        """Actions that do not pass the threshold, shape (num_envs, 1)."""
        bound = self.cfg.threshold
        return ~(actions > bound if self.cfg.positive_threshold else actions < bound)


class AbsBinaryJointPositionActionCfg(BinaryJointPositionActionCfg):
    """A gripper that a number opens or closes, by the side of a threshold on which it is."""

    class_type: type[Any] = AbsBinaryJointPositionAction
    """Class of the term."""
    threshold: float = 0.5
    """Action that still closes, and beyond which the gripper opens."""
    positive_threshold: bool = True
    """Whether actions above the threshold open; else those below do."""


class BinaryJointVelocityAction(BinaryJointAction):
    """Targets of joint velocities [m/s or rad/s], open or closed."""

    quantity = "velocity"


class BinaryJointVelocityActionCfg(BinaryJointActionCfg):
    """A gripper whose joints have two target velocities."""

    class_type: type[Any] = BinaryJointVelocityAction
    """Class of the term."""
