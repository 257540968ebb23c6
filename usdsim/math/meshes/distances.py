"""Distances of points to triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["surface_distances"]

Array = NDArray[np.float64]
Indices = NDArray[np.int32]

_CHUNK = 200_000
"""Pairs of point and triangle looked at together; bounds the memory of a search."""


def surface_distances(points: Array, faces: Indices, queries: Array) -> Array:
    """Distances of points to the nearest triangle of a surface [m].

    Args:
        points: corners of the surface [m], shape (n, 3).
        faces: triangles, shape (m, 3).
        queries: points in question [m], shape (k, 3).

    Returns:
        Zero or positive [m], shape (k,).
    """
    corners = points[faces]
    distance = np.empty(len(queries))
    step = max(1, _CHUNK // max(len(faces), 1))
    for start in range(0, len(queries), step):
        part = queries[start : start + step, None]
        distance[start : start + step] = _triangles(corners[None], part).min(axis=1)
    return distance


def _triangles(corners: Array, queries: Array) -> Array:
    """Distances of every query from every triangle, shape (k, m)."""
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
