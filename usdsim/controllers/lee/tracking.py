"""Tracking control of multirotors: accelerations, velocities and positions."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import MISSING
from typing import Any, ClassVar

import torch
from torch import Tensor

from usdsim.math.tensors import matrix_from_quat, quat_apply_yaw

from .base import Craft, Gains, LeeControllerBase, LeeControllerBaseCfg, turning
from .geometry import compute_desired_orientation, limit_inclination

__all__ = [
    "LeeAccController",
    "LeeAccControllerCfg",
    "LeePosController",
    "LeePosControllerCfg",
    "LeeVelController",
    "LeeVelControllerCfg",
]


class Tracker(LeeControllerBase):
    """Base of controllers whose command asks for an acceleration and a way to turn."""

    @abstractmethod
    def _acceleration(self, command: Tensor, craft: Craft) -> Tensor:
        """Acceleration asked for in world [m/s^2], shape (num_envs, 3)."""

    def _heading(self, command: Tensor, craft: Craft) -> tuple[Tensor, Tensor]:
        """Yaw asked for [rad], and angular velocity in the body's axes [rad/s]."""
        return turning(command[:, 3], craft)

    def _goal(self, command: Tensor, craft: Craft) -> tuple[Tensor, Tensor, Tensor]:
        force = self.mass[:, None] * (self._acceleration(command, craft) - craft.gravity)
        lift = (force * matrix_from_quat(craft.quat)[:, :, 2]).sum(dim=1)
        yaw, rates = self._heading(command, craft)
        within = limit_inclination(force, self.cfg.max_inclination_angle_rad)
        return lift, compute_desired_orientation(within, yaw), rates


class LeeAccController(Tracker):
    """Controller of accelerations; see `LeeControllerBase`.

    Commands are an acceleration in world [m/s^2] and a yaw rate [rad/s].
    """

    def _acceleration(self, command: Tensor, craft: Craft) -> Tensor:
        return command[:, :3]


class LeeVelController(Tracker):
    """Controller of velocities; see `LeeControllerBase`.

    Commands are a velocity in world axes turned by the vehicle's yaw [m/s] and a yaw rate [rad/s].
    The acceleration is K_vel (v_goal - v).
    """

    gains: ClassVar[tuple[str, ...]] = ("K_vel", "K_rot", "K_angvel")

    def _acceleration(self, command: Tensor, craft: Craft) -> Tensor:
        return self._gain("K_vel") * (quat_apply_yaw(craft.quat, command[:, :3]) - craft.velocity)


class LeePosController(Tracker):
    """Controller of positions; see `LeeControllerBase`.

    Commands are a position of the root in world [m] and a yaw [rad]. The acceleration is
    K_pos (p_goal - p) - K_vel v.
    """

    gains: ClassVar[tuple[str, ...]] = ("K_pos", "K_vel", "K_rot", "K_angvel")

    def _acceleration(self, command: Tensor, craft: Craft) -> Tensor:
        away = command[:, :3] - craft.position
        return self._gain("K_pos") * away - self._gain("K_vel") * craft.velocity

    def _heading(self, command: Tensor, craft: Craft) -> tuple[Tensor, Tensor]:
        return command[:, 3], torch.zeros_like(craft.spin)


class LeeAccControllerCfg(LeeControllerBaseCfg):
    """Configuration of a `LeeAccController`."""

    class_type: type[Any] = LeeAccController
    """Class of the controller."""


class LeeVelControllerCfg(LeeControllerBaseCfg):
    """Configuration of a `LeeVelController`."""

    class_type: type[Any] = LeeVelController
    """Class of the controller."""
    K_vel_range: Gains = MISSING  # type: ignore[assignment]
    """Least and largest acceleration per error of velocity along world x, y and z [1/s]."""


class LeePosControllerCfg(LeeControllerBaseCfg):
    """Configuration of a `LeePosController`."""

    class_type: type[Any] = LeePosController
    """Class of the controller."""
    K_pos_range: Gains = MISSING  # type: ignore[assignment]
    """Least and largest acceleration per error of position along world x, y and z [1/s^2]."""
    K_vel_range: Gains = MISSING  # type: ignore[assignment]
    """Least and largest acceleration per velocity along world x, y and z [1/s]."""
