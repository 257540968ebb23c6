"""Thrust actions of multirotors: targets of rotors, or a flight that rotors follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING
from typing import Any, ClassVar

import torch

from usdsim.controllers import LeeControllerBaseCfg, LeePosController
from usdsim.core.errors import InvalidValueError
from usdsim.envs.managers.term_cfg import ActionTermCfg
from usdsim.envs.tensors import tensor
from usdsim.math.tensors import quat_apply_yaw

from .buffered import BufferedActions

__all__ = ["NavigationAction", "NavigationActionCfg", "ThrustAction", "ThrustActionCfg"]


class _ScaledActions(BufferedActions):
    """Base of terms whose actions are scaled, offset and clipped by name."""

    def _scaled_by(self, names: Sequence[str]) -> None:
        """Make room for an action of each name, and read what scales them."""
        self._allocate(len(names))
        self._scale = self._each("scale", self.cfg.scale, names)
        self._offset = self._each("offset", self.cfg.offset, names, 0.0)
        self._clip = self._limits(names)

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, action_dim)."""
        self._raw_actions.copy_(actions)
        self._processed_actions.copy_(self._clipped(self._offset + self._scale * actions))


class ThrustAction(_ScaledActions):
    """Thrusts of rotors [N]: offset + scale times action, between 0 and what rotors can do."""

    holds: ClassVar[bool] = True

    def __init__(self, cfg: ThrustActionCfg, env: Any):
        super().__init__(cfg, env)
        self._scaled_by(self._asset.thruster_names)
        if cfg.use_default_offset:
            mass = tensor(self._asset.data.body_mass).sum(1, keepdim=True)
            gravity = abs(float((env.cfg.sim.gravity or (0.0, 0.0, -9.81))[2]))
            self._offset = mass * gravity / self._asset.num_thrusters

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, rotors)."""
        super().process_actions(actions)
        self._processed_actions.clamp_(min=0.0)

    def apply_actions(self) -> None:
        """Set the thrusts."""
        self._asset.set_thrust_target(self._processed_actions)


class NavigationAction(_ScaledActions):
    """Flight of a multirotor to where it looks, as three numbers that a Lee controller follows.

    The numbers are magnitude, inclination and yaw, between -1 and 1 once scaled. They are a vector
    ahead of the vehicle, in world axes turned by its yaw: of length 0 to `max_magnitude`, up or
    down by as much as `max_inclination_angle`, never to the side. What it is a vector of is up to
    the controller: acceleration, in world axes; velocity; or the way to the goal from where the
    vehicle is at the decision. Yaw is a rate, or with positions the angle to turn by.

    Raises:
        InvalidValueError: the default offset is asked for, which is one of thrusts.
    """

    def __init__(self, cfg: NavigationActionCfg, env: Any):
        super().__init__(cfg, env)
        if cfg.use_default_offset:
            raise InvalidValueError(
                f"{type(cfg).__name__}.use_default_offset", True, "False", "It is one of thrusts."
            )
        self._scaled_by(("magnitude", "inclination", "yaw"))
        control = cfg.controller_cfg
        self._controller = control.class_type(control, self._asset, self.num_envs, self.device)
        self._allocation = torch.linalg.pinv(tensor(self._asset.allocation_matrices))
        self._commands = torch.zeros(self.num_envs, 4, device=self.device)
        self._prev_commands = torch.zeros_like(self._commands)
        self._goals = torch.zeros_like(self._commands)

    @property
    def commands(self) -> torch.Tensor:
        """Vector ahead, and yaw, of this decision [as the controller's], shape (num_envs, 4)."""
        return self._commands

    @property
    def prev_commands(self) -> torch.Tensor:
        """`commands` of the decision before."""
        return self._prev_commands

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, 3)."""
        super().process_actions(actions)
        self._prev_commands.copy_(self._commands)
        magnitude, inclination, yaw = self._processed_actions.clamp(-1.0, 1.0).unbind(dim=1)
        length = 0.5 * (magnitude + 1.0) * self.cfg.max_magnitude
        angle = inclination * self.cfg.max_inclination_angle
        ahead = [length * angle.cos(), torch.zeros_like(length), length * angle.sin()]
        self._commands.copy_(torch.stack([*ahead, yaw * self.cfg.max_yaw_command], dim=1))
        self._goals.copy_(self._commands)
        if isinstance(self._controller, LeePosController):
            data = self._asset.data
            way = quat_apply_yaw(tensor(data.root_quat_w), self._commands[:, :3])
            self._goals[:, :3] = tensor(data.root_pos_w) + way
            self._goals[:, 3] += tensor(data.heading_w)

    def apply_actions(self) -> None:
        """Set the thrusts that give the controller's wrench."""
        wrench = self._controller.compute(self._goals)
        self._asset.set_thrust_target((self._allocation @ wrench[..., None])[..., 0])

    def reset(self, env_ids: Any = None) -> None:
        """Forget the last actions, and start the controller over."""
        super().reset(env_ids)
        self._controller.reset_idx(env_ids)
        rows = slice(None) if env_ids is None else env_ids
        for held in (self._commands, self._prev_commands):
            held[rows] = 0.0


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


class NavigationActionCfg(ThrustActionCfg):
    """Flight of a multirotor that a controller follows; see `NavigationAction`.

    `scale`, `offset` and `clip` are of the numbers ``magnitude``, ``inclination`` and ``yaw``.
    """

    class_type: type[Any] = NavigationAction
    """Class of the term."""
    use_default_offset: bool = False
    """False: an offset of thrusts is none of this action."""
    controller_cfg: LeeControllerBaseCfg = MISSING  # type: ignore[assignment]
    """Controller of accelerations, velocities or positions."""
    max_magnitude: float = MISSING  # type: ignore[assignment]
    """Length of the vector at action 1 [m/s^2, m/s or m]."""
    max_inclination_angle: float = MISSING  # type: ignore[assignment]
    """Angle of the vector above level at action 1 [rad]."""
    max_yaw_command: float = MISSING  # type: ignore[assignment]
    """Yaw at action 1 [rad/s, or rad with positions]."""
