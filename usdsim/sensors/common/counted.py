"""Sensors whose samples are counted."""

from __future__ import annotations

import numpy as np
import warp as wp

from usdsim.assets.participation import Simulation
from usdsim.sensors.common.kernel_pass import Rows
from usdsim.views.copies.device_selection import DeviceSelection
from usdsim.views.usable import usable

from .sensor import SensorBase

__all__ = ["CountedSensor"]


class CountedSensor(SensorBase):
    """Sensor that knows how many samples it took of each instance."""

    @property
    def frame(self) -> wp.array:
        """Number of samples since the last reset, int64, shape (N,).

        Raises:
            StageError: the simulation was not started.
        """
        self._running()
        return usable(wp.array(self._frame, dtype=wp.int64, device="cpu"))

    def initialize(self, simulation: Simulation) -> None:
        """Bind to the engine; see `SensorBase.initialize`."""
        super().initialize(simulation)
        self._frame = np.zeros(self._num_instances, np.int64)

    @property
    def _forgets_on_device(self) -> bool:
        return False

    def _forget(self, rows: Rows | DeviceSelection) -> None:
        super()._forget(rows)
        if not isinstance(rows, DeviceSelection):
            self._frame[slice(None) if rows is None else rows] = 0

    def _done(self, rows: Rows) -> None:
        super()._done(rows)
        self._frame[slice(None) if rows is None else rows] += 1
