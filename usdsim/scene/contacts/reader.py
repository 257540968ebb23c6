"""Contact reader: contacts of many worlds in flat arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from usdsim.engine import Engine
from usdsim.scene.data.version_cache import VersionCache
from usdsim.scene.data.world_copies import WorldCopies

from .gathering import Copies, GatheredContacts, gather_contacts

__all__ = ["ContactArrays", "ContactPairs", "ContactReader", "rebounds"]


@dataclass(frozen=True)
class ContactArrays:
    """One entry per contact, in float64, worlds one after the other."""

    row: NDArray[np.intp]
    """Place of the contact's world among the worlds asked for, shape (n,)."""
    geom: NDArray[np.int32]
    """The two geoms, as the engine numbers them, -1 for a deformable body, shape (n, 2)."""
    pos: NDArray[np.float64]
    """Position in world [m], shape (n, 3)."""
    frame: NDArray[np.float64]
    """Rows are the normal, from the first geom to the second, and two tangents, (n, 3, 3)."""
    dist: NDArray[np.float64]
    """Distance of the surfaces, negative where they overlap [m], shape (n,)."""
    wrench: NDArray[np.float64]
    """Wrench of the first on the second along `frame`: force [N], torque [N m], (n, 6)."""

    def joined(self, other: ContactArrays) -> ContactArrays:
        """These and others, worlds one after the other; read-only."""
        if len(other.row):
            order = np.argsort(np.concatenate([self.row, other.row]), kind="stable")
            self = ContactArrays(
                *(
                    np.concatenate([getattr(part, field.name) for part in (self, other)])[order]
                    for field in fields(self)
                )
            )
        for field in fields(self):
            getattr(self, field.name).flags.writeable = False
        return self


_NONE = ContactArrays(
    np.zeros(0, np.intp),
    np.zeros((0, 2), np.int32),
    *(np.zeros((0, *tail)) for tail in ((3,), (3, 3), (), (6,))),
)


class ContactPairs(NamedTuple):
    """Geoms that touch, one entry per contact in any order."""

    row: NDArray[np.intp]
    """Place of the contact's world among the worlds asked for, shape (n,)."""
    geom: NDArray[np.int32]
    """The two geoms, as the engine numbers them, -1 for a deformable body, shape (n, 2)."""


def rebounds(engine: Engine, worlds: NDArray[np.intp]) -> ContactArrays:
    """Contacts that rebounded in the last step of some worlds, with the forces of their impulses.

    Args:
        engine: the engine that holds the worlds.
        worlds: ids of the worlds.
    """
    row, told = engine.sent_back(worlds)
    if not len(row):
        return _NONE
    wrench = np.concatenate([told.force, np.zeros_like(told.force)], axis=1)
    return ContactArrays(row, told.geom, told.pos, told.frame, told.dist, wrench)


_FIELDS = ("geom", "pos", "frame", "dist")


class ContactReader:
    """Reads contacts, once for each state they are asked for.

    Args:
        engine: the engine that holds the worlds.
        copies: where worlds are looked at.
    """

    def __init__(self, engine: Engine, copies: WorldCopies):
        self._engine, self._copies = engine, copies
        self._found: VersionCache[ContactArrays] = VersionCache(engine)
        self._pairs: VersionCache[ContactPairs] = VersionCache(engine, False)

    def pairs(self, worlds: NDArray[np.intp]) -> ContactPairs:
        """Geoms that touch in some worlds in their current state, and those that just rebounded.

        Args:
            worlds: ids of the worlds.
        """
        count = self._engine.read("ncon")
        return self._pairs.get(worlds, lambda: self._touching(worlds, count[worlds]))

    def number(self, worlds: NDArray[np.intp]) -> NDArray[np.int32]:
        """Number of contacts of some worlds, those included that just rebounded, shape (n,).

        Args:
            worlds: ids of the worlds.
        """
        if self._copies.sleeping:
            return np.bincount(self.pairs(worlds).row, minlength=len(worlds)).astype(np.int32)
        back, _ = self._engine.sent_back(worlds)
        found = self._engine.read("ncon")[worlds] + np.bincount(back, minlength=len(worlds))
        return np.asarray(found, np.int32)

    def _touching(self, worlds: NDArray[np.intp], count: NDArray[np.int32]) -> ContactPairs:
        rows, (back, told) = self._rows(count), self._engine.sent_back(worlds)
        if not len(rows):
            return ContactPairs(back, told.geom)
        visited = self._copies.visit_contacts(worlds[rows], count[rows])
        found = [np.array(data.contact.geom) for data in visited]
        standing = np.repeat(rows, [len(geom) for geom in found])
        return ContactPairs(np.concatenate([standing, back]), np.concatenate([*found, told.geom]))

    def _rows(self, count: NDArray[np.int32]) -> NDArray[np.intp]:
        """Rows that may have contacts, given how many the engine counts in each."""
        return np.arange(len(count)) if self._copies.sleeping else np.flatnonzero(count)

    def read(self, worlds: NDArray[np.intp]) -> ContactArrays:
        """Contacts of some worlds in their current state, and those that just rebounded.

        Args:
            worlds: ids of the worlds.
        """
        count = self._engine.read("ncon")
        return self._found.get(worlds, lambda: self._collect(worlds, count[worlds]))

    def _collect(self, worlds: NDArray[np.intp], count: NDArray[np.int32]) -> ContactArrays:
        rows, rebounded = self._rows(count), rebounds(self._engine, worlds)
        if len(rows):
            return self._standing(worlds, rows, count).joined(rebounded)
        return _NONE.joined(rebounded) if len(rebounded.row) else _NONE

    def _standing(
        self, worlds: NDArray[np.intp], rows: NDArray[np.intp], count: NDArray[np.int32]
    ) -> ContactArrays:
        """Contacts of some rows of the worlds, but those that rebounded."""
        expected = count[rows]

        def take(part: slice, copies: Copies) -> GatheredContacts:
            return gather_contacts(copies, int(expected[part].sum()))

        taken = self._copies.map_parts(worlds[rows], take)
        fields = {name: _joined([part.fields[name] for part in taken]) for name in _FIELDS}
        return ContactArrays(
            np.repeat(rows, list(chain(*(part.count for part in taken)))),
            fields["geom"],
            fields["pos"],
            fields["frame"].reshape(-1, 3, 3),
            fields["dist"],
            _joined([part.wrench for part in taken]),
        )


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
