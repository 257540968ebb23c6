"""Sensor elements: measurements of a world, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import mujoco
import numpy as np

from usdsim.core.errors import UnsupportedError
from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import check_data
from usdsim.scene.elements.element import Element

from .kinds import KINDS, fields_of

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

__all__ = ["Sensor"]

_OBJ, _JNT = mujoco.mjtObj, mujoco.mjtJoint
# Names of objects among the engine's tables: bodies may be meant by their inertial frame.
_TABLES = {
    int(_OBJ.mjOBJ_BODY): "body",
    int(_OBJ.mjOBJ_XBODY): "body",
    int(_OBJ.mjOBJ_JOINT): "joint",
    int(_OBJ.mjOBJ_GEOM): "geom",
    int(_OBJ.mjOBJ_SITE): "site",
    int(_OBJ.mjOBJ_CAMERA): "camera",
    int(_OBJ.mjOBJ_TENDON): "tendon",
    int(_OBJ.mjOBJ_ACTUATOR): "actuator",
    int(_OBJ.mjOBJ_MESH): "mesh",
}
_STAGES: tuple[Literal["none", "position", "velocity", "acceleration"], ...] = (
    "none",
    "position",
    "velocity",
    "acceleration",
)


class Sensor(Element):
    """A measurement defined in the model, of any kind MuJoCo has, or a lidar.

    What depends on positions and velocities is measured in the current state. What depends on
    forces and accelerations is that of the last step or, after a write, what the written state
    implies. The sensor's cutoff limits the values; noise is added once
    `SceneData.seed_sensor_noise` asks for it.

    A lidar gives the world points its beams hit, three values per beam, column by column, and zeros
    for beams that hit nothing. They are cast whenever they are read.
    """

    __slots__ = ()

    kind = "sensor"

    @property
    def typ(self) -> str:
        """Type of what it measures, such as ``"gyro"``: the name MJCF has for it."""
        if self._id in self._model.lidars:
            return "lidar"
        return KINDS[int(self._model.low.sensor_type[self._id])].name

    @property
    def unit(self) -> str:
        """Unit of its values; empty where they have none. See `fields` for contacts and rays."""
        low = self._model.low
        if self._id in self._model.lidars:
            return "m"
        unit = KINDS[int(low.sensor_type[self._id])].unit
        if int(low.sensor_objtype[self._id]) == _OBJ.mjOBJ_JOINT:
            slide = int(low.jnt_type[int(low.sensor_objid[self._id])]) == _JNT.mjJNT_SLIDE
            return unit.split(" or ")[0 if slide else -1]
        return unit

    @property
    def size(self) -> int:
        """Number of values."""
        return self._model.sensor_layout.size(self._id)

    @property
    def stage(self) -> Literal["none", "position", "velocity", "acceleration"]:
        """Latest stage it depends on; ``"none"``: on nothing the engine computes."""
        return _STAGES[int(self._model.low.sensor_needstage[self._id])]

    @property
    def object_path(self) -> str:
        """Prim path of what it is attached to; empty for the whole scene."""
        low = self._model.low
        return self._path(int(low.sensor_objtype[self._id]), int(low.sensor_objid[self._id]))

    @property
    def reference_path(self) -> str:
        """Prim path of the frame it measures in, or of the second object; empty: the world."""
        low = self._model.low
        return self._path(int(low.sensor_reftype[self._id]), int(low.sensor_refid[self._id]))

    @property
    def cutoff(self) -> float | None:
        """Largest value it gives, in `unit`; None: any."""
        cutoff = float(self._model.low.sensor_cutoff[self._id])
        return cutoff if cutoff > 0.0 else None

    @property
    def noise(self) -> float:
        """Standard deviation of its noise, in `unit`; of directions and orientations [rad]."""
        return float(self._model.low.sensor_noise[self._id])

    @property
    def delay(self) -> float:
        """Age of its values [s]."""
        return float(self._model.low.sensor_delay[self._id])

    @property
    def interval(self) -> float:
        """Time between two measurements [s]; 0: one per step."""
        return float(self._model.low.sensor_interval[self._id, 0])

    @property
    def fields(self) -> dict[str, str]:
        """Names and units of what a contact sensor or rangefinder gives per contact or ray."""
        return {field.name: field.unit for field in fields_of(self._model.low, self._id)}

    def get_value(self, data: SceneData, noise: bool = True) -> FloatArray:
        """Values of the sensor, quaternions as x, y, z, w, shape (*B, size).

        Args:
            data: the worlds.
            noise: add noise, if the data has a seed for it.
        """
        check_data(data, self._model)
        return data.read_sensors([self._id], noise)

    def get_fields(self, data: SceneData, noise: bool = True) -> dict[str, FloatArray]:
        """Fields of a contact sensor or rangefinder, by `fields`, each of shape (*B, n, k).

        Args:
            data: the worlds.
            noise: add noise, if the data has a seed for it.

        Raises:
            UnsupportedError: it is a sensor of another kind.
        """
        fields = fields_of(self._model.low, self._id)
        if not fields:
            raise UnsupportedError(f"{self.title} of type {self.typ!r} has no fields.")
        width = sum(field.size for field in fields)
        values = self.get_value(data, noise)
        places = int(self._model.low.sensor_dim[self._id])
        if self.size < places:
            # The first field, which all contacts share, is there once.
            others = values[..., 1:].reshape(*data.shape, places // width, width - 1)
            shared = np.broadcast_to(values[..., None, :1], (*others.shape[:-1], 1))
            values = np.concatenate([shared, others], axis=-1)
        values = values.reshape(*data.shape, -1, width)
        ends = np.cumsum([field.size for field in fields])
        return {
            field.name: values[..., end - field.size : end]
            for field, end in zip(fields, ends, strict=True)
        }

    def _path(self, kind: int, index: int) -> str:
        table = _TABLES.get(kind)
        return self._model.compiled.names.paths(table)[index] if table and index >= 0 else ""
