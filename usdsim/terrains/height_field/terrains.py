"""Height field terrains: rough ground, slopes, stairs, obstacles, waves, stepping stones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError

from .conversion import grid_nodes, height_field_to_mesh

if TYPE_CHECKING:
    from .cfg import (
        HfDiscreteObstaclesTerrainCfg,
        HfPyramidSlopedTerrainCfg,
        HfPyramidStairsTerrainCfg,
        HfRandomUniformTerrainCfg,
        HfSteppingStonesTerrainCfg,
        HfTerrainBaseCfg,
        HfWaveTerrainCfg,
    )

__all__ = [
    "discrete_obstacles_terrain",
    "pyramid_sloped_terrain",
    "pyramid_stairs_terrain",
    "random_uniform_terrain",
    "smooth",
    "stepping_stones_terrain",
    "wave_terrain",
]

Array = NDArray[np.float64]


def _cells(cfg: HfTerrainBaseCfg) -> tuple[int, int]:
    """Heights along x and y."""
    rows, columns = (grid_nodes(length, cfg.horizontal_scale) for length in cfg.size)
    return rows, columns


def _with_platform(
    heights: Array, cfg: HfDiscreteObstaclesTerrainCfg | HfSteppingStonesTerrainCfg
) -> Array:
    """The heights with a platform at 0 in the middle."""
    width = grid_nodes(cfg.platform_width, cfg.horizontal_scale)
    i, j = (slice((n - width) // 2, (n + width) // 2) for n in heights.shape)
    heights[i, j] = 0.0
    return heights


@height_field_to_mesh
def random_uniform_terrain(difficulty: float, cfg: HfRandomUniformTerrainCfg) -> Array:
    """Random heights, interpolated smoothly; the difficulty has no effect.

    Raises:
        InvalidValueError: points to interpolate are closer than those of the height field.
    """
    apart = cfg.horizontal_scale if cfg.downsampled_scale is None else cfg.downsampled_scale
    if apart < cfg.horizontal_scale:
        raise InvalidValueError(
            "downsampled_scale", apart, f"horizontal_scale ({cfg.horizontal_scale}) or more"
        )
    low, high, step = (
        round(value / cfg.vertical_scale) for value in (*cfg.noise_range, cfg.noise_step)
    )
    if step < 1 or high < low:
        raise InvalidValueError(
            "noise_step",
            cfg.noise_step,
            f"vertical_scale ({cfg.vertical_scale}) or more, and an ordered noise_range",
        )
    choices = np.arange(low, high + step, step)
    coarse = tuple(max(2, grid_nodes(length, apart)) for length in cfg.size)
    drawn = np.random.default_rng(cfg.seed).choice(choices, size=coarse).astype(np.float64)
    return smooth(drawn, _cells(cfg))


@height_field_to_mesh
def pyramid_sloped_terrain(difficulty: float, cfg: HfPyramidSlopedTerrainCfg) -> Array:
    """A pyramid with curved edges and a level top, or such a pit.

    Heights are products of the distances from the sides, so that the slope along the middle of a
    side is the one wanted.
    """
    slope = cfg.at(cfg.slope_range, difficulty) * (-1.0 if cfg.inverted else 1.0)
    along = []
    for count in _cells(cfg):
        half = count // 2
        along.append(1.0 - np.abs(half - np.arange(count)) / half)
    summit = slope * 0.5 * cfg.size[0] / cfg.vertical_scale
    heights = summit * np.outer(*along)
    half_platform = grid_nodes(0.5 * cfg.platform_width, cfg.horizontal_scale)
    i, j = (max(0, count // 2 - half_platform) for count in heights.shape)
    level = heights[i, j]
    return np.clip(heights, min(0.0, level), max(0.0, level))


@height_field_to_mesh
def pyramid_stairs_terrain(difficulty: float, cfg: HfPyramidStairsTerrainCfg) -> Array:
    """Stairs up to a platform from all sides, or down to it."""
    height = round(cfg.at(cfg.step_height_range, difficulty) / cfg.vertical_scale)
    width = grid_nodes(cfg.step_width, cfg.horizontal_scale)
    if width < 1:
        raise InvalidValueError(
            "step_width", cfg.step_width, f"horizontal_scale ({cfg.horizontal_scale}) or more"
        )
    platform = grid_nodes(cfg.platform_width, cfg.horizontal_scale)
    heights = np.zeros(_cells(cfg))
    rim = 0
    while min(heights.shape) - 2 * rim > max(platform, 2 * width):
        rim += width
        heights[rim : heights.shape[0] - rim, rim : heights.shape[1] - rim] += height
    return -heights if cfg.inverted else heights


@height_field_to_mesh
def discrete_obstacles_terrain(difficulty: float, cfg: HfDiscreteObstaclesTerrainCfg) -> Array:
    """Level ground with random rectangles above and below it, and a platform in the middle.

    Raises:
        InvalidValueError: the mode of heights is not known.
    """
    height = cfg.at(cfg.obstacle_height_range, difficulty) / cfg.vertical_scale
    choices = {"fixed": [1.0], "choice": [-1.0, -0.5, 0.5, 1.0]}.get(cfg.obstacle_height_mode)
    if choices is None:
        raise InvalidValueError(
            "obstacle_height_mode", cfg.obstacle_height_mode, "'choice' or 'fixed'"
        )
    rng = np.random.default_rng(cfg.seed)
    widths = [max(1, grid_nodes(n, cfg.horizontal_scale)) for n in cfg.obstacle_width_range]
    heights = np.zeros(_cells(cfg))
    for _ in range(cfg.num_obstacles):
        spans = []
        for count in heights.shape:
            width = min(count, int(rng.integers(widths[0], max(widths) + 1)))
            start = int(rng.integers(0, count - width + 1))
            spans.append(slice(start, start + width))
        heights[spans[0], spans[1]] = height * rng.choice(choices)
    return _with_platform(heights, cfg)


@height_field_to_mesh
def wave_terrain(difficulty: float, cfg: HfWaveTerrainCfg) -> Array:
    """Waves along x and along y: a (sin(2 pi n x / l) + cos(2 pi n y / l)) / 2, with l along y.

    Raises:
        InvalidValueError: the number of waves is not positive.
    """
    if not cfg.num_waves > 0:
        raise InvalidValueError("num_waves", cfg.num_waves, "a number above 0")
    amplitude = 0.5 * cfg.at(cfg.amplitude_range, difficulty) / cfg.vertical_scale
    rows, columns = _cells(cfg)
    turn = 2.0 * np.pi * cfg.num_waves / columns
    waves = np.sin(turn * np.arange(rows))[:, None] + np.cos(turn * np.arange(columns))
    return np.asarray(amplitude * waves)


@height_field_to_mesh
def stepping_stones_terrain(difficulty: float, cfg: HfSteppingStonesTerrainCfg) -> Array:
    """Stones in rows above a deep ground, narrower and farther apart the harder it is."""
    scale = cfg.horizontal_scale
    width = max(1, grid_nodes(cfg.at(cfg.stone_width_range[::-1], difficulty), scale))
    gap = grid_nodes(cfg.at(cfg.stone_distance_range, difficulty), scale)
    most = int(cfg.stone_height_max / cfg.vertical_scale)
    rng = np.random.default_rng(cfg.seed)
    heights = np.full(_cells(cfg), cfg.holes_depth / cfg.vertical_scale)
    for column in range(0, heights.shape[1], width + gap):
        # Every row of stones begins at another place.
        for row in range(-int(rng.integers(0, width + gap)), heights.shape[0], width + gap):
            stone = slice(max(0, row), max(0, row + width)), slice(column, column + width)
            heights[stone] = rng.integers(-most - 1, most) if most else 0
    return _with_platform(heights, cfg)


def smooth(values: Array, shape: tuple[int, ...]) -> Array:
    """A finer grid over the same rectangle, through the given numbers, without kinks.

    Along each axis, by Catmull and Rom's splines (1974); beyond the ends, the last line goes on.

    Args:
        values: shape (m, n).
        shape: of the result.
    """
    for axis, count in enumerate(shape):
        values = np.moveaxis(_along(np.moveaxis(values, axis, 0), count), 0, axis)
    return values


def _along(values: Array, count: int) -> Array:
    if count == len(values):
        return values
    place = np.linspace(0.0, len(values) - 1.0, count)
    left = np.minimum(place.astype(np.int64), len(values) - 2)
    t = (place - left)[:, None]
    padded = np.concatenate(
        [2.0 * values[:1] - values[1:2], values, 2.0 * values[-1:] - values[-2:-1]]
    )
    a, b, c, d = (padded[left + k] for k in range(4))
    slopes = 0.5 * (c - a), 0.5 * (d - b)
    return np.asarray(
        b
        + t * (slopes[0] + t * (3.0 * (c - b) - 2.0 * slopes[0] - slopes[1])
        + t**2 * (2.0 * (b - c) + slopes[0] + slopes[1]))
    )  # fmt: skip
