"""Values of crate files: none counts more elements than the file has, or contains itself.

A value is a number of 64 bits: what it is, its type, and itself or its place.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .packing import MOST, require, unpack_integers
from .reading import Crate

__all__ = ["check_values", "read_vector"]

_Reader = Callable[[Crate], list[int]]
"""Reads a value; returns the values in it."""
_ARRAY, _INLINED, _PACKED = 1 << 63, 1 << 62, 1 << 61
_PLACE = (1 << 48) - 1
_LONG = (0, 7, 0)
"""Version from which arrays have more than 2**32 elements."""
_SHAPELESS = (0, 5, 0)
"""Version from which arrays have no shape before their size."""
_SHIFTED = (0, 8, 0)
"""Version from which payloads have a layer offset."""
_TABLES = (0, 6, 0)
"""Version from which arrays of decimal numbers are packed: as integers, or places in a table."""
_FLOATS = {7: 2, 8: 4, 9: 8}
"""Bytes of decimal numbers by their type."""
_WORTH_PACKING = 16
"""Fewest elements of an array that is packed."""
_TOKENS = 41
"""Type of a vector of tokens."""
_LISTS = (2, 4, 32, 64, 8, 16)
"""Bits that say which lists an edit of a list has, in the order in which they follow."""


def check_values(crate: Crate, values: NDArray[np.uint64]) -> None:
    """Check values, and those in them.

    Raises:
        ValueError: one counts elements that are not there.
    """
    counting = np.isin(values >> 48 & 0xFF, list(_KINDS)) | (values & _ARRAY != 0)
    waiting, seen = np.unique(values[counting]).tolist(), set[int]()
    while waiting:
        value = waiting.pop()
        place, kind = value & _PLACE, value >> 48 & 0xFF
        if value & _INLINED or not place or value in seen:
            continue
        seen.add(value)
        crate.at = place
        if value & _ARRAY:
            _check_array(crate, kind, bool(value & _PACKED))
        elif kind in _KINDS:
            waiting += _KINDS[kind](crate)


def read_vector(crate: Crate, value: int) -> list[int]:
    """Numbers of the texts in a vector of tokens; none of another type."""
    if value & (_ARRAY | _INLINED) or value >> 48 & 0xFF != _TOKENS or not value & _PLACE:
        return []
    crate.at = value & _PLACE
    count = crate.count(4)
    return np.frombuffer(crate.bytes(4 * count), np.uint32).tolist()


def _check_array(crate: Crate, kind: int, packed: bool) -> None:
    if crate.version < _SHAPELESS:
        crate.number(4)
    count = crate.number(8 if crate.version >= _LONG else 4)
    most = (crate.size - crate.at) * (MOST if packed else 1)
    require(count <= most, f"an array of {count} elements in {crate.size} bytes")
    if packed and kind in _FLOATS and count >= _WORTH_PACKING and crate.version >= _TABLES:
        code = crate.bytes(1)
        require(code in (b"i", b"t"), "an array is packed in an unknown way")
        if code == b"t":
            table = crate.number(4)
            crate.bytes(_FLOATS[kind] * table)
            places = unpack_integers(crate.packed(count), count)
            inside = places.min() >= 0 and places.max() < table
            require(bool(inside), "an array has elements outside of its table")


def _reference(crate: Crate) -> list[int]:
    """A file, a path, an offset of times, and names with values."""
    crate.bytes(24)
    return _dictionary(crate)


def _payload(crate: Crate) -> list[int]:
    crate.bytes(24 if crate.version >= _SHIFTED else 8)
    return []


def _vector(each: int) -> _Reader:
    """Elements of some bytes each, behind their number."""

    def check(crate: Crate) -> list[int]:
        crate.bytes(each * crate.count(each))
        return []

    return check


def _items(item: _Reader) -> _Reader:
    """Elements that hold values, behind their number."""
    return lambda crate: [value for _ in range(crate.count(8)) for value in item(crate)]


def _edit(items: _Reader) -> _Reader:
    """Edit of a list: some of the six lists of which it consists."""

    def check(crate: Crate) -> list[int]:
        lists = crate.number(1)
        return [value for bit in _LISTS if lists & bit for value in items(crate)]

    return check


def _dictionary(crate: Crate) -> list[int]:
    """Names and values."""
    found = []
    for _ in range(crate.count(12)):
        crate.number(4)
        found += _value(crate)
    return found


def _value(crate: Crate) -> list[int]:
    """A value of any type, somewhere else."""
    crate.offset()
    return [crate.number()]


def _samples(crate: Crate) -> list[int]:
    """Times, and a value for each."""
    times = _value(crate)
    crate.offset()
    return times + [crate.number() for _ in range(crate.count(8))]


_KINDS: dict[int, _Reader] = {
    31: _dictionary,
    **dict.fromkeys((32, 33, 34, 36, 38), _edit(_vector(4))),  # texts, paths and numbers of 4 bytes
    35: _edit(_items(_reference)),
    **dict.fromkeys((37, 39), _edit(_vector(8))),
    **dict.fromkeys((40, _TOKENS, 50), _vector(4)),  # paths, tokens and texts
    45: _vector(8),  # selections of variants
    46: _samples,
    48: _vector(8),
    49: _vector(16),  # offsets of layers
    **dict.fromkeys((52, 53), _value),
    55: _edit(_items(_payload)),
    58: _vector(8),  # relocations
    59: _vector(1),  # splines
}
"""Readers of values by their type; others are of one size."""
