"""Convex hulls in three dimensions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, ShapeError

__all__ = ["convex_hull"]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_FLAT = 1e-10
"""Thickness, relative to the largest extent, below which points count as lying in one plane."""
_GRID = 1 << 19
"""Half the number of grid cells along each axis: the most with which a product of three
differences still fits 64 bits."""


def convex_hull(points: ArrayLike) -> tuple[Array, NDArray[np.int32]]:
    """The smallest convex solid around points (quickhull).

    Which points are corners is decided on a grid of a million cells along each principal axis, in
    whole numbers and so without rounding: real meshes are full of points that almost share a plane.

    Args:
        points: shape (n, 3).

    Returns:
        Corners of the hull, shape (k, 3), and its triangles wound outwards, shape (m, 3).

    Raises:
        ShapeError: `points` has another shape.
        InvalidValueError: fewer than four points, points in one plane, or points that are not
            finite.
    """
    cloud = np.asarray(points, dtype=np.float64)
    if cloud.ndim != 2 or cloud.shape[1] != 3:
        raise ShapeError("hull points", cloud.shape, "(n, 3)")
    if not np.isfinite(cloud).all():
        raise InvalidValueError("hull points", "NaN or infinity", "finite coordinates")
    cloud = np.unique(cloud, axis=0)
    cells, first = np.unique(_cells(cloud), axis=0, return_index=True)
    faces = _Hull(cells).grow()
    used, renumbered = np.unique(first[faces], return_inverse=True)
    return cloud[used], renumbered.reshape(faces.shape).astype(np.int32)


def _cells(cloud: Array) -> Ints:
    """Grid coordinates along the principal axes, each filling the grid, shape (n, 3).

    Stretching does not change which points are corners, so needles and sheets lose nothing.
    """
    if len(cloud) >= 4:
        centred = cloud - cloud.mean(axis=0)
        _, _, axes = np.linalg.svd(centred.T @ centred)
        if np.linalg.det(axes) < 0.0:
            axes[2] *= -1.0
        along = centred @ axes.T
        low, size = along.min(axis=0), np.ptp(along, axis=0)
        if size.min() > _FLAT * size.max():
            return np.rint((2.0 * (along - low) / size - 1.0) * _GRID).astype(np.int64)
    raise InvalidValueError(
        "hull points",
        f"{len(cloud)} distinct points",
        "at least four that do not lie in one plane",
        "A flat shape has no volume; give it thickness.",
    )


def _simplex(points: Ints) -> Ints:
    """Four corners that span a volume, the first three seen clockwise from the fourth."""
    low, high = int(points[:, 0].argmin()), int(points[:, 0].argmax())
    offset = points - points[low]
    normals = np.cross(offset[high], offset)
    third = int(np.abs(normals.astype(np.float64)).sum(axis=1).argmax())
    heights = offset @ normals[third]
    fourth = int(np.abs(heights).argmax())
    corners = [low, high, third, fourth]
    if heights[fourth] > 0:
        corners[1], corners[2] = corners[2], corners[1]
    return np.array(corners)


class _Hull:
    """A growing hull of grid points.

    Faces come with their planes, and points outside with the face they are assigned to: one they
    are above.
    """

    def __init__(self, points: Ints):
        self._points = points
        self._corners = np.empty((64, 3), dtype=np.int64)
        self._normals = np.empty((64, 3), dtype=np.int64)
        self._offsets = np.empty(64, dtype=np.int64)
        self._lengths = np.empty(64)
        self._alive = np.zeros(64, dtype=bool)
        self._count = 0
        self._outside = np.empty(0, dtype=np.int64)
        self._owner = np.empty(0, dtype=np.int64)
        self._height = np.empty(0)
        a, b, c, d = simplex = _simplex(points)
        first = self._add(np.array([[a, b, c], [a, d, b], [b, d, c], [c, d, a]]))
        self._assign(np.setdiff1d(np.arange(len(points)), simplex), first)

    def grow(self) -> Ints:
        """Take in points until none is outside; the triangles, shape (m, 3)."""
        while len(self._outside):
            self._take_in(int(self._outside[np.argmax(self._height)]))
        return self._corners[: self._count][self._alive[: self._count]]

    def _take_in(self, apex: int) -> None:
        count = self._count
        heights = self._normals[:count] @ self._points[apex] - self._offsets[:count]
        visible = self._alive[:count] & (heights > 0)
        seen = self._corners[:count][visible]
        start, end = seen.ravel(), seen[:, [1, 2, 0]].ravel()
        # The horizon: edges whose other side, the reversed edge, is not visible.
        size = len(self._points)
        horizon = ~np.isin(start * size + end, end * size + start)
        self._alive[:count][visible] = False
        rim = np.stack([start[horizon], end[horizon]], axis=1)
        new = self._add(np.column_stack([rim, np.full(len(rim), apex)]))
        orphan = visible[self._owner]
        orphans = self._outside[orphan]
        self._outside = self._outside[~orphan]
        self._owner = self._owner[~orphan]
        self._height = self._height[~orphan]
        self._assign(orphans[orphans != apex], new)

    def _add(self, corners: Ints) -> Ints:
        ids = np.arange(self._count, self._count + len(corners))
        while ids[-1] >= len(self._corners):
            for name in ("_corners", "_normals", "_offsets", "_lengths", "_alive"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.zeros_like(old)]))
        a, b, c = (self._points[corners[:, i]] for i in range(3))
        normals = np.cross(b - a, c - a)
        self._corners[ids] = corners
        self._normals[ids] = normals
        self._offsets[ids] = np.einsum("ij,ij->i", normals, a)
        self._lengths[ids] = np.linalg.norm(normals.astype(np.float64), axis=1)
        self._alive[ids] = True
        self._count += len(corners)
        return ids

    def _assign(self, points: Ints, faces: Ints) -> None:
        """Give each point the face it is highest above; points above none are inside for good."""
        if not len(points):
            return
        heights = self._points[points] @ self._normals[faces].T - self._offsets[faces]
        best = (heights / self._lengths[faces]).argmax(axis=1)
        height = heights[np.arange(len(points)), best]
        above = height > 0
        owner = faces[best[above]]
        self._outside = np.concatenate([self._outside, points[above]])
        self._owner = np.concatenate([self._owner, owner])
        self._height = np.concatenate([self._height, height[above] / self._lengths[owner]])
