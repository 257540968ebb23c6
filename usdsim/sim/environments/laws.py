"""Laws by which numbers of the engine follow from values of attributes, found from examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FieldLaws", "Law", "examples", "find_law", "find_laws"]

Array = NDArray[np.float64]

_POWERS = (1, 2, 3, 5)
"""Powers of a length: itself, areas, volumes, and inertias of volumes."""
_EXACT = 1e-12
"""Difference, relative to the number, that is rounding of products."""
_SUM = 1e-10
"""Difference, relative to the largest number, that is rounding of sums and turns."""
_SAME, _FLOOR = 1e-9, 1e-12
"""Difference, relative to the largest number in a row and absolute, that counts as none."""
_SPARE = 2
"""Examples more than a law has constants."""


@dataclass(frozen=True, eq=False)
class Law:
    """A number as offset + sum over columns of factor * value ** power."""

    columns: tuple[int, ...]
    """Values that it follows from."""
    factors: Array
    offset: float = 0.0
    power: int = 1

    def __call__(self, values: Array) -> Array:
        """The number for each row of values, shape (n, columns)."""
        return self.offset + values[:, list(self.columns)] ** self.power @ self.factors


@dataclass(frozen=True, eq=False)
class FieldLaws:
    """Laws of the numbers in a field that follow from values; the others stay."""

    entries: NDArray[np.intp]
    """Places of the numbers in rows laid out one after the other, shape (laws, 2): row, column."""
    laws: Sequence[Law]

    @property
    def rows(self) -> NDArray[np.intp]:
        """Rows of the field that follow from values, ascending."""
        return np.unique(self.entries[:, 0])

    def numbers(self, example: NDArray[Any], values: Array) -> NDArray[Any]:
        """Rows of the field for each row of values, shape (n, rows, ...).

        Args:
            example: the field for any values.
            values: shape (n, columns).
        """
        rows = self.rows
        kept = example[rows]
        found = np.repeat(kept.reshape(1, len(rows), -1), len(values), axis=0)
        places = np.searchsorted(rows, self.entries[:, 0])
        for place, column, law in zip(places, self.entries[:, 1], self.laws, strict=True):
            found[:, place, column] = law(values)
        return found.reshape(len(values), *kept.shape)


def examples(values: Array) -> Array:
    """Values to try: all at one end of their ranges, and each at the other end by itself.

    Whatever compares a value with another one, or with a bound, is decided both ways among them.

    Args:
        values: those that will be asked for, shape (n, columns).
    """
    low, high = values.min(axis=0), values.max(axis=0)
    rows = [low, high]
    for column in np.flatnonzero(low != high):
        for most, one in ((low, high), (high, low)):
            row = most.copy()
            row[column] = one[column]
            rows.append(row)
    return np.unique(rows, axis=0)


def find_laws(
    values: Array, readings: Sequence[Mapping[str, NDArray[Any]]], groups: Sequence[Sequence[int]]
) -> dict[str, FieldLaws] | None:
    """Laws of all fields that differ between examples; None if one number obeys none.

    Args:
        values: of attributes in each example, shape (n, columns).
        readings: fields by name, shape (rows, ...), in each example.
        groups: columns of each attribute.
    """
    found = {}
    first = readings[0]
    for name, field in first.items():
        if all(reading[name].tobytes() == field.tobytes() for reading in readings):
            continue
        numbers = np.stack([reading[name] for reading in readings])
        numbers = numbers.reshape(len(readings), len(field), -1)
        entries = np.argwhere(_varying(numbers))
        if not len(entries):
            continue
        if numbers.dtype != np.float64:
            return None
        laws = [find_law(values, numbers[:, row, column], groups) for row, column in entries]
        if any(law is None for law in laws):
            return None
        found[name] = FieldLaws(entries, [law for law in laws if law is not None])
    return found


def _varying(numbers: NDArray[Any]) -> NDArray[np.bool_]:
    """Numbers that differ by more than rounding between examples (n, rows, columns)."""
    if numbers.dtype.kind != "f":
        return np.asarray((numbers != numbers[:1]).any(axis=0))
    with np.errstate(invalid="ignore"):
        size = np.abs(numbers).max(axis=(0, 2), initial=0.0)[:, None]
        allowed = np.fmax(_SAME * np.where(np.isfinite(size), size, 0.0), _FLOOR)
        close = (np.abs(numbers - numbers[:1]) <= allowed) | (numbers == numbers[:1])
    return np.asarray(~close.all(axis=0))


def find_law(values: Array, numbers: Array, groups: Sequence[Sequence[int]]) -> Law | None:
    """The law that all examples obey; None if there is none.

    Args:
        values: of attributes in each example, shape (n, columns).
        numbers: what followed from them, shape (n,).
        groups: columns of each attribute.
    """
    if not np.isfinite(numbers).all():
        return None
    for column in range(values.shape[1]):
        law = _product(values[:, column], numbers, column)
        if law is not None:
            return law
    found = (_affine(values, numbers, group) for group in groups)
    return next((law for law in found if law is not None), None)


def _product(value: Array, numbers: Array, column: int) -> Law | None:
    at = int(np.argmax(np.abs(value)))
    if len(np.unique(value)) <= _SPARE:
        return None
    for power in _POWERS:
        factor = numbers[at] / value[at] ** power
        if (np.abs(factor * value**power - numbers) <= _EXACT * np.abs(numbers)).all():
            return Law((column,), np.array([factor]), power=power)
    return None


def _affine(values: Array, numbers: Array, group: Sequence[int]) -> Law | None:
    moving = [column for column in group if np.ptp(values[:, column])]
    terms = np.column_stack([np.ones(len(values)), values[:, moving]])
    several = len(np.unique(terms, axis=0)) >= terms.shape[1] + _SPARE
    if not several or np.linalg.matrix_rank(terms) < terms.shape[1]:
        return None
    constants = np.asarray(np.linalg.lstsq(terms, numbers, rcond=None)[0], np.float64)
    if np.abs(terms @ constants - numbers).max() > _SUM * np.abs(numbers).max():
        return None
    return Law(tuple(moving), constants[1:], float(constants[0]))
