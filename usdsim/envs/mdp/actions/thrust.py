"""Thrust actions of multirotors: a target for each rotor, scaled about hovering."""

from __future__ import annotations

from typing import Any, ClassVar

import torch

from usdsim.envs.managers.term_cfg import ActionTermCfg
from usdsim.envs.tensors import tensor

from .buffered import BufferedActions
from .joints import by_joint

__all__ = ["ThrustAction", "ThrustActionCfg"]


class ThrustAction(BufferedActions):
    """Thrusts of rotors [N]: offset + scale times action, between 0 and what rotors can do."""

    holds: ClassVar[bool] = True

    def __init__(self, cfg: ThrustActionCfg, env: Any):
        super().__init__(cfg, env)
        self._allocate(self._asset.num_thrusters)
        names = list(self._asset.thruster_names)

        def by_rotor(what: str, value: Any, default: Any) -> torch.Tensor:
            rows = by_joint(what, value, names, default)
            return torch.tensor(rows, dtype=torch.float32, device=self.device)

        def each(what: str, value: Any, default: float) -> Any:
            return value if isinstance(value, int | float) else by_rotor(what, value, default)

        self._scale, self._offset = each("scale", cfg.scale, 1.0), each("offset", cfg.offset, 0.0)
        limits = by_rotor("clip", cfg.clip or {}, (-torch.inf, torch.inf))
        self._least, self._most = limits[:, 0].clamp(min=0.0), limits[:, 1]
        if cfg.use_default_offset:
            mass = tensor(self._asset.data.body_mass).sum(1, keepdim=True)
            gravity = abs(float((env.cfg.sim.gravity or (0.0, 0.0, -9.81))[2]))
            self._offset = mass * gravity / self._asset.num_thrusters

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, rotors)."""
        self._raw_actions.copy_(actions)
        thrust = self._offset + self._scale * actions
        self._processed_actions.copy_(thrust.clamp(self._least, self._most))

    def apply_actions(self) -> None:
        """Set the thrusts."""
        self._asset.set_thrust_target(self._processed_actions)


class ThrustActionCfg(ActionTermCfg):
    """Thrusts of the rotors of a multirotor."""

    class_type: type[Any] = ThrustAction
    """Class of the term."""
    scale: float | dict[str, float] = 1.0
    """Factor of actions [N], or factors by expression for names of rotors."""
    offset: float | dict[str, float] = 0.0
    """Thrust at action 0 [N], or thrusts by expression for names of rotors."""
    preserve_order: bool = False
    """Accepted for programs that set it: actions are in the order of the rotors."""
    use_default_offset: bool = True
    """Whether the offset is the part of the vehicle's weight that each rotor carries."""
