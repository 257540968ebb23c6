"""Triangle meshes that are elevations over a regular grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.math.rotations import quat_from_matrix
from usdsim.math.transforms import Pose

from .bounds import bounds

__all__ = ["HeightGrid", "height_grid"]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

PLACE = 1e-3
"""Tolerance of a point's place in the grid, in cells: float32 points of large terrains."""
LEVEL = 2e-6
"""Tolerance of elevations, in parts of the mesh's extent."""
FALLING = np.array([0b0111, 0b1110])
RISING = np.array([0b1011, 0b1101])
"""Corners (bit x + 2 y) of the two triangles of a cell, by the direction of its diagonal."""


@dataclass(frozen=True, slots=True, eq=False)
class HeightGrid:
    """Elevations at the nodes of a rectangular grid, joined by triangles.

    The diagonal of each cell runs from its corner of small x and large y to the opposite one.
    """

    elevation: Array
    """Above the lowest node [m], shape (rows along y, columns along x)."""
    half_extents: Array
    """Half extents of the rectangle along x and y [m], shape (2,)."""
    pose: Pose
    """Pose of the rectangle's centre at the lowest elevation, z up, in the mesh's frame."""


def height_grid(points: ArrayLike, faces: ArrayLike) -> HeightGrid | None:
    """The grid a mesh is made of: whole, axis-aligned, every triangle facing up.

    Up is any axis of the mesh's frame.

    Args:
        points: vertices [m], shape (n, 3).
        faces: triangles, shape (m, 3).

    Returns:
        None where the mesh is anything else, such as one with a hole or an overhang.
    """
    cloud, triangles = np.asarray(points, np.float64), np.asarray(faces, np.int64)
    if len(triangles) < 2:
        return None
    used, inverse = np.unique(triangles, return_inverse=True)
    cloud, triangles = cloud[used], inverse.reshape(-1, 3)
    a, b, c = (cloud[triangles[:, i]] for i in range(3))
    area = np.cross(b - a, c - a)
    total = area.sum(axis=0)
    axis = int(np.abs(total).argmax())
    up = np.sign(total[axis]) * np.eye(3)[axis]
    if not (area @ up > 0.0).all():
        return None
    for step in (1, 2):
        right = np.eye(3)[(axis + step) % 3]
        turn = np.array([right, np.cross(up, right), up])
        found = _lattice(cloud @ turn.T, triangles)
        if found is not None:
            elevation, centre, half = found
            pose = Pose(turn.T @ centre, quat_from_matrix(turn.T))
            return HeightGrid(elevation, half, pose)
    return None


def _lattice(points: Array, faces: Ints) -> tuple[Array, Array, Array] | None:
    """Elevations, centre and half extents of a grid in x and y with falling diagonals."""
    low, high = bounds(points)
    extent = high - low
    edges = np.abs(points[faces] - points[np.roll(faces, 1, axis=1)])
    cells = np.rint(extent[:2] / edges[..., :2].max(axis=(0, 1))).astype(np.int64)
    columns, rows = (int(n) for n in cells)
    if columns * rows * 2 != len(faces):
        return None
    place = (points[:, :2] - low[:2]) / (extent[:2] / cells)
    node = np.rint(place).astype(np.int64)
    if np.abs(place - node).max() > PLACE:
        return None
    elevation = np.full((rows + 1, columns + 1), np.nan)
    elevation[node[:, 1], node[:, 0]] = points[:, 2]
    tolerance = LEVEL * float(extent.max())
    if np.abs(elevation[node[:, 1], node[:, 0]] - points[:, 2]).max() > tolerance:
        return None
    if not _covers(elevation, node[faces], tolerance):
        return None
    centre = np.append(low[:2] + 0.5 * extent[:2], low[2])
    return elevation - low[2], centre, 0.5 * extent[:2]


def _covers(elevation: Array, corners: Ints, tolerance: float) -> bool:
    """Whether triangles, by their corners' nodes, fill each cell, cut along the falling diagonal.

    A flat cell may be cut either way.
    """
    rows, columns = (n - 1 for n in elevation.shape)
    cell = corners.min(axis=1)
    local = corners - cell[:, None]
    if local.max() > 1:
        return False
    bits = (1 << (local[..., 0] + 2 * local[..., 1])).sum(axis=1)
    number = cell[:, 1] * columns + cell[:, 0]
    order = np.lexsort((bits, number))
    pairs = number[order].reshape(-1, 2)
    if not np.array_equal(pairs, np.arange(rows * columns)[:, None].repeat(2, axis=1)):
        return False
    halves = bits[order].reshape(-1, 2)
    falling, rising = ((halves == kind).all(axis=1) for kind in (FALLING, RISING))
    bend = np.abs(
        elevation[:-1, :-1] + elevation[1:, 1:] - elevation[1:, :-1] - elevation[:-1, 1:]
    ).ravel()
    return bool((falling | (rising & (bend <= tolerance))).all())
