"""Inertial measurement unit configuration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from usdsim.core.arguments import table
from usdsim.sensors.common.cfg import OffsetCfg, SensorBaseCfg

from .imu import Imu, Pva

__all__ = ["ImuCfg", "PvaCfg"]


@dataclass(kw_only=True)
class ImuCfg(SensorBaseCfg):
    """An inertial measurement unit on a body, or on a prim fixed to one."""

    class_type: type[Any] | None = Imu
    """Class of the sensor."""
    offset: OffsetCfg = field(default_factory=OffsetCfg)
    """Pose of the sensor on the prim."""
    gravity_bias: tuple[float, float, float] = (0.0, 0.0, 9.81)
    """Bias added to the linear acceleration in world [m/s^2]; the opposite of gravity makes it
    what an accelerometer shows, zero makes it the acceleration itself."""

    def validate(self) -> None:
        """Check every value; see `SensorBaseCfg.validate`."""
        super().validate()
        self.offset.pose(f"{type(self).__name__}.offset")
        table(f"{type(self).__name__}.gravity_bias", self.gravity_bias, (3,))


@dataclass(kw_only=True)
class PvaCfg(ImuCfg):
    """A sensor of pose, velocity and acceleration on a body, or on a prim fixed to one."""

    class_type: type[Any] | None = Pva
    """Class of the sensor."""
    gravity_bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Bias added to the linear acceleration in world [m/s^2]."""
