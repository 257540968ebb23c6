"""Grid patterns: parallel rays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from usdsim.core.arguments import choice, number, table

from .pattern_cfg import (
    PatternBaseCfg,
    PatternFunction,
    Rays,
    ray_arrays,
)

__all__ = ["GridPatternCfg", "grid_pattern"]


def grid_pattern(cfg: GridPatternCfg, device: Any = None) -> Rays:
    """Rays of a grid centred on the sensor; see `GridPatternCfg`.

    Args:
        cfg: the pattern.
        device: where torch tensors of the rays live; None: arrays in NumPy.
    """
    cfg.validate()
    x, y = (np.arange(-0.5 * extent, 0.5 * extent + 1e-9, cfg.resolution) for extent in cfg.size)
    across, along = np.meshgrid(x, y, indexing="xy" if cfg.ordering == "xy" else "ij")
    starts = np.stack([across.ravel(), along.ravel(), np.zeros(across.size)], axis=1)
    directions = np.tile(np.asarray(cfg.direction, np.float64), (len(starts), 1))
    return ray_arrays(starts, directions, device)


@dataclass(kw_only=True)
class GridPatternCfg(PatternBaseCfg):
    """Parallel rays on a grid in the sensor's xy plane."""

    func: PatternFunction = grid_pattern
    """Computes the rays."""
    resolution: float = 0.1
    """Distance of neighbouring rays [m]."""
    size: tuple[float, float] = (1.0, 1.0)
    """Extent along x and y [m]; rays at both ends where it is a multiple of the resolution."""
    direction: tuple[float, float, float] = (0.0, 0.0, -1.0)
    """Direction of the rays."""
    ordering: Literal["xy", "yx"] = "xy"
    """Coordinate that the first index of consecutive rays runs over: x (``xy``) or y (``yx``)."""

    def validate(self) -> None:
        """Check every value; see `PatternBaseCfg.validate`."""
        super().validate()
        title = type(self).__name__
        number(f"{title}.resolution", self.resolution, unit="m")
        for length in table(f"{title}.size", self.size, (2,)).tolist():
            number(f"{title}.size", length, above=False, unit="m")
        table(f"{title}.direction", self.direction, (3,))
        choice(f"{title}.ordering", self.ordering, ("xy", "yx"))
