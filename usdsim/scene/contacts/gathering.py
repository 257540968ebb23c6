"""Contact gathering: from worlds, one after the other, into arrays for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["GatheredContacts", "gather_contacts"]

_ELLIPTIC = int(mujoco.mjtCone.mjCONE_ELLIPTIC)
_FIELDS: dict[str, tuple[type, tuple[int, ...]]] = {
    "geom": (np.int32, (2,)),
    "pos": (np.float64, (3,)),
    "frame": (np.float64, (9,)),
    "dist": (np.float64, ()),
    "dim": (np.int32, ()),
    "efc_address": (np.int32, ()),
    "friction": (np.float64, (5,)),
}
"""The engine's contact arrays that are gathered, their type and the shape of one entry."""

Copies = Iterable[tuple[mujoco.MjModel, mujoco.MjData]]
Table = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class GatheredContacts:
    """Contacts of some worlds, as the engine has them."""

    count: list[int]
    """Number of contacts of each world."""
    fields: Table
    """The engine's contact arrays, worlds one after the other."""
    wrench: NDArray[np.float64]
    """Wrench of the first geom on the second along the contact frame, shape (n, 6)."""


def gather_contacts(copies: Copies, expected: int) -> GatheredContacts:
    """Gather contacts, and forces along their frames, from some worlds.

    Args:
        copies: the worlds' models and data, each valid until the next.
        expected: number of contacts that there is room for; for more of them, it is made.
    """
    table, end = _room(expected), 0
    count: list[int] = []
    solved: list[NDArray[np.float64]] = []
    elliptic: list[bool] = []
    for model, data in copies:
        start, end = end, end + data.ncon
        if end > len(table["dist"]):
            table = _grown(table, start, 2 * end)
        contact = data.contact
        for name, values in table.items():
            values[start:end] = getattr(contact, name)
        count.append(end - start)
        solved.append(np.array(data.efc_force))
        elliptic.append(model.opt.cone == _ELLIPTIC)
    fields = {name: values[:end] for name, values in table.items()}
    lengths = np.array([len(part) for part in solved])
    first = np.repeat(np.cumsum(lengths) - lengths, count)
    wrench = _wrenches(fields, first, np.concatenate(solved), np.repeat(elliptic, count))
    return GatheredContacts(count, fields, wrench)


def _room(contacts: int) -> Table:
    return {name: np.empty((contacts, *tail), kind) for name, (kind, tail) in _FIELDS.items()}


def _grown(table: Table, used: int, contacts: int) -> Table:
    """A table with room for more contacts, and what is in use of the old one."""
    larger = _room(contacts)
    for name, values in table.items():
        larger[name][:used] = values[:used]
    return larger


def _wrenches(
    contact: Table,
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
    wrench = np.zeros((len(dim), 6))
    # Contacts that the solver leaves out have no rows; the others are alike by shape.
    kinds = np.where(address < 0, 0, 2 * dim + elliptic)
    for kind in np.flatnonzero(np.bincount(kinds)).tolist():
        if not kind:
            continue
        mine = np.flatnonzero(kinds == kind)
        axes, edged = kind // 2, kind % 2 == 0 and kind > 2
        rows = 2 * (axes - 1) if edged else axes
        along = solved[(first[mine] + address[mine])[:, None] + np.arange(rows)]
        if edged:
            wrench[mine, 0] = along.sum(axis=1)
            wrench[mine, 1:axes] = along[:, 0::2] - along[:, 1::2]
            wrench[mine, 1:axes] *= contact["friction"][mine, : axes - 1]
        else:
            wrench[mine, :axes] = along
    return wrench
