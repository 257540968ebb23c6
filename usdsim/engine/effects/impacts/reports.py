"""Reports of impacts: what impulses add to the sums of contact forces that sensors read."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["ForceSums"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

_FORCE = 1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE)
_NET = 3
"""Reduction of all contacts to one force along world axes."""
_ANY = -1


class ForceSums:
    """Sensors of a model that sum the contact forces that a body exerts.

    Args:
        model: the model.

    Attributes:
        columns: where the sum of each sensor begins in the sensor data, shape (sensors,).
        bodies: whose forces they are.
        other_bodies: on which body; -1: on any.
        other_geoms: on which geom; -1: on any.
    """

    columns: Ids
    bodies: Ids
    other_bodies: Ids
    other_geoms: Ids

    def __init__(self, model: mujoco.MjModel):
        body, geom = int(mujoco.mjtObj.mjOBJ_BODY), int(mujoco.mjtObj.mjOBJ_GEOM)
        kinds = np.asarray(model.sensor_reftype)
        found = np.flatnonzero(
            (model.sensor_type == mujoco.mjtSensor.mjSENS_CONTACT)
            & (model.sensor_objtype == body)
            & (model.sensor_intprm[:, :2] == (_FORCE, _NET)).all(axis=1)
            & np.isin(kinds, (int(mujoco.mjtObj.mjOBJ_UNKNOWN), body, geom))
        )
        kinds, others = kinds[found], np.asarray(model.sensor_refid[found], np.intp)
        self.columns = np.asarray(model.sensor_adr[found], np.intp)
        self.bodies = np.asarray(model.sensor_objid[found], np.intp)
        self.other_bodies = np.where(kinds == body, others, _ANY)
        self.other_geoms = np.where(kinds == geom, others, _ANY)
        self._owners = np.asarray(model.geom_bodyid, np.intp)

    def __len__(self) -> int:
        return len(self.columns)

    def added(self, geoms: Ids, forces: Floats) -> Floats:
        """Forces that contacts add to the sums [N], shape (sensors, 3).

        Args:
            geoms: which meet, shape (n, 2).
            forces: on the second one, world [N], shape (n, 3).
        """
        total = np.zeros((len(self), 3))
        for sign, own, other in ((1.0, geoms[:, 0], geoms[:, 1]), (-1.0, geoms[:, 1], geoms[:, 0])):
            counts = self.bodies[:, None] == self._owners[own]
            for wanted, found in (
                (self.other_bodies, self._owners[other]),
                (self.other_geoms, other),
            ):
                counts &= (wanted[:, None] == _ANY) | (wanted[:, None] == found)
            total += sign * counts @ forces
        return total
