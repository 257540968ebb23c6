"""Sensors: measurements of a world, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from .arrays import FloatArray, frozen
from .element import Element

if TYPE_CHECKING:
    from .data import SceneData

__all__ = ["Sensor"]

_QUATERNIONS = (int(mujoco.mjtSensor.mjSENS_FRAMEQUAT), int(mujoco.mjtSensor.mjSENS_BALLQUAT))


class Sensor(Element):
    """A measurement defined in the model, of any kind MuJoCo has."""

    __slots__ = ()

    kind = "sensor"

    @property
    def typ(self) -> str:
        """What it measures, such as ``"gyro"``: MuJoCo's word."""
        name = mujoco.mjtSensor(int(self._model.low.sensor_type[self._id])).name
        return name.removeprefix("mjSENS_").lower()

    @property
    def size(self) -> int:
        """Number of values."""
        return int(self._model.low.sensor_dim[self._id])

    def get_value(self, data: SceneData) -> FloatArray:
        """Its values, quaternions as x, y, z, w, shape (*B, size)."""
        first = int(self._model.low.sensor_adr[self._id])
        values = data.measured(self._model, "sensordata")[..., first : first + self.size]
        if int(self._model.low.sensor_type[self._id]) in _QUATERNIONS:
            values = np.roll(values, -1, axis=-1)
        return frozen(values.astype(np.float32))
