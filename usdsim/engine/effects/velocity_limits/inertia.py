"""Inertia of worlds as their last step started with it: factors of the mass matrix."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco import batch as mjbatch

from usdsim.engine.indices import Rows

__all__ = ["Inertia"]


class Inertia:
    """Factors of the mass matrix, M = L^T D L, kept while the engine goes on to another state.

    Args:
        batch: the worlds.

    Attributes:
        factor: L as the engine stores it, a row per world.
        inverse: inverse of D, a row per world.
    """

    def __init__(self, batch: mjbatch.Batch):
        self._batch = batch
        self._live = batch.bind("qLD"), batch.bind("qLDiagInv")
        # A field bound after a call is filled by the next one, even if that computes nothing.
        batch.forward(None, int(mujoco.mjtStage.mjSTAGE_NONE))
        self.factor, self.inverse = (np.zeros_like(values) for values in self._live)

    def serves(self, batch: mjbatch.Batch) -> bool:
        """Whether it is of these worlds."""
        return self._batch is batch

    def take(self, rows: Rows) -> None:
        """Take what some worlds have now."""
        factor, inverse = self._live
        self.factor[rows], self.inverse[rows] = factor[rows], inverse[rows]
