"""Target samples: where a drive is to go over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["TargetSamples"]

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class TargetSamples:
    """Numbers over time, linear between samples, held before the first of them and after the last.

    Those of a drive are its target position [m or rad] and its target velocity [m/s or rad/s].
    """

    times: Array
    """Ascending [s], at least two, shape (n,)."""
    values: Array
    """One row per time, shape (n, k)."""

    def at(self, time: ArrayLike) -> Array:
        """Values at some times [s], shape (..., k)."""
        moment = np.asarray(time, dtype=np.float64)
        columns = [np.interp(moment, self.times, column) for column in self.values.T]
        return np.stack(columns, axis=-1)
