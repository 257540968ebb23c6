"""Distances of points to triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["surface_distances"]

Array = NDArray[np.float64]
Indices = NDArray[np.int32]

_PAIRS = 2_000_000
"""Pairs of point and triangle looked at together; bounds the memory of a search."""
_TOGETHER = 32
"""Triangles of a block, about, where a surface is divided into blocks."""
_MOST_ALONG = 32
"""Blocks along a side of the surface's bounds, at most."""
_SLACK = 1e-9
"""Rounding of a distance that is only looked at, in parts of the largest coordinates."""


def surface_distances(points: Array, faces: Indices, queries: Array) -> Array:
    """Distances of points to the nearest triangle of a surface [m].

    Args:
        points: corners of the surface [m], shape (n, 3).
        faces: triangles, shape (m, 3).
        queries: points in question [m], shape (k, 3).

    Returns:
        Zero or positive [m], shape (k,).
    """
    distance = np.full(len(queries), np.inf)
    if not len(faces) or not len(queries):
        return distance
    blocks = _Blocks(points, faces)
    slack = _SLACK * float(np.abs(points).max() + np.abs(queries).max())
    step = max(1, _PAIRS // len(faces))
    for start in range(0, len(queries), step):
        part = slice(start, start + step)
        distance[part] = blocks.distances(queries[part], slack)
    return distance


class _Blocks:
    """Triangles of a surface, those that lie together one after the other.

    Args:
        points: corners of the surface [m], shape (n, 3).
        faces: triangles, shape (m, 3).

    Attributes:
        first: the first triangle of each block.
    """

    def __init__(self, points: Array, faces: Indices):
        corners = [points[faces[:, k]] for k in range(3)]
        middles = (corners[0] + corners[1] + corners[2]) / 3.0
        reach = np.maximum.reduce([_length(corner - middles) for corner in corners])
        order, self.first = _cell_order(middles)
        self._points, self._faces = points, faces[order]
        self._middles, self._reach = middles[order], reach[order]
        self._size = np.diff(self.first, append=len(order))
        self._centres = np.add.reduceat(self._middles, self.first) / self._size[:, None]
        offsets = self._middles - np.repeat(self._centres, self._size, axis=0)
        self._radii = np.maximum.reduceat(_length(offsets) + self._reach, self.first)

    def distances(self, queries: Array, slack: float) -> Array:
        """Distances of points to the nearest triangle [m]; see `surface_distances`.

        No triangle is nearer than its middle, or that of its block, less the reach around it; one
        is within the sum of both, and none that counts is beyond one that was measured.
        """
        away = _length(queries[:, None] - self._centres)
        query, face = self._within(np.arange(len(queries)), (away + self._radii).argmin(axis=1))
        distance = np.full(len(queries), np.inf)
        near = _length(queries[query] - self._middles[face]) + self._reach[face]
        np.minimum.at(distance, query, near)
        query, face = self._within(*np.nonzero(away - self._radii <= distance[:, None] + slack))
        least = _length(queries[query] - self._middles[face]) - self._reach[face]
        # The most promising one of each query, then what may still be nearer.
        smallest = np.minimum.reduceat(least, np.flatnonzero(np.diff(query, prepend=-1)))
        best = np.flatnonzero(least <= smallest[query])
        best = best[np.diff(query[best], prepend=-1) != 0]
        distance[:] = self._measured(face[best], queries)
        left = np.flatnonzero(least <= distance[query] + slack)
        np.minimum.at(distance, query[left], self._measured(face[left], queries[query[left]]))
        return distance

    def _measured(self, face: NDArray[np.intp], queries: Array) -> Array:
        """Distances of points, shape (k, 3), from a triangle each, shape (k,)."""
        return _triangles(self._points[self._faces[face]], queries)

    def _within(
        self, query: NDArray[np.intp], block: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Pairs of query and triangle for pairs of query and block."""
        number = self._size[block]
        start = np.repeat(self.first[block] - (number.cumsum() - number), number)
        return np.repeat(query, number), start + np.arange(len(start))


def _cell_order(middles: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Order of points in which those in a cell of a grid follow each other, and where cells start.

    A surface meets about as many cells as the square of those along a side, times a few.
    """
    # Column by column, which is faster than along the first axis.
    low, high = (np.array([pick(column) for column in middles.T]) for pick in (np.min, np.max))
    along = int(np.clip(np.sqrt(len(middles) / _TOGETHER) / 2.5, 1, _MOST_ALONG))
    pitch = np.maximum(high - low, np.finfo(float).tiny) / along
    cell = np.minimum(((middles - low) / pitch).astype(np.uint16), along - 1)
    number = (cell[:, 0] * along + cell[:, 1]) * along + cell[:, 2]
    order = np.argsort(number, kind="stable")
    return order, np.flatnonzero(np.diff(number[order].astype(np.int64), prepend=-1))


def _length(vectors: Array) -> Array:
    """Lengths of vectors along the last axis."""
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", vectors, vectors)))


def _triangles(corners: Array, queries: Array) -> Array:
    """Distances of queries, shape (k, 3), from a triangle each, shape (k,)."""
    starts, ends = corners, np.roll(corners, -1, axis=-2)
    sides = ends - starts
    normal = np.cross(sides[..., 0, :], sides[..., 1, :])
    normal /= np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), np.finfo(float).tiny)
    offset = queries[..., None, :] - starts
    inward = np.cross(normal[..., None, :], sides)
    above = ((offset * inward).sum(axis=-1) >= 0.0).all(axis=-1)
    height = np.abs((offset[..., 0, :] * normal).sum(axis=-1))
    lengths = np.maximum((sides**2).sum(axis=-1), np.finfo(float).tiny)
    along = np.clip((offset * sides).sum(axis=-1) / lengths, 0.0, 1.0)
    edges = np.linalg.norm(offset - along[..., None] * sides, axis=-1).min(axis=-1)
    return np.asarray(np.where(above, height, edges))
