"""Contacts of many worlds in flat arrays, read out of copies of the worlds."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine import Engine
from usdsim.scene.data.version_cache import Remembered
from usdsim.scene.data.world_copies import WorldCopies

__all__ = ["ContactArrays", "ContactPairs", "ContactReader", "rebounds"]

_ELLIPTIC = int(mujoco.mjtCone.mjCONE_ELLIPTIC)
_MOST_ROWS = 10
"""Constraint rows of one contact at most: a pyramid of five pairs of edges."""


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


_FIELDS = ("geom", "pos", "frame", "dist", "dim", "efc_address", "friction")


class ContactReader:
    """Reads contacts, once for each state they are asked for.

    Args:
        engine: the engine that holds the worlds.
        copies: where worlds are looked at.
    """

    def __init__(self, engine: Engine, copies: WorldCopies):
        self._engine, self._copies = engine, copies
        self._found: Remembered[ContactArrays] = Remembered(engine)
        self._pairs: Remembered[ContactPairs] = Remembered(engine, False)

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
        visited = self._copies.meet(worlds[rows], count[rows])
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
            return self._standing(worlds, rows).joined(rebounded)
        return _NONE.joined(rebounded) if len(rebounded.row) else _NONE

    def _standing(self, worlds: NDArray[np.intp], rows: NDArray[np.intp]) -> ContactArrays:
        """Contacts of some rows of the worlds, but those that rebounded."""
        parts: dict[str, list[NDArray[Any]]] = {name: [] for name in _FIELDS}
        solved: list[NDArray[np.float64]] = []
        elliptic: list[bool] = []
        for model, data in self._copies.visit(worlds[rows]):
            contact = data.contact
            for name, values in parts.items():
                values.append(np.array(getattr(contact, name)))
            solved.append(np.array(data.efc_force))
            elliptic.append(model.opt.cone == _ELLIPTIC)
        count = [len(part) for part in parts["dist"]]
        joined = {name: np.concatenate(values) for name, values in parts.items()}
        number = len(joined["dist"])
        lengths = np.array([len(part) for part in solved])
        first = np.repeat(np.cumsum(lengths) - lengths, count)
        wrench = _wrenches(joined, first, np.concatenate(solved), np.repeat(elliptic, count))
        return ContactArrays(
            np.repeat(rows, count),
            joined["geom"],
            joined["pos"],
            joined["frame"].reshape(number, 3, 3),
            joined["dist"],
            wrench,
        )


def _wrenches(
    contact: dict[str, NDArray[Any]],
    first: NDArray[np.intp],
    solved: NDArray[np.float64],
    elliptic: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Wrenches in contact frames, shape (n, 6).

    Args:
        contact: the engine's contact arrays.
        first: where the constraint rows of each contact's world start in `solved`.
        solved: forces along constraint rows.
        elliptic: whether rows are axes of the contact frame; otherwise they are edges of a pyramid.
    """
    dim, address = contact["dim"], contact["efc_address"]
    edges = ~elliptic & (dim > 1)
    number = np.where(edges, 2 * (dim - 1), dim)
    number[address < 0] = 0
    place = np.arange(_MOST_ROWS)
    inside = place < number[:, None]
    at = np.where(inside, first[:, None] + address[:, None] + place, 0)
    along = np.where(inside, solved[at] if len(solved) else 0.0, 0.0)
    wrench = np.where(elliptic[:, None] | (dim == 1)[:, None], along[:, :6], 0.0)
    wrench[edges, 0] = along[edges].sum(axis=1)
    wrench[edges, 1:] = (along[edges, 0::2] - along[edges, 1::2]) * contact["friction"][edges]
    return wrench
