"""Contacts and constraints of a `SceneData`, for models and queries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from usdsim.scene.contacts.constraints_report import ConstraintsReport, read_constraints
from usdsim.scene.contacts.net_forces import summed_forces
from usdsim.scene.contacts.pair_cache import PairCache
from usdsim.scene.contacts.reader import ContactArrays, ContactPairs
from usdsim.scene.kinematics.frames import Select

from .access import DataAccess
from .given import check_data

if TYPE_CHECKING:
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["DataContacts"]


class DataContacts(DataAccess):
    """Contacts, computed on request and kept until the state changes."""

    __slots__ = ()

    @property
    def pair_cache(self) -> PairCache:
        """The pairs of geoms last asked about."""
        return self._worlds.pair_cache

    def found_contacts(self, model: SceneModel) -> ContactArrays:
        """Contacts of these worlds in their current state, geoms by their public indices."""
        check_data(self, model)
        self._worlds.prepare()
        found = self._worlds.contacts.read(self.all_worlds)
        geom = model.public_geoms(found.geom)
        return found if geom is found.geom else replace(found, geom=geom)

    def found_pairs(self, model: SceneModel) -> ContactPairs:
        """Geoms that touch in these worlds in their current state, by their public indices."""
        check_data(self, model)
        self._worlds.prepare()
        row, geom = self._worlds.contacts.pairs(self.all_worlds)
        return ContactPairs(row, model.public_geoms(geom))

    def count_contacts(self, model: SceneModel) -> NDArray[np.int32]:
        """Number of contacts of each world, shape (*B,)."""
        check_data(self, model)
        self._worlds.prepare()
        return self._worlds.contacts.number(self.all_worlds).reshape(self._shape)

    def read_link_forces(self, bodies: Select) -> NDArray[np.float64]:
        """Net contact forces [N] and torques [N m] on L of the engine's bodies, (*B, L, 6)."""
        self._worlds.prepare()
        worlds, sums = self.all_worlds, self._worlds.link_forces
        if sums.usable:
            found = sums.read(worlds)
        else:
            contacts = self._worlds.contacts.read(worlds)
            centre = self._engine.read("xipos")[worlds]
            found = summed_forces(self._model.low, contacts, centre)
        found = found[:, bodies]
        return found.reshape(*self._shape, *found.shape[1:])

    def read_constraints(self) -> ConstraintsReport:
        """The constraint solver in the current state, looked at once for each state."""
        self._worlds.prepare()
        copies, worlds = self._worlds.copies, self.all_worlds
        return self._worlds.report.get(
            worlds, lambda: read_constraints(self._model, copies, worlds, self._shape), self._shape
        )
