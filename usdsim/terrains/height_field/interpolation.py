"""Cubic interpolation of a grid of numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["smooth"]

Array = NDArray[np.float64]


def smooth(values: Array, shape: tuple[int, ...]) -> Array:
    """A finer grid over the same rectangle, through the given numbers, without kinks.

    Along each axis, by Catmull and Rom's splines (1974); beyond the ends, the last line goes on.

    Args:
        values: shape (m, n).
        shape: of the result.
    """
    for axis, count in enumerate(shape):
        values = np.moveaxis(_along(np.moveaxis(values, axis, 0), count), 0, axis)
    return values


def _along(values: Array, count: int) -> Array:
    if count == len(values):
        return values
    place = np.linspace(0.0, len(values) - 1.0, count)
    left = np.minimum(place.astype(np.int64), len(values) - 2)
    t = (place - left)[:, None]
    padded = np.concatenate(
        [2.0 * values[:1] - values[1:2], values, 2.0 * values[-1:] - values[-2:-1]]
    )
    a, b, c, d = (padded[left + k] for k in range(4))
    slopes = 0.5 * (c - a), 0.5 * (d - b)
    return np.asarray(
        b
        + t * (slopes[0] + t * (3.0 * (c - b) - 2.0 * slopes[0] - slopes[1])
        + t**2 * (2.0 * (b - c) + slopes[0] + slopes[1]))
    )  # fmt: skip
