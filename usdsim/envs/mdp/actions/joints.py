"""Joint actions: targets of position, velocity or effort, scaled and offset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING
from typing import Any, ClassVar

import torch

from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.core.names import match_names
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
        self._clip = self._limits(cfg.clip)

    def apply_actions(self) -> None:
        """Set the targets."""
        self._set_targets(self.processed_actions)

    def _set_targets(self, values: torch.Tensor) -> None:
        write = getattr(self._asset, f"set_joint_{self.quantity}_target")
        write(values, joint_ids=self._targets)

    def _per_joint(self, what: str, value: Any, default: float = 1.0) -> Any:
        """A number, or one for each joint from a mapping of expressions, shape (1, joints)."""
        if isinstance(value, int | float):
            return float(value)
        numbers = by_joint(what, value, self._joint_names, default)
        return torch.tensor([numbers], device=self.device)

    def _limits(self, clip: Any) -> Any:
        if clip is None:
            return None
        pairs = by_joint("clip", clip, self._joint_names, (-torch.inf, torch.inf))
        limits = torch.tensor(pairs, device=self.device)
        return limits[:, 0], limits[:, 1]


def by_joint(what: str, values: Any, names: list[str], default: Any) -> list[Any]:
    """Values of joints from a mapping of expressions.

    Args:
        what: what it is, for messages.
        values: the mapping.
        names: names of the joints.
        default: value of joints that no expression matches; None: they are not allowed.

    Raises:
        InvalidValueError: it is no mapping.
        UnknownNameError: an expression matches no joint, or a joint no expression.
    """
    if not isinstance(values, Mapping):
        raise InvalidValueError(f"{what} of joints", values, "a number, or {expression: number}")
    found: dict[int, Any] = {}
    for expression, value in values.items():
        ids = match_names(expression, names, kind="joint", where=what)[0]
        found.update(dict.fromkeys(ids, value))
    left = [name for i, name in enumerate(names) if i not in found]
    if left and default is None:
        raise UnknownNameError(f"value of {what} for joint", left[0], values)
    return [found.get(i, default) for i in range(len(names))]


class JointAction(JointTargets):
    """Base of terms whose targets are offset + scale times action, for each of some joints."""

    def __init__(self, cfg: JointActionCfg, env: Any):
        super().__init__(cfg, env)
        self._scale = self._per_joint("scale", cfg.scale)
        self._offset = self._per_joint("offset", cfg.offset, 0.0)

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
