"""Shares of force limits: what the drives of a lone world take of them, by one product."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Shares", "any_above"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

_SMALL = 1 << 12
"""Numbers of a matrix whose product with a vector one thread makes."""
_NO_LIMIT = 1e-200
"""Limit in the place of none at all, which gains can be divided by."""


class Shares:
    """Terms of forces over their limits, once in either direction, from a row of numbers.

    All numbers between those that count are multiplied, most by zero, which takes less time than
    looking for the others.

    Args:
        columns: of the numbers that each drive depends on in the row, shape (drives, k).
        gains: force per number, shape (forces, drives, k).
        limits: shape (drives,).
    """

    __slots__ = ("_matrix", "_part")

    def __init__(self, columns: Ids, gains: Floats, limits: Floats):
        first, end = int(columns.min()), int(columns.max()) + 1
        self._part = slice(first, end)
        terms = np.zeros((end - first, *gains.shape[:2]))
        scaled = gains / np.maximum(limits, _NO_LIMIT)[:, None]
        for drive, places in enumerate(columns - first):
            terms[places, :, drive] = scaled[:, drive].T
        flat = terms.reshape(len(terms), -1)
        self._matrix = np.concatenate([flat, -flat], axis=1)

    @property
    def small(self) -> bool:
        """Whether products are too small for the threads of a linear algebra library."""
        return self._matrix.size <= _SMALL

    def of(self, row: Floats) -> Floats:
        """Terms of a row, shape (2 * forces * drives,)."""
        return np.asarray(row[self._part].dot(self._matrix))


def any_above(shares: Floats) -> bool:
    """Whether any force may be above its limit, as it may where anything is not a number."""
    return not max(shares.tolist()) <= 1.0
