"""Welding: equal points of a mesh as one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["number", "weld"]

_MIX = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
"""Odd numbers that spread the bits of coordinates over a key."""


def weld(points: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows that differ, in ascending order, and which of them each row is.

    It is `numpy.unique` over rows, by columns of numbers and so several times faster.

    Args:
        points: shape (n, columns), without NaN.

    Returns:
        Index of the first of each set of equal rows, shape (m,), and for each row its place in
        those, shape (n,).
    """
    if not len(points):
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    order = np.lexsort(points.T[::-1])
    ranked = points[order]
    new = np.ones(len(points), np.bool_)
    np.any(ranked[1:] != ranked[:-1], axis=1, out=new[1:])
    place = np.empty(len(points), np.intp)
    place[order] = np.cumsum(new) - 1
    return order[new], place


def number(points: NDArray[np.float32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """`weld` of points in single precision that are equal to the bit, numbered as they come first.

    Args:
        points: shape (n, 3).
    """
    words = np.ascontiguousarray(points).view(np.uint32)
    keys = np.zeros(len(words), np.uint64)
    for axis, mix in enumerate(_MIX):
        keys += words[:, axis] * np.uint64(mix)
    order = np.argsort(keys)
    ranked = keys[order]
    new = np.ones(len(words), np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=new[1:])
    first = np.minimum.reduceat(order, np.flatnonzero(new))
    place = np.empty(len(words), np.intp)
    place[order] = np.cumsum(new) - 1
    if not np.array_equal(words[first[place]], words):  # different points of one key
        first, place = weld(words)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[place]
