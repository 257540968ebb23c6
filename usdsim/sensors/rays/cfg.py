"""Ray caster configuration."""

from __future__ import annotations

import math
from dataclasses import MISSING, dataclass, field
from typing import Any, Literal

from usdsim.core.arguments import table
from usdsim.core.errors import InvalidValueError
from usdsim.sensors.common.cfg import OffsetCfg, SensorBaseCfg, check_path
from usdsim.sensors.patterns import PatternBaseCfg

from .ray_caster import ALIGNMENTS, RayCaster

__all__ = ["RayCasterCfg"]


@dataclass(kw_only=True)
class RayCasterCfg(SensorBaseCfg):
    """Rays from bodies, or from prims fixed to bodies or to the world."""

    class_type: type[Any] | None = RayCaster
    """Class of the sensor."""
    mesh_prim_paths: list[str] = field(default_factory=list)
    """Expressions for what the rays hit: all colliders at or below the prims, or where there are
    none, all visible shapes. Nothing else is hit."""
    offset: OffsetCfg = field(default_factory=OffsetCfg)
    """Pose of the pattern on the prim."""
    ray_alignment: Literal["base", "yaw", "world"] = "base"
    """Orientation that rays follow: all of the prim's orientation, its rotation about z,
    or none of it."""
    attach_yaw_only: bool | None = None
    """Older form of `ray_alignment`: True stands for ``yaw``, False for ``base``."""
    pattern_cfg: PatternBaseCfg = field(default_factory=lambda: MISSING)  # type: ignore[assignment]
    """Pattern of the rays."""
    max_distance: float = 1e6
    """Reach of the rays [m]."""
    drift_range: tuple[float, float] = (0.0, 0.0)
    """Bounds of the error of each coordinate of the position, drawn at every reset [m]."""
    seed: int | None = None
    """Seed of those errors; None: other ones in every run."""

    @property
    def alignment(self) -> str:
        """`ray_alignment`, unless `attach_yaw_only` says something else."""
        if self.attach_yaw_only is None:
            return self.ray_alignment
        return "yaw" if self.attach_yaw_only else "base"

    def validate(self) -> None:
        """Check every value; see `SensorBaseCfg.validate`."""
        super().validate()
        title = type(self).__name__
        paths: Any = self.mesh_prim_paths
        if isinstance(paths, str) or not paths:
            raise InvalidValueError(f"{title}.mesh_prim_paths", paths, "a list of expressions")
        for index, path in enumerate(paths):
            check_path(f"{title}.mesh_prim_paths[{index}]", path)
        self.offset.pose(f"{title}.offset")
        if self.ray_alignment not in ALIGNMENTS:
            allowed = ", ".join(map(repr, ALIGNMENTS))
            raise InvalidValueError(f"{title}.ray_alignment", self.ray_alignment, allowed)
        if not isinstance(self.pattern_cfg, PatternBaseCfg):
            raise InvalidValueError(
                f"{title}.pattern_cfg", self.pattern_cfg, "a pattern of usdsim.sensors.patterns"
            )
        self.pattern_cfg.validate()
        reach = self.max_distance
        if not isinstance(reach, int | float) or math.isnan(reach) or reach <= 0.0:
            raise InvalidValueError(f"{title}.max_distance", reach, "a distance above 0 m")
        low, high = table(f"{title}.drift_range", self.drift_range, (2,))
        if low > high:
            raise InvalidValueError(f"{title}.drift_range", self.drift_range, "(lower, upper)")
