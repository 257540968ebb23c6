"""Time samples: poses and numbers over time, linear between samples, held before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["PoseSamples", "TargetSamples"]

Array = NDArray[np.float64]
_POSE = ("pos", "quat")


@dataclass(frozen=True, kw_only=True, eq=False)
class PoseSamples:
    """Poses over time, held before the first of them and after the last."""

    times: Array
    """Ascending [s], at least two, shape (n,)."""
    pos: Array
    """[m], shape (n, 3), or (n, k, 3) of k bodies."""
    quat: Array
    """xyzw, neighbours in one half space, shape (n, 4) or (n, k, 4)."""

    def at(self, time: float | Array) -> tuple[Array, Array]:
        """Positions [m] and orientations (xyzw) between the nearest samples.

        Args:
            time: [s], any shape; those of the results begin with it.
        """
        moment = np.clip(time, self.times[0], self.times[-1])
        after = np.clip(np.searchsorted(self.times, moment, side="right"), 1, len(self.times) - 1)
        gap = self.times[after] - self.times[after - 1]
        share = np.asarray((moment - self.times[after - 1]) / gap)
        share = share.reshape(*share.shape, *(1,) * (self.pos.ndim - 1))
        pos = self.pos[after - 1] + share * (self.pos[after] - self.pos[after - 1])
        quat = (1.0 - share) * self.quat[after - 1] + share * self.quat[after]
        return pos, quat / np.linalg.norm(quat, axis=-1, keepdims=True)

    @staticmethod
    def together(samples: Sequence[PoseSamples]) -> PoseSamples:
        """Samples of bodies that have theirs at the same times, as one."""
        pos, quat = (np.stack([getattr(one, name) for one in samples], 1) for name in _POSE)
        return PoseSamples(times=samples[0].times, pos=pos, quat=quat)


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
