"""Joint wrench sensor configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usdsim.sensors.common.cfg import SensorBaseCfg

from .sensor import JointWrenchSensor

__all__ = ["JointWrenchSensorCfg"]


@dataclass(kw_only=True)
class JointWrenchSensorCfg(SensorBaseCfg):
    """Forces and torques at the incoming joints of bodies.

    The prim path is that of a robot, of one of its bodies, or ends with a pattern for names of
    bodies: ``{ENV_REGEX_NS}/Robot/.*_foot``.
    """

    class_type: type[Any] | None = JointWrenchSensor
    """Class of the sensor."""
