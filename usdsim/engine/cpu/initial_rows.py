"""Reset of worlds by state rows: what a world returns to, written over its state."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

__all__ = ["InitialRows"]

_SLEEP = int(mujoco.mjtEnableBit.mjENBL_SLEEP)
_OWN = "eq_active0"
"""The parameter that a reset takes state from, which has no other initial value."""


class InitialRows:
    """The state of a world that the engine has just reset, to reset others without the engine.

    A state is one row of numbers. Models whose worlds remember more have no row: plugins, bodies
    that sleep or are soft, and sensors that measure at times of their own.

    Args:
        model: that is stepped.
    """

    def __init__(self, model: mujoco.MjModel):
        timed = model.sensor_interval.any() or model.nhistory > 0
        sleeps = model.opt.enableflags & _SLEEP
        self._possible = not (model.nplugin or model.nflex or timed or sleeps)
        self._row: NDArray[np.float64] | None = None

    def keep(self, batch: mjbatch.Batch) -> None:
        """Keep the state row of worlds just reset, none of which has its own parameters."""
        if self._possible:
            self._row = np.array(batch.state[0])

    def reset(self, batch: mjbatch.Batch, worlds: NDArray[Any] | None) -> bool:
        """Reset some worlds (None: all) from the kept row; returns whether that was possible."""
        if self._row is None or batch.expanded(_OWN) is not None:
            return False
        batch.state[slice(None) if worlds is None else worlds] = self._row
        return True
