"""Sensor values: of any sensors at once."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.scene.arrays import FloatArray
from usdsim.scene.process import contact_counts

from .noise import NoiseOfSensors, SensorNoise

__all__ = ["SensorLayout"]

_QUATERNIONS = (int(mujoco.mjtSensor.mjSENS_FRAMEQUAT), int(mujoco.mjtSensor.mjSENS_BALLQUAT))
_FOUND = 1 << int(mujoco.mjtConDataField.mjCONDATA_FOUND)


class SensorLayout:
    """Addresses of the values of sensors among those of the engine.

    Args:
        model: the compiled model.
    """

    def __init__(self, model: mujoco.MjModel):
        self._noise = NoiseOfSensors(model)
        self._columns = [_columns(model, sensor) for sensor in range(model.nsensor)]

    def columns(self, sensors: Sequence[int]) -> NDArray[np.intp]:
        """Places of the values of sensors, quaternions as x, y, z, w."""
        chosen = [self._columns[sensor] for sensor in sensors]
        return np.concatenate([np.zeros(0, np.intp), *chosen])

    def read(
        self,
        values: NDArray[np.float64],
        sensors: Sequence[int],
        rows: NDArray[np.intp],
        noise: SensorNoise | None,
    ) -> FloatArray:
        """Values of sensors in some worlds, shape (rows, sum of sizes).

        Args:
            values: those of the engine for all worlds.
            sensors: engine ids.
            rows: ids of the worlds.
            noise: where noise comes from; None: none is added.
        """
        every = len(rows) == len(values) and bool((rows == np.arange(len(rows))).all())
        chosen = values if every else values[rows]
        found = np.take(chosen, self.columns(sensors), axis=1)
        if noise is not None:
            start = 0
            for sensor in sensors:
                end = start + self.size(sensor)
                found[:, start:end] = self._noise.add(found[:, start:end], sensor, noise, rows)
                start = end
        return found.astype(np.float32)

    def size(self, sensor: int) -> int:
        """Number of values of a sensor."""
        return len(self._columns[sensor])


def _columns(model: mujoco.MjModel, sensor: int) -> NDArray[np.intp]:
    first, size = int(model.sensor_adr[sensor]), int(model.sensor_dim[sensor])
    columns, kind = np.arange(first, first + size), int(model.sensor_type[sensor])
    if kind in _QUATERNIONS:
        return np.roll(columns, -1)
    if kind == int(mujoco.mjtSensor.mjSENS_CONTACT) and contact_counts() == "once":
        data, _, contacts = model.sensor_intprm[sensor, :3].tolist()
        if data & _FOUND:
            repeated = np.arange(size) % (size // contacts) == 0
            repeated[0] = False
            return columns[~repeated]
    return columns
