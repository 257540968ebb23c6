"""Adjacency of triangles: the edges they share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["twin_edges"]

Ints = NDArray[np.int64]


def twin_edges(faces: Ints) -> Ints:
    """The reversed edge of each edge of each triangle, in the one triangle beyond it.

    Edge ``3 i + k`` goes from corner k of triangle i to the next one.

    Args:
        faces: corners of triangles, equal points as one, shape (m, 3).

    Returns:
        Numbers of edges; -1 where no triangle is beyond, or more than one. Shape (3 m,).
    """
    if not len(faces):
        return np.zeros(0, np.int64)
    start, end = (
        np.asarray(side, np.int64) for side in (faces.ravel(), np.roll(faces, -1, 1).ravel())
    )
    size = int(faces.max()) + 1
    forward, backward = start * size + end, end * size + start
    order = np.argsort(forward)
    ranked = forward[order]
    lonely = np.ones(len(ranked) + 1, np.bool_)
    lonely[1:-1] = ranked[1:] != ranked[:-1]
    lonely = lonely[1:] & lonely[:-1]
    place = np.minimum(np.searchsorted(ranked, backward), len(ranked) - 1)
    twin = np.where((ranked[place] == backward) & lonely[place], order[place], -1)
    # An edge that comes twice has no twin either, although its reverse is unique.
    doubled = np.zeros(len(ranked), np.bool_)
    doubled[order] = ~lonely
    twin[doubled] = -1
    return twin
