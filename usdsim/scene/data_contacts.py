"""Contacts and constraints of a `SceneData`, for models and queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from usdsim.engine import CpuEngine

from .arrays import FloatArray, frozen
from .constraints_report import ConstraintsReport, read_constraints
from .contact_reader import ContactArrays
from .net_forces import summed_forces
from .worlds import Worlds

if TYPE_CHECKING:
    from .data import SceneData
    from .model import SceneModel

__all__ = ["DataContacts"]


class DataContacts:
    """What is computed on request in the current state, and kept until the state changes."""

    __slots__ = ()

    _engine: CpuEngine
    _model: SceneModel
    _shape: tuple[int, ...]
    _worlds: Worlds

    @property
    def _data(self) -> SceneData:
        return cast("SceneData", self)

    def found_contacts(self, model: SceneModel, forces: bool) -> ContactArrays:
        """Contacts of these worlds in their current state, with or without forces."""
        self._data.check_model(model)
        self._worlds.prepare()
        return self._worlds.contacts.read(self._data.all_worlds, forces)

    def read_link_forces(self) -> FloatArray:
        """Net contact forces and torques on links, shape (*B, L, 6)."""
        self._worlds.prepare()
        worlds, sums = self._data.all_worlds, self._worlds.link_forces
        if sums.usable:
            found = sums.read(worlds)
        else:
            contacts = self._worlds.contacts.read(worlds, True)
            centre = self._engine.read("xipos")[worlds]
            found = summed_forces(self._model.low, contacts, centre)
        return frozen(found.reshape(*self._shape, *found.shape[1:]).astype(np.float32))

    def read_constraints(self) -> ConstraintsReport:
        """The constraint solver in the current state, looked at once for each state."""
        self._worlds.prepare()
        versions, worlds = self._engine.versions, self._data.all_worlds
        key = versions.forces, versions.parameters, versions.arrays, worlds.tobytes(), self._shape
        known = self._worlds.report
        if known is None or known[0] != key:
            found = read_constraints(self._model, self._worlds.copies, worlds, self._shape)
            self._worlds.report = known = key, found
        return known[1]
