"""Collision masks: bits by which classes of shapes meet, as many as the engine has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["BITS", "collision_masks"]

BITS = 31
"""Useful bits of the engine's masks."""
_TRIES = 8
"""Random sets of classes that are tried for each bit."""

_Flags = NDArray[np.bool_]


def collision_masks(
    allowed: _Flags, weights: NDArray[np.float64], alone: _Flags
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.intp]]:
    """Types and affinities of classes, of which two meet where one's types hit the other's.

    Each class has a bit of its own where there are enough. Otherwise a bit stands for two sets, all
    classes of which meet all of the other: a cover of the graph of what meets by complete bipartite
    graphs. Where most meet, random sets make covers whose size grows with the logarithm of the
    classes (N. Alon, Covering graphs by the minimum number of equivalence relations, Combinatorica
    6, 1986, theorem 1.4); of some sets the one that covers most is taken. The last bit is for what
    meets nothing by the others, as shapes without any count as shapes that do not collide.

    Args:
        allowed: which classes meet, symmetric, shape (n, n).
        weights: how much it matters that a class is covered, such as its number of shapes,
            shape (n,).
        alone: whether a class has one shape, which does not meet itself, shape (n,).

    Returns:
        Types, affinities, shape (n,) each, and the two classes of each pair that should meet and
        that no bit covers, shape (m, 2).
    """
    count = len(allowed)
    if count <= BITS:
        own = 1 << np.arange(count, dtype=np.int64)
        return own, allowed @ own, np.empty((0, 2), np.intp)
    *bits, last = 1 << np.arange(BITS, dtype=np.int64)
    types, affinities = np.zeros((2, count), np.int64)
    left = allowed & ~np.diag(alone)
    cover = _cover(allowed | np.diag(alone), left, weights)
    for bit, (first, second) in zip(bits, cover, strict=False):
        types[first] |= bit
        affinities[second] |= bit
    types[(types | affinities) == 0] = last
    return types, affinities, np.argwhere(np.triu(left))


def _cover(
    allowed: _Flags, left: _Flags, weights: NDArray[np.float64]
) -> Iterator[tuple[_Flags, _Flags]]:
    """Two sets of classes at a time, all of which meet; what they cover is taken from `left`."""
    random, value = np.random.default_rng(0), weights.astype(np.float32)
    # Counts of both are products of matrices, which are fast and exact in single precision.
    apart, open_ = (~allowed).astype(np.float32), left.astype(np.float32)
    share = 1.0 / (1.0 + apart.sum(axis=1).mean())
    while (gain := (open_ @ value) * value).any():
        tried = random.random((len(allowed), _TRIES)) < share
        tried[:, 0] = False
        tried[gain.argmax(), 0] = True
        second = apart @ tried.astype(np.float32) == 0.0
        first = apart @ second.astype(np.float32) == 0.0
        covered = (first * value[:, None]) * (open_ @ (second * value[:, None]))
        best = int(covered.sum(axis=0).argmax())
        sets = first[:, best], second[:, best]
        for rows, columns in (sets, sets[::-1]):
            left[np.ix_(rows, columns)] = False
            open_[np.ix_(rows, columns)] = 0.0
        yield sets
