"""Boxes among convex solids, by their corners."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_from_matrix
from usdsim.math.transforms import Pose

from .convexity import LEVEL
from .welding import weld

__all__ = ["boxes_of"]

Array = NDArray[np.float64]

_EXTENT = 1e-6
"""Tolerance of corners, in parts of the extent."""
_SQUARE = 1e-5
"""Cosine of the angle between edges, below which they are perpendicular."""
_TRIOS = np.array(list(combinations(range(1, 8), 3)))
"""Corners that may be those beside the first one."""
_SIGNS = np.array(list(product((0.0, 1.0), repeat=3)))


def boxes_of(solids: Sequence[Array]) -> list[tuple[Array, Pose] | None]:
    """The box that each solid is.

    Args:
        solids: corners of convex solids, some perhaps more than once, shape (n, 3) each.

    Returns:
        Half lengths of the sides, shape (3,), and the pose of each; None: it is no box.
    """
    found: list[tuple[Array, Pose] | None] = [None] * len(solids)
    wanted, corners = _eight_corners(solids)
    if not len(wanted):
        return found
    away = corners - corners[:, :1]
    centre = corners.mean(axis=1)
    extent = np.ptp(corners, axis=1).max(axis=1)
    level = LEVEL * np.abs(corners).max(axis=(1, 2)) + _EXTENT * extent
    edges, good = _edges(away, 2.0 * (centre - corners[:, 0]), level)
    made = _SIGNS @ edges
    apart = np.abs(made[:, :, None] - away[:, None]).max(axis=3).min(axis=1).max(axis=1)
    good &= apart <= level
    wanted, centre, edges = wanted[good], centre[good], edges[good]
    # A box along the axes is not turned.
    order = np.abs(edges).argmax(axis=2)
    axial = (np.sort(order, axis=1) == np.arange(3)).all(axis=1)
    order = np.where(axial[:, None], order.argsort(axis=1), np.arange(3))
    edges = np.take_along_axis(edges, order[:, :, None], axis=1)
    sizes = np.linalg.norm(edges, axis=2)
    axes = edges / sizes[:, :, None]
    axes *= np.where(np.diagonal(axes, axis1=1, axis2=2) < 0.0, -1.0, 1.0)[:, :, None]
    axes[np.linalg.det(axes) < 0.0, 2] *= -1.0
    quats = quat_from_matrix(axes.transpose(0, 2, 1))
    for place, half, pos, quat in zip(wanted, 0.5 * sizes, centre, quats, strict=True):
        found[place] = (half, Pose(pos, quat))
    return found


def _eight_corners(solids: Sequence[Array]) -> tuple[NDArray[np.intp], Array]:
    """Solids with eight corners that differ, shape (k,), and these, shape (k, 8, 3)."""
    counts = np.array([len(points) for points in solids], np.int64)
    if not counts.sum():
        return np.zeros(0, np.intp), np.zeros((0, 8, 3))
    owner = np.repeat(np.arange(len(solids)), counts)
    points = np.concatenate(solids)
    first, _ = weld(np.column_stack([owner, points]))
    eight = np.bincount(owner[first], minlength=len(solids)) == 8
    return np.flatnonzero(eight), points[first[eight[owner[first]]]].reshape(-1, 8, 3)


def _edges(away: Array, opposite: Array, level: Array) -> tuple[Array, NDArray[np.bool_]]:
    """The three edges at the first corner, shape (k, 3, 3), and whether there are such.

    Args:
        away: corners from the first one on, shape (k, 8, 3).
        opposite: from there to the corner across the centre, shape (k, 3).
        level: tolerance of corners, shape (k,).
    """
    lengths = np.linalg.norm(away, axis=2)
    outer = lengths[:, :, None] * lengths[:, None, :]
    cosines = np.abs(away @ away.transpose(0, 2, 1)) / np.maximum(outer, 1e-300)
    i, j, k = _TRIOS.T
    right = np.maximum(np.maximum(cosines[:, i, j], cosines[:, j, k]), cosines[:, i, k]) < _SQUARE
    sums = away[:, _TRIOS].sum(axis=2)
    right &= np.abs(sums - opposite[:, None]).max(axis=2) <= level[:, None]
    trio = _TRIOS[right.argmax(axis=1)]
    return np.take_along_axis(away, trio[:, :, None], axis=1), right.any(axis=1)
