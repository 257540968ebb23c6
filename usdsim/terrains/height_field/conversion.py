"""Height fields as triangle meshes, cut the way the engine cuts its own height fields."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.terrains.surfaces import TerrainMesh

__all__ = ["convert_height_field_to_mesh", "grid_nodes", "height_field_to_mesh"]

Array = NDArray[np.float64]


def grid_nodes(length: float, scale: float) -> int:
    """Cells of a height field along a length, both [m]: as many as fit."""
    return int(length / scale + 1e-6)


def height_field_to_mesh(
    function: Callable[[float, Any], ArrayLike],
) -> Callable[[float, Any], tuple[list[TerrainMesh], Array]]:
    """Make a function that computes heights one that makes a piece of terrain.

    What it gets is a configuration whose `size` is what is left without the border; of a piece with
    n cells along an axis and a border of b cells these are n - 2 b - 1 cells' lengths. What it
    returns are heights in steps of ``vertical_scale``, one for each of these, shape (along x, along
    y). The border, of at least one cell, is level at height 0. The origin is in the middle, at the
    greatest height within a metre.

    Raises:
        InvalidValueError: the border is narrower than a cell, or leaves nothing.
        ShapeError: there are not as many heights as there should be.
    """

    @functools.wraps(function)
    def make(difficulty: float, cfg: Any) -> tuple[list[TerrainMesh], Array]:
        scale = float(cfg.horizontal_scale)
        if 0.0 < cfg.border_width < scale:
            raise InvalidValueError(
                "border_width", cfg.border_width, f"0, or horizontal_scale ({scale}) and more"
            )
        nodes = [grid_nodes(length, scale) + 1 for length in cfg.size]
        rim = grid_nodes(cfg.border_width, scale) + 1
        inner = tuple(count - 2 * rim for count in nodes)
        if min(inner) < 1:
            raise InvalidValueError(
                "border_width", cfg.border_width, f"less than half of the size, {cfg.size}"
            )
        heights = np.zeros(nodes)
        part = cfg.replace(size=tuple(count * scale for count in inner))
        found = np.asarray(function(difficulty, part), np.float64)
        if found.shape != inner:
            raise ShapeError(f"heights of {function.__name__}", found.shape, str(inner))
        heights[rim:-rim, rim:-rim] = np.rint(found)
        points, faces = convert_height_field_to_mesh(
            heights, scale, float(cfg.vertical_scale), cfg.slope_threshold
        )
        return [TerrainMesh(points, faces)], _origin(heights, cfg)

    return make


def _origin(heights: Array, cfg: Any) -> Array:
    """Middle of a piece, at the greatest height within a metre [m], shape (3,)."""
    scale = cfg.horizontal_scale
    spans = [
        slice(max(0, int((0.5 * length - 1.0) / scale)), int((0.5 * length + 1.0) / scale))
        for length in cfg.size
    ]
    height = float(heights[spans[0], spans[1]].max()) * cfg.vertical_scale
    return np.array([0.5 * cfg.size[0], 0.5 * cfg.size[1], height])


def convert_height_field_to_mesh(
    height_field: ArrayLike,
    horizontal_scale: float,
    vertical_scale: float,
    slope_threshold: float | None = None,
) -> tuple[Array, NDArray[np.int64]]:
    """Triangles of a height field.

    Cells are cut from their corner of small x and large y to the opposite one, as in the engine's
    height fields, so that a mesh without vertical walls collides as one.

    Args:
        height_field: heights in steps, shape (along x, along y).
        horizontal_scale: distance of points [m].
        vertical_scale: height of a step [m].
        slope_threshold: slope above which the lower point of an edge is moved below the upper one,
            which makes a vertical wall; None: never.

    Returns:
        Points [m], shape (n, 3), and corners of triangles, shape (m, 3).
    """
    heights = np.asarray(height_field, np.float64)
    rows, columns = heights.shape
    x, y = np.meshgrid(
        horizontal_scale * np.arange(rows), horizontal_scale * np.arange(columns), indexing="ij"
    )
    if slope_threshold is not None:
        step = slope_threshold * horizontal_scale / vertical_scale
        along_x, along_y, across = _walls(heights, step)
        x = x + horizontal_scale * np.where(along_x == 0, across, along_x)
        y = y + horizontal_scale * np.where(along_y == 0, across, along_y)
    points = np.stack([x.ravel(), y.ravel(), vertical_scale * heights.ravel()], axis=1)
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    right, up, opposite = corner + columns, corner + 1, corner + columns + 1
    faces = np.stack([corner, right, up, right, opposite, up], axis=1).reshape(-1, 3)
    return points, faces.astype(np.int64)


def _walls(heights: Array, step: float) -> tuple[Array, Array, Array]:
    """Cells by which points are moved along x, along y, and along both across corners."""
    moves = []
    for ahead in ((1, 0), (0, 1), (1, 1)):
        rise = np.zeros_like(heights)
        near = tuple(slice(0, n - d) for n, d in zip(heights.shape, ahead, strict=True))
        far = tuple(slice(d, n) for n, d in zip(heights.shape, ahead, strict=True))
        up = heights[far] - heights[near]
        climbs, falls = np.zeros_like(heights, bool), np.zeros_like(heights, bool)
        climbs[far], falls[near] = up > step, up < -step
        ridge = climbs & falls  # A point wide: walls on both sides would leave nothing of it.
        rise[near] += (up > step) & ~ridge[far]
        rise[far] -= (up < -step) & ~ridge[near]
        moves.append(rise)
    return moves[0], moves[1], moves[2]
