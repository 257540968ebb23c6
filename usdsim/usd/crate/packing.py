"""Packed numbers of crate files: differences in as many bytes as they need, in LZ4 blocks.

https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST", "require", "unpack", "unpack_integers"]

MOST = 1100
"""Most numbers that a packed byte can stand for: LZ4 makes 255 bytes of one, a byte codes four."""


def require(sound: bool, fault: str) -> None:
    """Raise `ValueError` with what is wrong with a file, unless it is sound."""
    if not sound:
        raise ValueError(f"it is damaged: {fault}")


def unpack_integers(packed: bytes, count: int) -> NDArray[np.int64]:
    """Integers of a block: the commonest difference, two bits for the size of each, differences.

    Raises:
        ValueError: there are fewer.
    """
    coded = np.frombuffer(unpack(packed, 8 + 5 * count), np.uint8)
    body = 4 + (2 * count + 7) // 8
    require(len(coded) >= body, "numbers are missing")
    codes = (coded[4:body, None] >> np.arange(0, 8, 2, dtype=np.uint8) & 3).ravel()[:count]
    sizes = np.array((0, 1, 2, 4))[codes]
    ends = body + np.cumsum(sizes)
    require(count == 0 or ends[-1] <= len(coded), "numbers are missing")
    differences = np.full(count, coded[:4].view(np.int32)[0], np.int64)
    for code, kind in ((1, np.int8), (2, np.int16), (3, np.int32)):
        these = np.flatnonzero(codes == code)
        size = np.dtype(kind).itemsize
        places = ends[these, None] - size + np.arange(size)
        differences[these] = coded[places].view(kind).reshape(-1)
    return np.cumsum(differences).astype(np.int32).astype(np.int64)


def unpack(packed: bytes, most: int) -> bytes:
    """Bytes of LZ4 blocks: their number, 0 for one, and the size of each if there are several.

    Raises:
        ValueError: they are damaged, or one has more bytes than `most`.
    """
    require(bool(packed), "a block is cut off")
    if packed[0] == 0:
        return bytes(_block(packed[1:], most))
    at, out = 1, bytearray()
    for _ in range(packed[0]):
        size = int.from_bytes(packed[at : at + 4], "little")
        out += _block(packed[at + 4 : at + 4 + size], most)
        at += 4 + size
    return bytes(out)


def _block(packed: bytes, most: int) -> bytearray:
    """One block: pieces as they are, each before a copy of what came shortly before."""
    out, at, end = bytearray(), 0, len(packed)
    while at < end:
        plain, copied = packed[at] >> 4, packed[at] & 15
        at += 1
        if plain == 15:
            plain, at = _longer(packed, plain, at)
        out += packed[at : at + plain]
        at += plain
        if at + 2 > end:
            break
        back = packed[at] | packed[at + 1] << 8
        at += 2
        if copied == 15:
            copied, at = _longer(packed, copied, at)
        copied += 4
        have = len(out)
        require(0 < back <= have and have + copied <= most, "a block copies nothing")
        piece = out[have - back : have - back + copied]
        out += piece if back >= copied else (piece * (copied // back + 1))[:copied]
    return out


def _longer(packed: bytes, length: int, at: int) -> tuple[int, int]:
    """A length that goes on in further bytes, and the place behind it."""
    byte = 255
    while byte == 255:
        require(at < len(packed), "a block is cut off")
        byte = packed[at]
        length, at = length + byte, at + 1
    return length, at
