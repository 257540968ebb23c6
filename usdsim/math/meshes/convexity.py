"""Convexity of closed triangle meshes, from their edges alone, and boxes among them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.math.inertia import mesh_mass
from usdsim.math.rotations import quat_from_matrix
from usdsim.math.transforms import Pose

from .adjacency import twin_edges
from .hull import convex_hull
from .welding import weld

__all__ = ["box_of", "has_convex_edges", "inner_hull_volume"]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_LEVEL = 3e-7
"""Tolerance of a corner above its neighbour's plane, in parts of the largest coordinate: some
units in the last place of single precision."""
_THIN = 1e-14
"""Doubled area of a triangle, in parts of the squared extent, whose plane is anywhere."""
_DIRECTIONS = 64
_SAMPLE = 1_000
"""Triangles that are looked at before all."""


def has_convex_edges(points: Array, faces: Ints, twin: Ints | None = None) -> bool:
    """Whether a mesh is closed and bends outwards nowhere.

    A closed surface that is convex at each edge bounds a convex solid, so nothing global has to be
    looked at (van Heijenoort, 1952). Thin triangles and noise can hide convexity: False then.

    Args:
        points: shape (n, 3).
        faces: corners of triangles, equal points as one, all wound alike, shape (m, 3).
        twin: their `twin_edges`, where those are known.
    """
    twin = twin_edges(faces) if twin is None else twin
    if not len(faces) or twin.min() < 0:
        return False
    used = np.count_nonzero(np.bincount(faces.ravel()))
    if used - len(twin) // 2 + len(faces) != 2:
        return False  # of several pieces, each may be convex
    # Where a mesh bends both ways, some of its triangles tell already.
    some = np.arange(0, len(faces), max(1, len(faces) // _SAMPLE))
    return _bend_outwards(points, faces, twin, some) and (
        len(some) == len(faces) or _bend_outwards(points, faces, twin, np.arange(len(faces)))
    )


def _bend_outwards(points: Array, faces: Ints, twin: Ints, chosen: Ints) -> bool:
    """Whether some triangles are no thin ones, and their edges all bend to the same side."""
    corners = points[faces[chosen]]
    a, b, c = (corners[:, i] for i in range(3))
    normal = np.cross(b - a, c - a)
    area = np.linalg.norm(normal, axis=1)
    if area.min() <= _THIN * float(np.ptp(points, axis=0).max()) ** 2:
        return False
    normal /= area[:, None]
    # The corner of the neighbour that is not on the edge, above the plane of the triangle.
    beyond, edge = np.divmod(twin.reshape(-1, 3)[chosen], 3)
    across = points[faces[beyond, (edge + 2) % 3]] - corners
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


def box_of(points: Array) -> tuple[Array, Pose] | None:
    """The box that has these corners.

    Args:
        points: corners of a convex solid, some perhaps more than once, shape (n, 3).

    Returns:
        Half lengths of its sides, shape (3,), and its pose; None: it is no box.
    """
    if len(points) < 8:
        return None
    corners = points[weld(points)[0]]
    if len(corners) != 8:
        return None
    centre = corners.mean(axis=0)
    away = corners - corners[0]
    level = _LEVEL * float(np.abs(points).max()) + 1e-6 * float(np.ptp(corners, axis=0).max())
    opposite = 2.0 * (centre - corners[0])
    lengths = np.linalg.norm(away, axis=1)
    cosines = away @ away.T / np.maximum(np.outer(lengths, lengths), 1e-300)
    for trio in combinations(range(1, 8), 3):
        i, j, k = trio
        right = max(abs(cosines[i, j]), abs(cosines[j, k]), abs(cosines[i, k])) < 1e-5
        edges = away[list(trio)]
        if right and np.abs(edges.sum(axis=0) - opposite).max() <= level:
            break
    else:
        return None
    signs = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    made = signs @ edges + corners[0]
    if max(np.abs(made - corner).max(axis=1).min() for corner in corners) > level:
        return None
    order = np.abs(edges).argmax(axis=1)
    if sorted(order) == [0, 1, 2]:
        edges = edges[np.argsort(order)]  # A box along the axes is not turned.
    sizes = np.linalg.norm(edges, axis=1)
    axes = edges / sizes[:, None]
    axes *= np.where(np.diag(axes) < 0.0, -1.0, 1.0)[:, None]
    if np.linalg.det(axes) < 0.0:
        axes[2] *= -1.0
    return 0.5 * sizes, Pose(centre, quat_from_matrix(axes.T))
