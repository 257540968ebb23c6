"""Names of a joined model: their text, where each starts, and the table to find them by."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from .places import Places

__all__ = ["joined_names", "name_lists", "name_map"]

_SLOTS = 2
"""Slots of the table for each name."""
_SEED = 5381


def name_lists(model: mujoco.MjModel, kinds: Mapping[str, str]) -> list[list[bytes]]:
    """Names of a model: its own alone, then those of each kind.

    Args:
        model: the model.
        kinds: array of addresses and size of each kind, in the engine's order.
    """
    flat = model.names.split(b"\0")
    ends = np.cumsum([1, *(getattr(model, size) for size in kinds.values())]).tolist()
    return [flat[:1], *(flat[a:b] for a, b in pairwise(ends))]


def joined_names(places: Places, kinds: Mapping[str, str]) -> dict[str, Any]:
    """Arrays of the names of a joined model.

    Args:
        places: where the parts' rows go.
        kinds: as for `name_lists`.
    """
    given = [name_lists(model, kinds) for model in places.models]
    lists = list(given[0])
    for k, size in enumerate(kinds.values(), 1):
        if size not in places.rows:
            continue
        lists[k] = [b""] * places.totals[size]
        for part, rows in enumerate(places.rows[size]):
            for name, row in zip(given[part][k], rows.tolist(), strict=True):
                if row >= 0:
                    lists[k][row] = name
    flat = [name for names in lists for name in names]
    starts = np.cumsum([0, *(len(name) + 1 for name in flat)])[:-1].astype(np.int32)
    ends = np.cumsum([len(names) for names in lists])
    found: dict[str, Any] = dict(zip(kinds, np.split(starts, ends)[1:], strict=False))
    found["names"] = b"\0".join([*flat, b""])
    found["names_map"] = np.concatenate([name_map(names) for names in lists[1:]])
    return found


def name_map(names: list[bytes]) -> NDArray[np.int32]:
    """The engine's hash table of names: the index of one in the first free slot from its own."""
    size = _SLOTS * len(names)
    table = [-1] * size
    for index, slot in enumerate(_hashes(names, size)):
        if not names[index]:
            continue
        while table[slot] != -1:
            slot = (slot + 1) % size
        table[slot] = index
    return np.array(table, np.int32)


def _hashes(names: list[bytes], size: int) -> list[int]:
    """Bernstein's hash of names, with exclusive or, modulo the size of a table."""
    if not names:
        return []
    letters = np.array(names, np.bytes_)
    columns = letters.view(np.int8).reshape(len(names), -1).T if letters.itemsize else ()
    found = np.full(len(names), _SEED, np.uint64)
    for column in columns:
        codes = column.astype(np.int64).view(np.uint64)
        found = np.where(codes != 0, (found * np.uint64(33)) ^ codes, found)
    return [int(slot) for slot in found % np.uint64(size)]
