"""Watch of stiff drives: an alarm for those that may be beyond their limits, in every step."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.indices import Rows
from usdsim.engine.parameters.cpu import Parameters
from usdsim.engine.threads import state_columns

from .law import Laws, of_worlds
from .passage import Passage
from .shares import Shares, any_above

__all__ = ["Watch"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

_ALMOST = 1.0 - 1e-6
"""Share of a limit from which a closer look is taken."""


class Watch:
    """Alarm for all stiff drives at once, in every step: a sum over the state of the worlds.

    It may be raised where there is no reason to, by rounding. A product of matrices would be
    shorter, but the threads of a linear algebra library stay awake for a while after one, and keep
    the processors from the engine's step. Products with one world are too small for these threads.

    Args:
        batch: the worlds.
        laws: of the drives.
        parts: state fields, and where position, velocity and the three inputs of the drives are in
            them.
        actuators: of the drives, shape (drives,).
        parameters: the engine's.

    Attributes:
        width: number of leading columns of the state that it depends on.
    """

    def __init__(
        self,
        batch: mjbatch.Batch,
        laws: Laws,
        parts: Iterable[tuple[str, Ids]],
        actuators: Ids,
        parameters: Parameters,
    ):
        self._batch, self._laws = batch, laws
        self._actuators, self._parameters = actuators, parameters
        columns = [state_columns(batch, field).start + places for field, places in parts]
        self._columns = np.stack(columns, axis=-1)
        self.width = int(self._columns.max()) + 1
        gains = laws.stiffness, laws.damping
        terms = *(-gain for gain in gains), *gains, np.ones_like(laws.damping)
        self._gains = np.stack(terms, axis=-1)
        self._limits = np.maximum(np.minimum(-laws.low, laws.high), 0.0)
        self._most = _ALMOST * self._limits
        # Room for the terms and sums of all worlds.
        self._terms = np.empty((batch.nsim, *self._columns.shape))
        self._force = np.empty(self._terms.shape[:2])
        self._shares: Shares | None = None
        if batch.nsim == 1:
            shares = Shares(self._columns, self._gains, self._most[0])
            self._shares = shares if shares.small else None

    @cached_property
    def passage(self) -> Passage:
        """Alarm for the steps of one call after the first, from the states around it."""
        return Passage(
            self._batch, self._laws, self._columns, self._actuators, self._limits, self._parameters
        )

    def serves(self, batch: mjbatch.Batch, laws: Laws) -> bool:
        """Whether it is for these."""
        return self._batch is batch and self._laws is laws

    def beyond(self, state: Floats, rows: Rows) -> NDArray[np.bool_] | None:
        """Whether any drive of a world may be beyond its limits, shape (n,); None: nowhere.

        Args:
            state: of the worlds in `rows`, the first `width` columns or more.
            rows: what picks them.
        """
        if self._shares is not None:
            return np.ones(1, np.bool_) if any_above(self._shares.of(state[0])) else None
        terms, force = self._terms[: len(state)], self._force[: len(state)]
        # All columns exist; only this mode writes to `out` without a copy between.
        state.take(self._columns, axis=1, out=terms, mode="clip")
        np.vecdot(terms, of_worlds(self._gains, rows), out=force)
        np.abs(force, out=force)
        over = force > of_worlds(self._most, rows)
        return np.asarray(over.any(axis=1)) if np.count_nonzero(over) else None
