"""Bending of triangle meshes: how stiff the hinges between triangles have to be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["hinge_factors"]

Array = NDArray[np.float64]
Indices = NDArray[np.int32]

_MIRRORED = 0.1
"""Distance, relative to an edge, up to which two points count as each other's mirror image."""

_CURL = 1.03
"""Between what strips and what squares would need."""


def hinge_factors(points: Array, hinges: Indices, held: NDArray[np.bool_], ratio: float) -> Array:
    """Factors of hinges that make a mesh bend as a plate does.

    A hinge of bending rigidity D whose edge has the length l and whose triangles have the areas A
    resists with D l^2 / (A + A'). On grids whose diagonals alternate this leaves a strip along the
    grid 0.8 of its stiffness, and one across it 1.3. Where all triangles mirror their neighbours,
    the factor (4 + 2 cos 2 g) / 3, of the angles g opposite an edge, makes cylinders of all
    directions as stiff as theory has them: on squares with diagonals, whose right angles get 2/3
    and others 4/3, and on equilateral triangles. Such a mesh curls up sideways as if Poisson's
    ratio were -1/3, so strips get 8/9 of that; half of the difference goes to each.

    A hinge between a triangle that is held and one that is not bends on one side only, which makes
    it twice as stiff.

    Args:
        points: vertices at rest [m], shape (n, 3).
        hinges: both ends of each edge and the corners opposite it, -1 where there is no second
            triangle, shape (m, 4).
        held: whether a vertex stands still, shape (n,).
        ratio: Poisson's ratio.

    Returns:
        Shape (m,).
    """
    factors = np.ones(len(hinges))
    inner = np.flatnonzero(hinges[:, 3] >= 0)
    if not len(inner):
        return factors
    ends, opposite = hinges[inner, :2], hinges[inner, 2:]
    triangles = np.sort(
        np.stack([np.column_stack([ends, opposite[:, i]]) for i in (0, 1)], axis=1), axis=2
    )
    _, ids = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    ids = ids.reshape(-1, 2)
    cosines, mirrored = _shapes(points, ends, opposite)
    broken = np.zeros(ids.max() + 1, np.bool_)
    broken[ids[~mirrored]] = True
    even = ~broken[ids].any(axis=1)
    curl = _CURL * np.sqrt(1.0 - ratio**2)
    factors[inner[even]] = curl * (4.0 + 2.0 * cosines[even]) / 3.0
    fixed = np.all(held[triangles], axis=2).T
    factors[inner[np.not_equal(*fixed)]] *= 2.0
    return factors


def _shapes(points: Array, ends: Indices, opposite: Indices) -> tuple[Array, NDArray[np.bool_]]:
    """Mean cosine of twice the angles opposite edges, and whether their triangles are mirrored."""
    start, edge = points[ends[:, :1]], points[ends[:, 1]] - points[ends[:, 0]]
    length = np.linalg.norm(edge, axis=1)
    away = points[opposite] - start
    along = np.einsum("mki,mi->mk", away, edge) / length[:, None]
    height = np.linalg.norm(np.cross(away, edge[:, None]), axis=2) / length[:, None]
    angles = np.arctan2(along, height) + np.arctan2(length[:, None] - along, height)
    far = np.hypot(np.diff(along)[:, 0], np.diff(height)[:, 0])
    return np.cos(2.0 * angles).mean(axis=1), far <= _MIRRORED * length
