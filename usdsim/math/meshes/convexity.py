"""Convexity of closed triangle meshes, from their edges alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.math.inertia import mesh_mass

from .adjacency import twin_edges
from .hull import convex_hull
from .welding import weld

__all__ = ["LEVEL", "are_convex", "has_convex_edges", "inner_hull_volume"]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

LEVEL = 3e-7
"""Tolerance of a corner, such as above its neighbour's plane, in parts of the largest coordinate:
some units in the last place of single precision."""
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
    every = np.arange(len(faces))
    one = _Pieces.of(points, np.zeros(1, np.int64))
    return bool(one.bend_outwards(faces, twin, some).all()) and (
        len(some) == len(faces) or bool(one.bend_outwards(faces, twin, every).all())
    )


def are_convex(points: Array, faces: Ints, owner: Ints) -> NDArray[np.bool_]:
    """Whether each piece of a mesh has convex edges: `has_convex_edges` of all at once.

    Args:
        points: of one piece after the other, shape (n, 3).
        faces: corners of triangles, of one piece after the other, shape (m, 3).
        owner: piece of each point, from 0 on, ascending, shape (n,).

    Returns:
        Shape (pieces,).
    """
    first, place = weld(np.column_stack([owner, points]))
    joined = first[place][faces]
    twin = twin_edges(joined)
    triangles = np.bincount(owner[faces[:, 0]])
    starts = np.cumsum(triangles) - triangles
    closed = np.minimum.reduceat(twin, 3 * starts) >= 0
    used = np.bincount(owner[np.unique(joined)])
    whole = used - 3 * triangles // 2 + triangles == 2
    pieces = _Pieces.of(points, np.searchsorted(owner, np.arange(len(triangles))))
    return closed & whole & pieces.bend_outwards(joined, twin, np.arange(len(faces)), starts)


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """Pieces of a mesh, and the sizes that their tolerances are parts of."""

    points: Array
    extent: Array
    largest: Array

    @classmethod
    def of(cls, points: Array, starts: Ints) -> _Pieces:
        """Pieces whose points start at these."""
        low, high = np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)
        largest = np.maximum(np.abs(low), np.abs(high)).max(axis=1)
        return cls(points, (high - low).max(axis=1), largest)

    def bend_outwards(
        self, faces: Ints, twin: Ints, chosen: Ints, starts: Ints | None = None
    ) -> NDArray[np.bool_]:
        """Whether chosen triangles are no thin ones, and their edges all bend to the same side.

        Args:
            faces: of all pieces, shape (m, 3).
            twin: their `twin_edges`.
            chosen: triangles, of one piece after the other.
            starts: of each piece in them; None: there is one piece.
        """
        starts = np.zeros(1, np.int64) if starts is None else starts
        corners = self.points[faces[chosen]]
        a, b, c = (corners[:, i] for i in range(3))
        normal = np.cross(b - a, c - a)
        area = np.linalg.norm(normal, axis=1)
        wide = np.minimum.reduceat(area, starts) > _THIN * self.extent**2
        normal /= np.where(area > 0.0, area, 1.0)[:, None]
        # The corner of the neighbour that is not on the edge, above the plane of the triangle.
        beyond, edge = np.divmod(twin.reshape(-1, 3)[chosen], 3)
        across = self.points[faces[beyond, (edge + 2) % 3]] - corners
        height = np.einsum("ikj,ij->ik", across, normal)
        level = LEVEL * self.largest
        below = np.maximum.reduceat(height.max(axis=1), starts) <= level
        above = np.minimum.reduceat(height.min(axis=1), starts) >= -level
        return np.asarray(wide & (below | above))


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
