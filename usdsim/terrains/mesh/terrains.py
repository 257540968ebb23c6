"""Terrains of boxes: plane, stairs, grid, rails, pit, box, gap, floating ring, star."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.terrains.surfaces import TerrainMesh, border, box, box_about, box_between, plane, prism

if TYPE_CHECKING:
    from usdsim.terrains.cfg import SubTerrainBaseCfg

    from .cfg import (
        MeshBoxTerrainCfg,
        MeshFloatingRingTerrainCfg,
        MeshGapTerrainCfg,
        MeshPitTerrainCfg,
        MeshPlaneTerrainCfg,
        MeshPyramidStairsTerrainCfg,
        MeshRailsTerrainCfg,
        MeshRandomGridTerrainCfg,
        MeshStarTerrainCfg,
        _Platform,
    )

__all__ = [
    "box_terrain",
    "flat_terrain",
    "floating_ring_terrain",
    "gap_terrain",
    "inverted_pyramid_stairs_terrain",
    "pit_terrain",
    "pyramid_stairs_terrain",
    "rails_terrain",
    "random_grid_terrain",
    "star_terrain",
]

Array = NDArray[np.float64]
Piece = tuple[list[TerrainMesh], Array]

DEPTH = 1.0
"""Depth of solids below the lowest surface [m]."""
SECOND = 0.6
"""Place of a second ring, between the platform (0) and the edge (1)."""


def _platform(cfg: _Platform, bottom: float, top: float) -> list[TerrainMesh]:
    return box_about(cfg.center, [cfg.platform_width] * 2, bottom, top)


def _ground(size: tuple[float, float], top: float = 0.0) -> list[TerrainMesh]:
    return box_between((0.0, 0.0), size, top - DEPTH, top)


def _origin(cfg: SubTerrainBaseCfg, height: float) -> Array:
    return np.array([*cfg.center, height])


def _ring_size(cfg: MeshRailsTerrainCfg | MeshPitTerrainCfg | MeshBoxTerrainCfg) -> list[float]:
    """Lengths of the second ring [m]."""
    return [cfg.platform_width + (n - cfg.platform_width) * SECOND for n in cfg.size]


def flat_terrain(difficulty: float, cfg: MeshPlaneTerrainCfg) -> Piece:
    """Level ground; the difficulty has no effect."""
    return [plane(cfg.size)], _origin(cfg, 0.0)


def _num_steps(cfg: MeshPyramidStairsTerrainCfg) -> int:
    if not cfg.step_width > 0.0:
        raise InvalidValueError("step_width", cfg.step_width, "a length above 0 m")
    room = min(cfg.size) - 2.0 * cfg.border_width - cfg.platform_width
    return max(0, int(room // (2.0 * cfg.step_width)) + 1)


def _spokes(
    cfg: MeshPyramidStairsTerrainCfg, near: float, bottom: float, top: float
) -> list[TerrainMesh]:
    """A step on each side, as wide as the platform, that begins so far from the border [m]."""
    x, y = cfg.center
    half, far = 0.5 * cfg.platform_width, near + cfg.step_width
    edge = [0.5 * n - cfg.border_width for n in cfg.size]
    spans = [
        ((x - half, y + edge[1] - far), (x + half, y + edge[1] - near)),
        ((x - half, y - edge[1] + near), (x + half, y - edge[1] + far)),
        ((x + edge[0] - far, y - half), (x + edge[0] - near, y + half)),
        ((x - edge[0] + near, y - half), (x - edge[0] + far, y + half)),
    ]
    return [part for low, high in spans for part in box_between(low, high, bottom, top)]


def pyramid_stairs_terrain(difficulty: float, cfg: MeshPyramidStairsTerrainCfg) -> Piece:
    """Stairs up to a platform from all sides; with ``holes``, only along x and y."""
    height, count = cfg.at(cfg.step_height_range, difficulty), _num_steps(cfg)
    inner = [n - 2.0 * cfg.border_width for n in cfg.size]
    parts = [] if cfg.holes else border(cfg.center, cfg.size, inner, -DEPTH, 0.0)
    for step in range(count + 1):
        top, shrink = (step + 1) * height, 2.0 * step * cfg.step_width
        if cfg.holes and step < count:
            parts += _spokes(cfg, step * cfg.step_width, -DEPTH, top)
            continue
        # A step is one box below all steps above it: a quarter of the boxes that a ring takes.
        parts += box_about(cfg.center, [n - shrink for n in inner], -DEPTH, top)
    return parts, _origin(cfg, (count + 1) * height)


def inverted_pyramid_stairs_terrain(difficulty: float, cfg: MeshPyramidStairsTerrainCfg) -> Piece:
    """Stairs down to a platform from all sides; with ``holes``, only along x and y."""
    height, count = cfg.at(cfg.step_height_range, difficulty), _num_steps(cfg)
    lowest = -(count + 1) * height
    inner = [n - 2.0 * cfg.border_width for n in cfg.size]
    bottom = lowest - DEPTH
    parts = [] if cfg.holes else border(cfg.center, cfg.size, inner, bottom, 0.0)
    for step in range(count):
        top = -(step + 1) * height
        if cfg.holes:
            parts += _spokes(cfg, step * cfg.step_width, bottom, top)
            continue
        outer = [n - 2.0 * step * cfg.step_width for n in inner]
        within = [n - 2.0 * cfg.step_width for n in outer]
        parts += border(cfg.center, outer, within, bottom, top)
    platform = [n - 2.0 * count * cfg.step_width for n in inner]
    parts += box_about(cfg.center, platform, bottom, lowest)
    return parts, _origin(cfg, lowest)


def random_grid_terrain(difficulty: float, cfg: MeshRandomGridTerrainCfg) -> Piece:
    """Square columns of random heights about 0, and a platform as high as the highest may be.

    With ``holes`` there are columns only in line with the platform.

    Raises:
        InvalidValueError: the piece is not square, or has room for no column.
    """
    if cfg.size[0] != cfg.size[1]:
        raise InvalidValueError("size", cfg.size, "a square, for a grid of columns")
    count = int(cfg.size[0] / cfg.grid_width - 1e-9)
    if count < 1:
        raise InvalidValueError("grid_width", cfg.grid_width, f"less than the size, {cfg.size[0]}")
    height = cfg.at(cfg.grid_height_range, difficulty)
    width, inner = cfg.grid_width, count * cfg.grid_width
    parts = [] if cfg.holes else border(cfg.center, cfg.size, (inner, inner), -DEPTH, 0.0)
    tops = np.random.default_rng(cfg.seed).uniform(-height, height, (count, count))
    corner = 0.5 * (cfg.size[0] - inner) + width * np.arange(count)
    middle, half = cfg.center[0], 0.5 * cfg.platform_width
    in_line = (corner > middle - half) & (corner + width < middle + half)
    for (i, j), top in np.ndenumerate(tops):
        if not cfg.holes or in_line[i] or in_line[j]:
            start, end = corner[[i, j]], corner[[i, j]] + width
            parts += box_between(start.tolist(), end.tolist(), -DEPTH, float(top))
    return parts + _platform(cfg, -DEPTH, height), _origin(cfg, height)


def rails_terrain(difficulty: float, cfg: MeshRailsTerrainCfg) -> Piece:
    """Two square rails about the platform, on level ground."""
    height = cfg.at(cfg.rail_height_range, difficulty)
    rings = [cfg.platform_width] * 2, _ring_size(cfg)
    parts = _ground(cfg.size)
    for inner, thickness in zip(rings, cfg.rail_thickness_range, strict=True):
        outer = [n + 2.0 * thickness for n in inner]
        parts += border(cfg.center, outer, inner, -0.5 * DEPTH, height)
    return parts, _origin(cfg, 0.0)


def pit_terrain(difficulty: float, cfg: MeshPitTerrainCfg) -> Piece:
    """A pit with the platform at its bottom; a double one has a step half way."""
    depth = cfg.at(cfg.pit_depth_range, difficulty)
    total = 2.0 * depth if cfg.double_pit else depth
    platform = [cfg.platform_width] * 2
    inner = _ring_size(cfg) if cfg.double_pit else platform
    parts = border(cfg.center, cfg.size, inner, -total - DEPTH, 0.0)
    if cfg.double_pit:
        parts += border(cfg.center, inner, platform, -total - DEPTH, -depth)
    parts += _platform(cfg, -total - DEPTH, -total)
    return parts, _origin(cfg, -total)


def box_terrain(difficulty: float, cfg: MeshBoxTerrainCfg) -> Piece:
    """A box with the platform on top, on level ground; a double one has a step half way."""
    height = cfg.at(cfg.box_height_range, difficulty)
    total = 2.0 * height if cfg.double_box else height
    parts = _ground(cfg.size) + _platform(cfg, -DEPTH, total)
    if cfg.double_box:
        parts += box_about(cfg.center, _ring_size(cfg), -DEPTH, height)
    return parts, _origin(cfg, total)


def gap_terrain(difficulty: float, cfg: MeshGapTerrainCfg) -> Piece:
    """A platform with a gap all around, which has no ground."""
    width = cfg.platform_width + 2.0 * cfg.at(cfg.gap_width_range, difficulty)
    parts = border(cfg.center, cfg.size, (width, width), -DEPTH, 0.0)
    return parts + _platform(cfg, -DEPTH, 0.0), _origin(cfg, 0.0)


def floating_ring_terrain(difficulty: float, cfg: MeshFloatingRingTerrainCfg) -> Piece:
    """A square ring above level ground, lower and wider the harder it is."""
    height = cfg.at(cfg.ring_height_range[::-1], difficulty)
    width = cfg.platform_width + 2.0 * cfg.at(cfg.ring_width_range, difficulty)
    inner = [cfg.platform_width] * 2
    ring = border(cfg.center, (width, width), inner, height, height + cfg.ring_thickness)
    return _ground(cfg.size) + ring, _origin(cfg, 0.0)


def star_terrain(difficulty: float, cfg: MeshStarTerrainCfg) -> Piece:
    """Bars from the edge to a round platform and across, above a lower ground.

    Raises:
        InvalidValueError: there are fewer than two bars.
    """
    if cfg.num_bars < 2:
        raise InvalidValueError("num_bars", cfg.num_bars, "2 or more")
    height = cfg.at(cfg.bar_height_range, difficulty)
    width = cfg.at(cfg.bar_width_range[::-1], difficulty)
    middle = np.array([*cfg.center, -0.5 * height])
    parts = [prism(0.5 * cfg.platform_width, height, 2 * cfg.num_bars, middle)]
    for index in range(cfg.num_bars):
        yaw = math.pi * index / cfg.num_bars
        length = cfg.size[0] / max(abs(math.cos(yaw)), abs(math.sin(yaw)))
        turn = np.array([0.0, 0.0, math.sin(0.5 * yaw), math.cos(0.5 * yaw)])
        parts.append(box((length - width, width, height), middle, turn))
    inner = [n - 2.0 * width for n in cfg.size]
    parts += border(cfg.center, cfg.size, inner, -height - DEPTH, 0.0)
    return parts + _ground(cfg.size, -height), _origin(cfg, 0.0)
