"""Distances of points to triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["surface_distances"]

Array = NDArray[np.float64]
Indices = NDArray[np.int32]

_PAIRS, _CHUNK = 2_000_000, 200_000
"""Pairs of point and triangle looked at, and measured, together; bounds the memory of a search."""
_SLACK = 1e-6
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
    if not len(faces):
        return distance
    corners = points[faces]
    middles = corners.mean(axis=1)
    reach = np.linalg.norm(corners - middles[:, None], axis=2).max(axis=1)
    slack = _SLACK * float(np.abs(points).max() + np.abs(queries).max(initial=0.0))
    step = max(1, _PAIRS // len(faces))
    for start in range(0, len(queries), step):
        part = queries[start : start + step]
        # None is nearer than its middle less its reach, and one is within the least sum of both.
        away = _apart(part, middles)
        near = (away + reach).min(axis=1) + slack
        away -= reach
        rows, columns = np.nonzero(away <= near[:, None])
        for first in range(0, len(rows), _CHUNK):
            query, face = rows[first : first + _CHUNK], columns[first : first + _CHUNK]
            np.minimum.at(distance, start + query, _triangles(corners[face], part[query]))
    return distance


def _apart(a: Array, b: Array) -> Array:
    """Distances between points, nearly, shape (k, m)."""
    squares = (-2.0 * a) @ b.T
    squares += (a**2).sum(axis=1)[:, None]
    squares += (b**2).sum(axis=1)
    np.maximum(squares, 0.0, out=squares)
    return np.sqrt(squares, out=squares)


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
