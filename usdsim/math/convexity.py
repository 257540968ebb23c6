"""Convexity of closed triangle meshes, from their edges alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError

from .adjacency import twin_edges
from .hull import convex_hull
from .inertia import mesh_mass

__all__ = ["has_convex_edges", "inner_hull_volume"]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_LEVEL = 3e-7
"""How far a corner may stand above its neighbour's plane, in parts of the largest coordinate: some
units in the last place of single precision."""
_THIN = 1e-14
"""Doubled area of a triangle, in parts of the squared extent, whose plane is anywhere."""
_DIRECTIONS = 64


def has_convex_edges(points: Array, faces: Ints) -> bool:
    """Whether a mesh is closed and bends outwards nowhere.

    A closed surface that is convex at each edge bounds a convex solid, so nothing global has to be
    looked at (van Heijenoort, 1952). Thin triangles and noise can hide convexity: False then.

    Args:
        points: shape (n, 3).
        faces: corners of triangles, equal points as one, all wound alike, shape (m, 3).
    """
    twin = twin_edges(faces)
    if not len(faces) or twin.min() < 0:
        return False
    used = np.count_nonzero(np.bincount(faces.ravel()))
    if used - len(twin) // 2 + len(faces) != 2:
        return False  # of several pieces, each may be convex
    a, b, c = (points[faces[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    area = np.linalg.norm(normal, axis=1)
    if area.min() <= _THIN * float(np.ptp(points, axis=0).max()) ** 2:
        return False
    normal /= area[:, None]
    # The corner of the neighbour that is not on the edge, above the plane of the triangle.
    opposite = points[np.roll(faces, 1, 1).ravel()]
    across = (opposite[twin] - points[faces.ravel()]).reshape(-1, 3, 3)
    height = np.einsum("ikj,ij->ik", across, normal)
    level = _LEVEL * float(np.abs(points).max())
    return bool((height <= level).all() or (height >= -level).all())


def inner_hull_volume(points: Array) -> float:
    """Volume of the hull of the points that reach farthest in some directions.

    It is at most that of the hull of all, and takes no time. Of points in one plane it is zero.

    Args:
        points: shape (n, 3).
    """
    directions = np.random.default_rng(0).normal(size=(_DIRECTIONS, 3))
    farthest = np.unique([(points @ direction).argmax() for direction in directions])
    try:
        return mesh_mass(1.0, *convex_hull(points[farthest])).mass
    except InvalidValueError:
        return 0.0
