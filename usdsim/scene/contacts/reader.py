"""Contacts of many worlds in flat arrays, read out of copies of the worlds."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine import Engine
from usdsim.scene.data.version_cache import Remembered
from usdsim.scene.data.world_copies import WorldCopies

__all__ = ["ContactArrays", "ContactReader", "rebounds"]

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


def rebounds(engine: Engine, worlds: NDArray[np.intp]) -> ContactArrays:
    """Contacts that rebounded in the last step of some worlds, with the forces of their impulses.

    Args:
        engine: the engine that holds the worlds.
        worlds: ids of the worlds.
    """
    row, told = engine.sent_back(worlds)
    wrench = np.concatenate([told.force, np.zeros_like(told.force)], axis=1)
    return ContactArrays(row, told.geom, told.pos, told.frame, told.dist, wrench)


_TAILS: dict[str, tuple[type, tuple[int, ...]]] = {
    "geom": (np.int32, (2,)),
    "pos": (np.float64, (3,)),
    "frame": (np.float64, (9,)),
    "dist": (np.float64, ()),
    "dim": (np.int32, ()),
    "efc_address": (np.int32, ()),
    "friction": (np.float64, (5,)),
}


class ContactReader:
    """Reads contacts, once for each state they are asked for.

    Args:
        engine: the engine that holds the worlds.
        copies: where worlds are looked at.
    """

    def __init__(self, engine: Engine, copies: WorldCopies):
        self._engine, self._copies = engine, copies
        self._found: dict[bool, Remembered[ContactArrays]] = {
            forces: Remembered(engine, forces) for forces in (False, True)
        }

    def read(self, worlds: NDArray[np.intp], forces: bool) -> ContactArrays:
        """Contacts of some worlds in their current state, and those that just rebounded.

        Args:
            worlds: ids of the worlds.
            forces: whether wrenches are wanted; without, they are zero.
        """
        count = self._engine.read("ncon")
        return self._found[forces].get(worlds, lambda: self._collect(worlds, count[worlds], forces))

    def _collect(
        self, worlds: NDArray[np.intp], count: NDArray[np.int32], forces: bool
    ) -> ContactArrays:
        rows = np.flatnonzero(count)
        names = [*_TAILS] if forces else ["geom", "pos", "frame", "dist"]
        parts: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
        solved: list[NDArray[np.float64]] = []
        elliptic: list[bool] = []
        for model, data in self._copies.visit(worlds[rows], forces):
            contact = data.contact
            for name, values in parts.items():
                values.append(np.array(getattr(contact, name)))
            if forces:
                solved.append(np.array(data.efc_force))
                elliptic.append(model.opt.cone == _ELLIPTIC)
        joined = {
            name: np.concatenate([np.empty((0, *_TAILS[name][1]), _TAILS[name][0]), *values])
            for name, values in parts.items()
        }
        number = len(joined["dist"])
        wrench = np.zeros((number, 6))
        if forces and number:
            per_world = count[rows]
            lengths = np.array([len(part) for part in solved])
            first = np.repeat(np.cumsum(lengths) - lengths, per_world)
            wrench = _wrenches(
                joined, first, np.concatenate(solved), np.repeat(elliptic, per_world)
            )
        found = ContactArrays(
            np.repeat(rows, count[rows]),
            joined["geom"],
            joined["pos"],
            joined["frame"].reshape(number, 3, 3),
            joined["dist"],
            wrench,
        )
        return found.joined(rebounds(self._engine, worlds))


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
