"""Height field meshes: elevations over a rectangle as triangles, with walls down from the rim."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["height_field_shell"]


def height_field_shell(
    heights: ArrayLike, half_extents: ArrayLike, depth: float
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Triangles of a height field without its floor, counter-clockwise from outside.

    The diagonal of each cell runs from its corner of small x and small y to the opposite one.

    Args:
        heights: elevations at the nodes [m], shape (rows along y, columns along x).
        half_extents: half extents of the rectangle along x and y [m], shape (2,).
        depth: how far below height 0 the feet of the walls are [m].

    Returns:
        Points [m], shape (n, 3): the nodes row by row, then the feet of the walls around the rim,
        counter-clockwise from above. Triangles, shape (m, 3): of the cells, then of the walls.
    """
    z = np.asarray(heights, np.float64)
    rows, columns = z.shape
    half_x, half_y = np.asarray(half_extents, np.float64)
    x, y = np.meshgrid(np.linspace(-half_x, half_x, columns), np.linspace(-half_y, half_y, rows))
    nodes = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    node = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (
        part.ravel() for part in (node[:-1, :-1], node[:-1, 1:], node[1:, 1:], node[1:, :-1])
    )
    cells = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3)
    rim = np.concatenate([node[0, :-1], node[:-1, -1], node[-1, :0:-1], node[:0:-1, 0]])
    foot = len(nodes) + np.arange(len(rim))
    next_rim, next_foot = np.roll(rim, -1), np.roll(foot, -1)
    walls = [
        np.stack(corners, axis=-1)
        for corners in ((rim, foot, next_foot), (rim, next_foot, next_rim))
    ]
    feet = np.column_stack([nodes[rim, :2], np.full(len(rim), -depth)])
    return np.concatenate([nodes, feet]), np.concatenate([cells, *walls]).astype(np.int32)
