"""Growth of the capacity for contacts and constraints on a Warp device."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Literal

import mujoco
import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.fields import Stale
from usdsim.engine.parameters.warp import WarpParameters
from usdsim.engine.part import DeviceEngine, EnginePart

from . import kernels
from .overflow import Overflow, overflow_error
from .step import WarpStep
from .worlds import STATE_FIELDS, WarpWorlds

__all__ = ["OverflowPolicy", "WarpRoom"]

logger = logging.getLogger("usdsim")

OverflowPolicy = Literal["warn", "raise", "grow"]
"""``warn`` that some had no effect, and make more room for the steps to come; ``raise`` a
`SimulationError`; or ``grow``: make more room and repeat the call."""


class WarpRoom(EnginePart, DeviceEngine):
    """The part of `WarpEngine` that sizes arrays of contacts and constraints."""

    check_interval: int
    on_overflow: OverflowPolicy
    _copies: dict[str, Any]
    _given: tuple[int | None, int | None]
    _lent: dict[str, NDArray[Any]]
    _parameters: WarpParameters
    _short: bool
    _program: WarpStep
    _worlds: WarpWorlds

    if TYPE_CHECKING:

        def check(self) -> None:
            """Check whether contacts found no room; see `WarpEngine`."""
            ...

        def _advance(self, ids: NDArray[np.intp] | None, n: int) -> None: ...

    @property
    def capacity(self) -> tuple[int, int]:
        """Capacity of each world: contacts and constraint rows."""
        return self._worlds.capacity.contacts, self._worlds.capacity.constraints

    def _step_roomy(self, ids: NDArray[np.intp] | None, n: int) -> None:
        """Step; if contacts or constraints overflow, enlarge the capacity and repeat the step."""
        while True:
            saved = {name: wp.clone(self._worlds.array(name)) for name in (*STATE_FIELDS, "time")}
            self._advance(ids, n)
            if not int(self._program.alarm.numpy()[0]) & kernels.OVERFLOWED:
                return
            for name, values in saved.items():
                wp.copy(self._worlds.array(name), values)
            self._grow()

    def _make_do(self, overflow: Overflow) -> None:
        """Warn of an overflow, and enlarge the capacity for later steps.

        Some capacities follow from the model and cannot grow: their overflow is reported once.
        """
        text = str(overflow_error(overflow, self.compiled, self.time))
        if self._make_room(overflow):
            logger.warning("%s From here on there is room for %d and %d.", text, *self.capacity)
        elif not self._short:
            self._short = True
            logger.warning("%s It is not said again.", text)

    def _grow(self) -> None:
        overflow, before = self._overflow(), self.capacity
        self._program.clear_alarm()
        if not self._make_room(overflow):
            raise overflow_error(overflow, self.compiled, self.time)
        logger.info(
            "Room for %d contacts and %d constraint rows per world; there was %d and %d.",
            *self.capacity, *before,
        )  # fmt: skip

    def _make_room(self, overflow: Overflow) -> bool:
        """Enlarge the capacity to twice what overflowed; returns whether it could grow."""
        capacity = self._worlds.capacity.grown(overflow.constraints, overflow.contacts)
        if capacity == self._worlds.capacity:
            return False
        self._rebuild(self._worlds.model, capacity)
        return True

    def _settle(self) -> None:
        """Enlarge capacities that were not given to what the device counts now."""
        self._program.motion()
        contacts, rows = self._given
        overflow = self._overflow()
        capacity = self._worlds.capacity.at_least(
            0 if rows is not None else overflow.constraints,
            0 if contacts is not None else 2 * overflow.contacts,
        )
        if capacity != self._worlds.capacity:
            self._program.clear_alarm()
            self._rebuild(self._worlds.model, capacity)

    def _rebuild(self, model: mujoco.MjModel, capacity: Any = None) -> None:
        """Allocate the device's arrays anew, and restore state and parameters."""
        saved = {name: np.array(self._worlds.numpy(name)) for name in STATE_FIELDS}
        self._worlds.build(model, capacity or self._worlds.capacity)
        for name, values in saved.items():
            if values.size:
                self._worlds.upload(name, values)
        self._parameters.upload()
        self._copies.clear()
        self._lent.clear()
        self.versions.arrays += 1
        self._outdate(Stale.MOTION, None)

    def _overflow(self) -> Overflow:
        return Overflow.read(self._worlds, self._program.peak)

    def _grown(self) -> bool:
        """Handle an overflow after a computation; returns whether the capacity grew."""
        grows, before = self.on_overflow == "grow", self.capacity
        if not grows and self.check_interval != 1:
            return False
        if not int(self._program.alarm.numpy()[0]) & kernels.OVERFLOWED:
            return False
        if grows:
            self._grow()
        else:
            self.check()
        return self.capacity != before
