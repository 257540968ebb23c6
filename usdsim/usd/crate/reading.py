"""Reader of a crate file's bytes, which ends in an error where the file does."""

from __future__ import annotations

import mmap
import struct
from typing import Any

from .packing import MOST, require

__all__ = ["Crate"]


class Crate:
    """A binary layer that begins somewhere in a file.

    Args:
        data: the file.
        start: where the layer begins in it.

    Attributes:
        at: place in the layer that is read next.
        size: most bytes that the layer can have.
        version: of its format.
    """

    def __init__(self, data: mmap.mmap, start: int):
        self._data, self._start = data, start
        self.at, self.size = 0, len(data) - start
        self.version: tuple[int, ...] = ()

    def take(self, layout: struct.Struct) -> tuple[Any, ...]:
        """Numbers and texts of a layout; go on behind them."""
        return layout.unpack(self.bytes(layout.size))

    def number(self, size: int = 8) -> int:
        """The number of some bytes here; go on behind it."""
        return int.from_bytes(self.bytes(size), "little")

    def offset(self) -> None:
        """Go on where the distance says that lies here."""
        here = self.at
        self.at = here + int.from_bytes(self.bytes(8), "little", signed=True)

    def count(self, each: int) -> int:
        """A number of things that lie behind it, in some bytes each at least."""
        count = self.number()
        require(each * count <= self.size - self.at, f"it has no {count} values")
        return count

    def packed(self, count: int) -> bytes:
        """A block of so many numbers; go on behind it."""
        block = self.bytes(self.number())
        require(count <= MOST * len(block), f"{count} numbers in {len(block)} bytes")
        return block

    def bytes(self, size: int) -> bytes:
        """Some bytes; go on behind them."""
        require(0 <= self.at <= self.size - size, "it is cut off")
        start = self._start + self.at
        self.at += size
        return self._data[start : start + size]
