"""Winding of triangles: which of their two sides is the front."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .adjacency import connected

__all__ = ["is_wound_alike", "turned"]

Ints = NDArray[np.int64]


def is_wound_alike(faces: Ints) -> bool:
    """Whether each edge runs as often one way as the other: what is enclosed has a volume.

    Args:
        faces: corners of triangles, equal points as one, shape (m, 3).
    """
    number, ahead, _ = _edges(faces)
    return not np.bincount(number, np.where(ahead, 1.0, -1.0)).any()


def turned(faces: Ints) -> NDArray[np.bool_]:
    """Triangles to turn, so that neighbours run against each other along the edge they share.

    Of each part that hangs together, as few as will do. Parts of which no turning makes that true,
    like a Möbius strip, stay as they are.

    Args:
        faces: corners of triangles, equal points as one, shape (m, 3).

    Returns:
        Shape (m,).
    """
    number, ahead, triangle = _edges(faces)
    shared = np.flatnonzero(np.bincount(number) == 2)
    order = np.argsort(number, kind="stable")
    first = np.searchsorted(number[order], shared)
    one, other = order[first], order[first + 1]
    # Every triangle twice, as it is and turned; linked are those that fit to each other.
    count = len(faces)
    a, b = triangle[one], triangle[other] + count * (ahead[one] == ahead[other])
    links = np.concatenate([[a, b], [(a + count) % (2 * count), (b + count) % (2 * count)]], axis=1)
    part = connected(2 * count, links)
    kept, other_way = part[:count], part[count:]
    as_it_is = np.bincount(kept, minlength=2 * count)
    more, less = as_it_is[other_way], as_it_is[kept]
    return (more > less) | ((more == less) & (other_way < kept))


def _edges(faces: Ints) -> tuple[Ints, NDArray[np.bool_], Ints]:
    """Edges of triangles with three corners: number, whether it runs up, and triangle."""
    whole = np.flatnonzero((faces != np.roll(faces, -1, 1)).all(axis=1))
    faces = faces[whole]
    start, end = faces.ravel(), np.roll(faces, -1, 1).ravel()
    pairs = np.minimum(start, end) * (int(faces.max(initial=0)) + 1) + np.maximum(start, end)
    number = np.unique(pairs, return_inverse=True)[1]
    return number, start < end, np.repeat(whole, 3)
