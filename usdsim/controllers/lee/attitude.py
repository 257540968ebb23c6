"""Attitude control of multirotors: thrust, roll, pitch and yaw rate."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from usdsim.math.tensors import quat_from_euler_xyz

from .base import Craft, LeeControllerBase, LeeControllerBaseCfg, turning

__all__ = ["LeeAttController", "LeeAttControllerCfg"]


class LeeAttController(LeeControllerBase):
    """Controller of attitudes; see `LeeControllerBase`.

    Commands are thrust, roll [rad], pitch [rad] and yaw rate [rad/s]. A thrust of 0 is the weight,
    one of -1 is nothing. Roll and pitch are kept within the largest inclination; yaw is free, and
    turns at its rate.
    """

    def _goal(self, command: Tensor, craft: Craft) -> tuple[Tensor, Tensor, Tensor]:
        thrust, roll, pitch, rate = command.unbind(dim=1)
        yaw, rates = turning(rate, craft)
        most = self.cfg.max_inclination_angle_rad
        orientation = quat_from_euler_xyz(roll.clamp(-most, most), pitch.clamp(-most, most), yaw)
        lift = (thrust + 1.0) * self.mass * craft.gravity.norm(dim=1)
        return lift, orientation, rates


class LeeAttControllerCfg(LeeControllerBaseCfg):
    """Configuration of a `LeeAttController`."""

    class_type: type[Any] = LeeAttController
    """Class of the controller."""
