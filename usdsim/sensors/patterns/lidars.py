"""Lidar patterns: rays of rotating and dome-shaped scanners, all from one point."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from usdsim.core.arguments import number, table, whole
from usdsim.core.errors import InvalidValueError

from .pattern_cfg import (
    Array,
    PatternBaseCfg,
    PatternFunction,
    Rays,
    ray_arrays,
)

__all__ = ["BpearlPatternCfg", "LidarPatternCfg", "bpearl_pattern", "lidar_pattern"]

_DEGREE = math.pi / 180.0
_FULL = 360.0


def _towards(elevation: Array, azimuth: Array) -> Array:
    """Unit vectors from angles above the xy plane and about z, from x [deg], shape (..., 3)."""
    v, h = elevation * _DEGREE, azimuth * _DEGREE
    return np.stack([np.cos(v) * np.cos(h), np.cos(v) * np.sin(h), np.sin(v)], axis=-1)


def lidar_pattern(cfg: LidarPatternCfg, device: Any = None) -> Rays:
    """Rays of a lidar, channel by channel; see `LidarPatternCfg`.

    Args:
        cfg: the pattern.
        device: where torch tensors of the rays live; None: arrays in NumPy.
    """
    elevations = np.linspace(*cfg.vertical_fov_range, cfg.channels)
    first, last = cfg.horizontal_fov_range
    count = math.ceil((last - first) / cfg.horizontal_res - 1e-9) + 1
    azimuths = np.linspace(first, last, count)
    if abs(last - first - _FULL) < 1e-6:
        # The last ray would be the first one again.
        azimuths = azimuths[:-1]
    directions = _towards(*np.meshgrid(elevations, azimuths, indexing="ij")).reshape(-1, 3)
    return ray_arrays(np.zeros_like(directions), directions, device)


@dataclass(kw_only=True)
class LidarPatternCfg(PatternBaseCfg):
    """A lidar with channels at equal angles; x is ahead, z up."""

    func: PatternFunction = lidar_pattern
    """Computes the rays."""
    channels: int = 16
    """Number of channels."""
    vertical_fov_range: tuple[float, float] = (-15.0, 15.0)
    """Angles of the lowest and highest channel above the xy plane [deg]."""
    horizontal_fov_range: tuple[float, float] = (-180.0, 180.0)
    """Angles about z of the first and last ray of a channel [deg]; a full turn leaves out the last,
    which would be the first again."""
    horizontal_res: float = 1.0
    """Largest angle between neighbouring rays of a channel [deg]."""

    def validate(self) -> None:
        """Check every value; see `PatternBaseCfg.validate`."""
        super().validate()
        title = type(self).__name__
        whole(f"{title}.channels", self.channels, 1)
        for name, most in (("vertical_fov_range", 180.0), ("horizontal_fov_range", _FULL)):
            value, allowed = getattr(self, name), f"two angles in order, at most {most} deg apart"
            low, high = table(f"{title}.{name}", value, (2,))
            if not 0.0 <= high - low <= most + 1e-9:
                raise InvalidValueError(f"{title}.{name}", value, allowed)
        number(f"{title}.horizontal_res", self.horizontal_res, unit="deg")


def bpearl_pattern(cfg: BpearlPatternCfg, device: Any = None) -> Rays:
    """Rays of a dome-shaped lidar; see `BpearlPatternCfg`.

    Args:
        cfg: the pattern.
        device: where torch tensors of the rays live; None: arrays in NumPy.
    """
    half = 0.5 * cfg.horizontal_fov
    azimuths = np.arange(-half, half, cfg.horizontal_res)
    elevations = np.asarray(cfg.vertical_ray_angles, np.float64)
    across, along = np.meshgrid(azimuths, elevations, indexing="ij")
    directions = _towards(along, across + 0.5 * _FULL).reshape(-1, 3)
    return ray_arrays(np.zeros_like(directions), directions, device)


@dataclass(kw_only=True)
class BpearlPatternCfg(PatternBaseCfg):
    """A lidar that sees half a sphere: a fan of rays from the xy plane to z, turned about z."""

    func: PatternFunction = bpearl_pattern
    """Computes the rays."""
    horizontal_fov: float = 360.0
    """Angle about z that is covered, centred on -x [deg]."""
    horizontal_res: float = 10.0
    """Angle between neighbouring fans [deg]."""
    vertical_ray_angles: list[float] = field(
        default_factory=lambda: [89.5 - 2.8125 * i for i in range(32)]
    )
    """Angles of the rays of a fan above the xy plane [deg]."""

    def validate(self) -> None:
        """Check every value; see `PatternBaseCfg.validate`."""
        super().validate()
        title = type(self).__name__
        number(f"{title}.horizontal_fov", self.horizontal_fov, 0.0, _FULL, unit="deg")
        number(f"{title}.horizontal_res", self.horizontal_res, unit="deg")
        angles = self.vertical_ray_angles
        table(f"{title}.vertical_ray_angles", angles, (max(np.size(angles), 1),))
