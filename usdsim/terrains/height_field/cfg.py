"""Configurations of height field terrains."""

from __future__ import annotations

from dataclasses import MISSING

from usdsim.terrains.cfg import SubTerrainBaseCfg, TerrainFunction

from . import terrains

__all__ = [
    "HfDiscreteObstaclesTerrainCfg",
    "HfInvertedPyramidSlopedTerrainCfg",
    "HfInvertedPyramidStairsTerrainCfg",
    "HfPyramidSlopedTerrainCfg",
    "HfPyramidStairsTerrainCfg",
    "HfRandomUniformTerrainCfg",
    "HfSteppingStonesTerrainCfg",
    "HfTerrainBaseCfg",
    "HfWaveTerrainCfg",
]


class HfTerrainBaseCfg(SubTerrainBaseCfg):
    """A piece made of heights over a grid; the generator sets its own scales and threshold."""

    border_width: float = 0.0
    """Width of the level border at height 0 [m]; it has at least one cell."""
    horizontal_scale: float = 0.1
    """Distance of points [m]."""
    vertical_scale: float = 0.005
    """Steps of heights [m]."""
    slope_threshold: float | None = None
    """Slope from which on the surface is vertical; None: it stays as it is."""


class HfRandomUniformTerrainCfg(HfTerrainBaseCfg):
    """Rough ground."""

    function: TerrainFunction = terrains.random_uniform_terrain
    noise_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Least and greatest height [m]."""
    noise_step: float = MISSING  # type: ignore[assignment]
    """Difference of heights that are drawn [m]."""
    downsampled_scale: float | None = None
    """Distance of points whose heights are drawn [m]; None: all are."""


class HfPyramidSlopedTerrainCfg(HfTerrainBaseCfg):
    """Slopes up to a platform."""

    function: TerrainFunction = terrains.pyramid_sloped_terrain
    slope_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Slope, height per length, at difficulty 0 and 1."""
    platform_width: float = 1.0
    """Width of the platform in the middle [m]."""
    inverted: bool = False
    """Whether slopes lead down to it."""


class HfInvertedPyramidSlopedTerrainCfg(HfPyramidSlopedTerrainCfg):
    """Slopes down to a platform."""

    inverted: bool = True
    """Whether slopes lead down to it."""


class HfPyramidStairsTerrainCfg(HfTerrainBaseCfg):
    """Stairs up to a platform."""

    function: TerrainFunction = terrains.pyramid_stairs_terrain
    step_height_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Height of a step at difficulty 0 and 1 [m]."""
    step_width: float = MISSING  # type: ignore[assignment]
    """Width of a step [m]."""
    platform_width: float = 1.0
    """Width of the platform in the middle [m]."""
    inverted: bool = False
    """Whether stairs lead down to it."""


class HfInvertedPyramidStairsTerrainCfg(HfPyramidStairsTerrainCfg):
    """Stairs down to a platform."""

    inverted: bool = True
    """Whether stairs lead down to it."""


class HfDiscreteObstaclesTerrainCfg(HfTerrainBaseCfg):
    """Rectangles above and below level ground."""

    function: TerrainFunction = terrains.discrete_obstacles_terrain
    obstacle_height_mode: str = "choice"
    """``fixed``: all have the same height; ``choice``: it, half of it, or as far below."""
    obstacle_width_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Least and greatest width [m]."""
    obstacle_height_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Height at difficulty 0 and 1 [m]."""
    num_obstacles: int = MISSING  # type: ignore[assignment]
    """Number of obstacles."""
    platform_width: float = 1.0
    """Width of the level platform in the middle [m]."""


class HfWaveTerrainCfg(HfTerrainBaseCfg):
    """Waves."""

    function: TerrainFunction = terrains.wave_terrain
    amplitude_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Greatest height at difficulty 0 and 1 [m]."""
    num_waves: float = 1.0
    """Number of waves along y."""


class HfSteppingStonesTerrainCfg(HfTerrainBaseCfg):
    """Stones with holes between them."""

    function: TerrainFunction = terrains.stepping_stones_terrain
    stone_height_max: float = MISSING  # type: ignore[assignment]
    """Largest height of stones above or below 0 [m]."""
    stone_width_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Width of stones at difficulty 1 and 0 [m]."""
    stone_distance_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Distance between stones at difficulty 0 and 1 [m]."""
    holes_depth: float = -10.0
    """Height of the ground between stones [m]."""
    platform_width: float = 1.0
    """Width of the platform in the middle [m]."""
