"""Contact view: forces and single contacts of a contact sensor, named as in PhysX tensor views.

Rows are sensed bodies, instance after instance. Forces times the time step are impulses, which the
methods divide by the time they are given: ``dt`` of the physics gives forces in N, and 1, as by
default there, impulses in N s. Arrays are new ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import warp as wp
from numpy.typing import ArrayLike

from usdsim.core.arguments import number
from usdsim.core.errors import StageError
from usdsim.views.usable import UsableArray, usable

from .single import PressingContacts, SingleContacts

if TYPE_CHECKING:
    from .sensor import ContactSensor

__all__ = ["ContactView"]

Arrays = tuple[UsableArray, ...]


class ContactView:
    """The contacts of a sensor. S bodies of all instances, M filters, C contacts.

    Args:
        sensor: the sensor.
        single: its single contacts; None: they are not tracked.
        dt: time step of the physics [s].
    """

    def __init__(self, sensor: ContactSensor, single: SingleContacts | None, dt: float):
        self._sensor, self._single, self._dt = sensor, single, dt

    @property
    def count(self) -> int:
        """Number of sensed bodies of all instances, S."""
        return self._sensor.num_instances * self._sensor.num_sensors

    @property
    def sensor_count(self) -> int:
        """`count` under another name."""
        return self.count

    @property
    def filter_count(self) -> int:
        """Number of filters, M."""
        return self._sensor.num_filters

    def get_net_contact_forces(self, dt: float = 1.0) -> UsableArray:
        """Impulses of all contacts on each body, with friction, by a time, world, shape (S, 3).

        Args:
            dt: the time [s].
        """
        return self._array(self._sensor.data.net_forces_w.numpy().reshape(-1, 3) * self._by(dt))

    def get_contact_force_matrix(self, dt: float = 1.0) -> UsableArray:
        """Impulses of each filter on each body, with friction, by a time, world, shape (S, M, 3).

        Args:
            dt: the time [s].

        Raises:
            StageError: the sensor has no filters.
        """
        matrix = self._sensor.data.force_matrix_w
        if matrix is None:
            raise self._lacks("filter_prim_paths_expr")
        return self._array(matrix.numpy().reshape(self.count, -1, 3) * self._by(dt))

    def get_contact_data(self, dt: float = 1.0) -> Arrays:
        """Points and normal forces of bodies and filters, contact by contact.

        Args:
            dt: the time by which impulses are divided [s].

        Returns:
            Normal impulses by the time, shape (C, 1); points in the middle of overlaps, world [m],
            (C, 3); directions in which bodies are pressed, world, (C, 3); distances of the
            surfaces [m], (C, 1); how many contacts each body has with each filter, int32, (S, M),
            and where they begin, int32, (S, M).

        Raises:
            StageError: the sensor tracks neither contact points nor friction forces.
        """
        found, by = self._contacts(), self._by(dt)
        numbers = found.force[:, None] * by, found.pos, found.normal, found.dist[:, None]
        return *map(self._array, numbers), *self._counts(found)

    def get_friction_data(self, dt: float = 1.0) -> Arrays:
        """Friction forces of filters on bodies, contact by contact.

        Args:
            dt: the time by which impulses are divided [s].

        Returns:
            Friction impulses on bodies by the time, world, shape (C, 3); points, the number of
            contacts and where they begin as in `get_contact_data`.

        Raises:
            StageError: the sensor tracks neither contact points nor friction forces.
        """
        found, by = self._contacts(), self._by(dt)
        return self._array(found.friction * by), self._array(found.pos), *self._counts(found)

    def _contacts(self) -> PressingContacts:
        if self._single is None:
            raise self._lacks("track_friction_forces or track_contact_points")
        return self._single.read()

    def _counts(self, found: PressingContacts) -> Arrays:
        rows = self.count * self.filter_count
        counts = np.bincount(found.row, minlength=rows)
        begins = np.cumsum(counts) - counts
        shape = (self.count, self.filter_count)
        return tuple(self._array(each.reshape(shape), np.int32) for each in (counts, begins))

    def _array(self, values: ArrayLike, dtype: type = np.float32) -> UsableArray:
        return usable(wp.array(np.ascontiguousarray(values, dtype), device=self._sensor.device))

    def _by(self, dt: float) -> float:
        return self._dt / number("dt", dt)

    def _lacks(self, options: str) -> StageError:
        return StageError(
            f"ContactSensor at {self._sensor.cfg.prim_path!r} does not tell single contacts or "
            f"filters apart. Set {options} in its configuration."
        )
