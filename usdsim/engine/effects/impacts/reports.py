"""Reports of impacts: the contacts that impulses sent back, and what they add to sums of forces."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, fields

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["ForceSums", "SentBack"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

_FORCE = 1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE)
_NET = 3
"""Reduction of all contacts to one force along world axes."""
_ANY = -1


@dataclass(frozen=True)
class SentBack:
    """Contacts that impulses sent back, with the forces that do the same within a time step."""

    geom: NDArray[np.int32]
    """Geoms that met, shape (n, 2)."""
    pos: Floats
    """Points where they met, in world [m], shape (n, 3)."""
    frame: Floats
    """Rows are the normal, from the first geom to the second, and two tangents, (n, 3, 3)."""
    dist: Floats
    """Distance of the surfaces at the end of the step, negative [m], shape (n,)."""
    force: Floats
    """Force of the first geom on the second along `frame` [N], shape (n, 3)."""

    @classmethod
    @functools.cache
    def none(cls) -> SentBack:
        """No contacts."""
        return cls(
            np.zeros((0, 2), np.int32),
            *(np.zeros((0, *tail)) for tail in ((3,), (3, 3), (), (3,))),
        )

    @classmethod
    def of(cls, parts: Sequence[SentBack]) -> SentBack:
        """Contacts one after the other."""
        names = [field.name for field in fields(cls)]
        parts = (cls.none(), *parts)
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    @property
    def force_w(self) -> Floats:
        """Force on the second geom, in world [N], shape (n, 3)."""
        return np.asarray(np.einsum("nij,ni->nj", self.frame, self.force))

    def __len__(self) -> int:
        return len(self.dist)


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

    def added(self, contacts: SentBack) -> Floats:
        """Forces that contacts add to the sums [N], shape (sensors, 3)."""
        geoms, forces = contacts.geom, contacts.force_w
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
