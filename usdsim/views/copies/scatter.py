"""Gather and scatter between engine arrays and those of an asset.

Instance i is match i % matches of world i // matches. These copies run in NumPy, whose strided
loops are an order of magnitude faster on the CPU than kernels; what is computed rather than copied
runs in kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["InstanceColumns", "Part"]

Ids = NDArray[np.intp]
Part = tuple[Ids | None, Ids, Any]
"""Worlds (None: all), engine columns, and the rows of the caller's array they belong to."""


class InstanceColumns:
    """Engine columns of the instances of an asset.

    Args:
        table: column of each element, shape (matches, elements).
    """

    __slots__ = ("_blocks", "_picked", "matches", "table")

    def __init__(self, table: NDArray[Any]):
        self.table = np.asarray(table, dtype=np.intp)
        self.matches = self.table.shape[0]
        self._picked = _as_slice(self.table.reshape(-1))
        self._blocks = [_as_slice(row) for row in self.table]

    def gather(self, source: NDArray[Any], out: NDArray[Any]) -> None:
        """Copy from an array (world, column, ...) to one (instance, element, ...)."""
        out.reshape(len(source), -1, *source.shape[2:])[...] = source[:, self._picked]

    def gatherer(self, source: NDArray[Any], out: NDArray[Any]) -> Callable[[], object]:
        """Function that repeats `gather` between these arrays, as long as both live.

        Args:
            source: array (world, column, ...).
            out: array (instance, element, ...) whose elements lie one after the other.
        """
        picked = self._picked
        target = out.reshape(len(source), -1, *source.shape[2:])
        if isinstance(picked, slice):
            return partial(target.__setitem__, ..., source[:, picked])
        return lambda: target.__setitem__(..., source[:, picked])

    def scatter(
        self, values: NDArray[Any], target: NDArray[Any], rows: Ids | None, columns: Ids | None
    ) -> None:
        """Copy values (rows, columns, ...) of some instances and elements to an engine array."""
        for match, worlds, part in self._by_match(rows):
            where = self._blocks[match] if columns is None else self.table[match][columns]
            if worlds is None:
                target[:, where] = values[part]
            elif isinstance(where, slice):
                target[worlds, where] = values[part]
            else:
                target[worlds[:, None], where] = values[part]

    def scatterers(self, values: NDArray[Any], target: NDArray[Any]) -> list[Callable[[], object]]:
        """Functions that repeat `scatter` of all instances, for as long as both arrays live."""
        parts = [values[part] for _, _, part in self._by_match(None)]
        return [_setter(target, *one) for one in zip(self.table, parts, strict=True)]

    def parts(self, rows: Ids | None, columns: Ids | None) -> Iterator[Part]:
        """The same selection in the engine's terms, match by match.

        Args:
            rows: instances; None: all.
            columns: elements; None: all.
        """
        for match, worlds, part in self._by_match(rows):
            table = self.table[match]
            yield worlds, table if columns is None else table[columns], part

    def worlds(self, rows: Ids | None) -> Ids | None:
        """Worlds some instances are in; None: all."""
        if rows is None or self.matches == 1:
            return rows
        return np.unique(rows // self.matches)

    def _by_match(self, rows: Ids | None) -> Iterator[tuple[int, Ids | None, Any]]:
        """For each match: the worlds it is selected in (None: all), and its rows of values."""
        for match in range(self.matches):
            if rows is None:
                yield match, None, slice(match, None, self.matches)
            elif self.matches == 1:
                yield match, rows, slice(None)
            elif (mine := rows % self.matches == match).any():
                yield match, rows[mine] // self.matches, mine


def _setter(target: NDArray[Any], columns: Ids, values: NDArray[Any]) -> Callable[[], object]:
    """Function that sets some columns of an array to the values of another, (row, column)."""
    order = np.argsort(columns)
    where = _as_slice(columns[order])
    if not isinstance(where, slice):
        return partial(target.__setitem__, (slice(None), columns), values)
    block = target[:, where]
    if (columns[order] == columns).all():
        return partial(block.__setitem__, ..., values)
    # Half the time of an assignment one by one, which converts each number by itself.
    return lambda: block.__setitem__(..., values.take(order, axis=1))


def _as_slice(columns: Ids) -> slice | Ids:
    """The columns as a slice, which saves a copy, if they are in a row."""
    if not len(columns) or (np.diff(columns) != 1).any():
        return columns
    return slice(int(columns[0]), int(columns[-1]) + 1)
