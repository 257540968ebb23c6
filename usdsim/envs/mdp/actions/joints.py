"""Joint actions: targets of position, velocity or effort, scaled and offset."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any, ClassVar

import torch

from usdsim.envs.managers.term_cfg import ActionTermCfg
from usdsim.envs.mdp.entities import articulated
from usdsim.envs.tensors import tensor

from .buffered import BufferedActions

__all__ = [
    "JointAction",
    "JointActionCfg",
    "JointEffortAction",
    "JointEffortActionCfg",
    "JointPositionAction",
    "JointPositionActionCfg",
    "JointVelocityAction",
    "JointVelocityActionCfg",
    "RelativeJointPositionAction",
    "RelativeJointPositionActionCfg",
]


class JointTargets(BufferedActions):
    """Base of terms that set targets of some joints."""

    holds: ClassVar[bool] = True
    quantity: ClassVar[str] = "position"
    """Quantity that has the targets: position, velocity or effort."""

    def __init__(self, cfg: Any, env: Any):
        super().__init__(cfg, env)
        asset = articulated(self._asset)
        ids, names = asset.find_joints(cfg.joint_names, preserve_order=cfg.preserve_order)[:2]
        self._joint_ids, self._joint_names = [int(i) for i in ids], list(names)
        every = self._joint_ids == [*range(self._asset.num_joints)]
        self._columns: Any = slice(None) if every else self._joint_ids
        self._targets = None if every else self._joint_ids
        self._allocate(len(self._joint_ids))
        self._clip = self._limits(self._joint_names)

    def apply_actions(self) -> None:
        """Set the targets."""
        self._set_targets(self.processed_actions)

    def _set_targets(self, values: torch.Tensor) -> None:
        write = getattr(self._asset, f"set_joint_{self.quantity}_target")
        write(values, joint_ids=self._targets)


class JointAction(JointTargets):
    """Base of terms whose targets are offset + scale times action, for each of some joints."""

    def __init__(self, cfg: JointActionCfg, env: Any):
        super().__init__(cfg, env)
        self._scale = self._each("scale", cfg.scale, self._joint_names)
        self._offset = self._each("offset", cfg.offset, self._joint_names, 0.0)

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, joints)."""
        self._raw_actions.copy_(actions)
        processed = self._processed_actions
        torch.mul(self._raw_actions, self._scale, out=processed)
        processed += self._offset
        if self._clip is not None:
            torch.clamp(processed, *self._clip, out=processed)


class JointActionCfg(ActionTermCfg):
    """Base of the configurations of actions of joints."""

    joint_names: list[str] = MISSING  # type: ignore[assignment]
    """Expressions for the joints."""
    scale: float | dict[str, float] = 1.0
    """Factor of actions, or factors by expression for names of joints."""
    offset: float | dict[str, float] = 0.0
    """Offset that is added, or that by expression for names of joints."""
    preserve_order: bool = False
    """Whether joints come in the order of the expressions, not in that of the articulation."""


class JointPositionAction(JointAction):
    """Targets of joint positions [m or rad]."""

    def __init__(self, cfg: JointPositionActionCfg, env: Any):
        super().__init__(cfg, env)
        if cfg.use_default_offset:
            self._offset = tensor(self._asset.data.default_joint_pos)[:, self._columns].clone()


class JointPositionActionCfg(JointActionCfg):
    """Targets of joint positions [m or rad]."""

    class_type: type[Any] = JointPositionAction
    """Class of the term."""
    use_default_offset: bool = True
    """Whether the default positions are the offset."""


class RelativeJointPositionAction(JointAction):
    """Targets of joint positions: where joints are in each time step, plus actions."""

    holds = False

    def __init__(self, cfg: RelativeJointPositionActionCfg, env: Any):
        super().__init__(cfg, env)
        if cfg.use_zero_offset:
            self._offset = 0.0

    def apply_actions(self) -> None:
        """Set the targets."""
        position = tensor(self._asset.data.joint_pos)[:, self._columns]
        self._set_targets(position + self.processed_actions)


class RelativeJointPositionActionCfg(JointActionCfg):
    """Targets of joint positions relative to where the joints are [m or rad]."""

    class_type: type[Any] = RelativeJointPositionAction
    """Class of the term."""
    use_zero_offset: bool = True
    """Whether the offset is zero."""


class JointVelocityAction(JointAction):
    """Targets of joint velocities [m/s or rad/s]."""

    quantity = "velocity"

    def __init__(self, cfg: JointVelocityActionCfg, env: Any):
        super().__init__(cfg, env)
        if cfg.use_default_offset:
            self._offset = tensor(self._asset.data.default_joint_vel)[:, self._columns].clone()


class JointVelocityActionCfg(JointActionCfg):
    """Targets of joint velocities [m/s or rad/s]."""

    class_type: type[Any] = JointVelocityAction
    """Class of the term."""
    use_default_offset: bool = True
    """Whether the default velocities are the offset."""


class JointEffortAction(JointAction):
    """Efforts of joints [N or N m]."""

    quantity = "effort"


class JointEffortActionCfg(JointActionCfg):
    """Efforts of joints [N or N m]."""

    class_type: type[Any] = JointEffortAction
    """Class of the term."""
