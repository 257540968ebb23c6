"""Sections of crate files, read and checked against each other."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .packing import MOST, require, unpack, unpack_integers
from .reading import Crate
from .tree import CHILDREN, Paths
from .values import check_values, read_vector

__all__ = ["check_crates"]

Integers = NDArray[np.int64]

_SIGNATURE, _ARCHIVE = b"PXR-USDC", b"PK"
_CLIPS = b"clips"
"""Name of the metadata that holds value clips."""
_HEAD = struct.Struct("<8s8Bq")
_SECTION = struct.Struct("<16sqq")
_SECTIONS = 64
"""Most sections; OpenUSD writes six."""
_NEEDED = (b"TOKENS", b"STRINGS", b"FIELDS", b"FIELDSETS", b"PATHS", b"SPECS")
_OLDEST = (0, 4, 0)
"""Oldest version that OpenUSD still reads; it says so of others."""


def check_crates(file: Path) -> bool:
    """Check the binary layers of a file: itself, or those in an archive (``.usdz``).

    Args:
        file: what is to be opened; anything but a binary layer or an archive passes.

    Returns:
        Whether its layers may have value clips.

    Raises:
        ValueError: a table is cut off, leads nowhere or in a circle, or counts more than it has; or
            names, paths and specs do not fit each other.
        OSError: the file cannot be read.
    """
    with file.open("rb") as opened:
        head = opened.read(len(_SIGNATURE))
        if not head:
            return False
        with mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
            clips = head != _SIGNATURE and data.find(_CLIPS) >= 0
            at = data.find(_SIGNATURE) if head.startswith((_SIGNATURE, _ARCHIVE)) else -1
            while at >= 0:
                clips |= _CLIPS in _check(Crate(data, at))
                # Archives hold layers as they are.
                at = -1 if head == _SIGNATURE else data.find(_SIGNATURE, at + 1)
    return clips


def _check(crate: Crate) -> list[bytes]:
    """The texts of a layer; raises unless all can be read in a time that its size bounds."""
    _, *version, contents = crate.take(_HEAD)
    crate.version, crate.at = tuple(version[:3]), contents
    if crate.version < _OLDEST:
        return []
    count = crate.number()
    require(count <= _SECTIONS, f"its table of contents has {count} entries")
    starts: dict[bytes, int] = {}
    for name, start, size in [crate.take(_SECTION) for _ in range(count)]:
        require(size <= crate.size - start, "a section ends behind the file")
        # Of two sections with one name, OpenUSD reads the first.
        starts.setdefault(name.partition(b"\0")[0], start)
    for section in _NEEDED:
        require(section in starts, f"it has no {section.decode()}")
    crate.at = starts[b"STRINGS"]
    crate.bytes(4 * crate.count(4))
    texts = _texts(crate, starts[b"TOKENS"])
    names, values = _fields(crate, starts[b"FIELDS"])
    check_values(crate, values)
    crate.at = starts[b"FIELDSETS"]
    (sets,) = _numbers(crate, 1)
    crate.at = starts[b"PATHS"]
    require(crate.number() <= MOST * crate.size, "more paths than it can have")
    numbers, elements, jumps = _numbers(crate, 3)
    crate.at = starts[b"SPECS"]
    places, firsts, types = _numbers(crate, 3)
    if len(jumps):
        paths = Paths(numbers, elements, jumps, texts)
        paths.add_specs(places, types)
        _check_children(crate, paths, texts, (names, values), sets, (places, firsts))
    return texts


def _texts(crate: Crate, start: int) -> list[bytes]:
    crate.at = start
    count, size, packed = (crate.number() for _ in range(3))
    block = crate.bytes(packed)
    require(count <= size <= 256 * packed, f"{count} texts in {packed} bytes")
    return unpack(block, size).split(b"\0")[:count]


def _fields(crate: Crate, start: int) -> tuple[Integers, NDArray[np.uint64]]:
    """Names and values."""
    crate.at = start
    count = crate.number()
    names = unpack_integers(crate.packed(count), count)
    values = unpack(crate.packed(count), 8 * count)
    require(len(values) == 8 * count, "values are missing")
    return names, np.frombuffer(values, np.uint64)


def _numbers(crate: Crate, rows: int) -> list[Integers]:
    """Rows of as many numbers."""
    count = crate.number()
    return [unpack_integers(crate.packed(count), count) for _ in range(rows)]


def _check_children(
    crate: Crate,
    paths: Paths,
    texts: list[bytes],
    fields: tuple[Integers, NDArray[np.uint64]],
    sets: Integers,
    specs: tuple[Integers, Integers],
) -> None:
    """Check that what specs name as their children is there.

    A spec has the fields that are listed from a place on, up to -1.
    """
    names, values = fields
    require(bool((sets < len(names)).all()), "a spec has a field that is not there")
    wanted = [place for place, text in enumerate(texts) if text in CHILDREN]
    used = np.flatnonzero(np.isin(sets, np.flatnonzero(np.isin(names, wanted))))
    ends = np.flatnonzero(sets < 0)
    before = np.searchsorted(ends, used)
    firsts = np.where(before > 0, ends[np.maximum(before - 1, 0)] + 1, 0)
    found: dict[int, list[int]] = {}
    for first, field in zip(firsts.tolist(), sets[used].tolist(), strict=True):
        found.setdefault(first, []).append(field)
    vectors: dict[int, list[bytes]] = {}
    for number, first in zip(*(row.tolist() for row in specs), strict=True):
        for field in found.get(first, ()):
            if field not in vectors:
                places = read_vector(crate, int(values[field]))
                require(all(place < len(texts) for place in places), "a child has no name")
                vectors[field] = [texts[place] for place in places]
            paths.check_children(number, texts[names[field]], vectors[field])
