"""Contact sensor configuration."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from usdsim.core.errors import InvalidValueError
from usdsim.sensors.common.cfg import SensorBaseCfg, check_path

from .sensor import ContactSensor

__all__ = ["ContactSensorCfg"]


@dataclass(kw_only=True)
class ContactSensorCfg(SensorBaseCfg):
    """Contact forces on bodies.

    The last part of the prim path is matched with names of bodies, at any depth if it is a
    pattern: ``{ENV_REGEX_NS}/Robot/.*_foot``.
    """

    class_type: type[Any] | None = ContactSensor
    """Class of the sensor."""
    track_pose: bool = False
    """Whether there are poses of the bodies in the data."""
    track_air_time: bool = False
    """Whether there are times in contact and in the air in the data."""
    force_threshold: float = 1.0
    """Force from which on a body counts as in contact, for those times [N]."""
    filter_prim_paths_expr: list[str] = field(default_factory=list)
    """Expressions for what contact forces are told apart by: bodies, or prims with fixed colliders
    such as the ground. Each match is one filter."""

    def validate(self) -> None:
        """Check every value; see `SensorBaseCfg.validate`."""
        super().validate()
        title, threshold = type(self).__name__, self.force_threshold
        if not isinstance(threshold, int | float) or not math.isfinite(threshold) or threshold < 0:
            raise InvalidValueError(f"{title}.force_threshold", threshold, "0 N or more")
        if isinstance(self.filter_prim_paths_expr, str):
            raise InvalidValueError(
                f"{title}.filter_prim_paths_expr",
                self.filter_prim_paths_expr,
                "a list of expressions",
                "Put it in a list.",
            )
        for index, path in enumerate(self.filter_prim_paths_expr):
            check_path(f"{title}.filter_prim_paths_expr[{index}]", path)
