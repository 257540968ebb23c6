"""Pose samples: where something is over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["PoseSamples"]

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class PoseSamples:
    """Poses over time, held before the first of them and after the last."""

    times: Array
    """Ascending [s], at least two, shape (n,)."""
    pos: Array
    """[m], shape (n, 3)."""
    quat: Array
    """xyzw, neighbours in one half space, shape (n, 4)."""

    def at(self, time: float | Array) -> tuple[Array, Array]:
        """Position [m], (..., 3), and orientation (xyzw), (..., 4), between the nearest samples."""
        moment = np.clip(time, self.times[0], self.times[-1])
        after = np.clip(np.searchsorted(self.times, moment, side="right"), 1, len(self.times) - 1)
        gap = self.times[after] - self.times[after - 1]
        share = np.asarray((moment - self.times[after - 1]) / gap)[..., None]
        pos = self.pos[after - 1] + share * (self.pos[after] - self.pos[after - 1])
        quat = (1.0 - share) * self.quat[after - 1] + share * self.quat[after]
        return pos, quat / np.linalg.norm(quat, axis=-1, keepdims=True)
