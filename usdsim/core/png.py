"""PNG images: pixels as the bytes of a file."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

__all__ = ["SIGNATURE", "encode_png"]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
"""First bytes of a file."""
_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
"""Number of the file format by number of channels."""


def encode_png(pixels: NDArray[np.uint8], *, small: bool = False) -> bytes:
    """An 8-bit PNG.

    Args:
        pixels: shape (height, width, channels), top row first.
        small: whether the file is to be small, which takes several times as long.
    """
    height, width, channels = pixels.shape
    header = struct.pack(">2I5B", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    rows = _filtered(pixels) if small else _plain(pixels)
    body = zlib.compress(rows.tobytes(), 9 if small else 6)
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _plain(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Rows as they are, each behind its filter: 0, none."""
    height, width, channels = pixels.shape
    rows = np.zeros((height, 1 + width * channels), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    return rows


def _filtered(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Rows as differences to a neighbour, whichever is smallest: they compress far better."""
    padded = np.pad(pixels.astype(np.int16), ((1, 0), (1, 0), (0, 0)))
    here, left, up, corner = padded[1:, 1:], padded[1:, :-1], padded[:-1, 1:], padded[:-1, :-1]
    neighbours = (np.zeros_like(here), left, up, (left + up) // 2, _paeth(left, up, corner))
    rows = np.stack([(here - other).astype(np.uint8) for other in neighbours])
    rows = rows.reshape(len(neighbours), len(pixels), -1)
    best = np.abs(rows.view(np.int8).astype(np.int32)).sum(axis=2).argmin(axis=0)
    chosen = rows[best, np.arange(len(pixels))]
    return np.concatenate([best[:, None].astype(np.uint8), chosen], axis=1)


def _paeth(
    left: NDArray[np.int16], up: NDArray[np.int16], corner: NDArray[np.int16]
) -> NDArray[np.int16]:
    """Paeth predictor: the one of three closest to their plane; the first of equals."""
    ends = np.stack([left, up, corner])
    closest = np.abs(left + up - corner - ends).argmin(axis=0)
    return np.take_along_axis(ends, closest[None], axis=0)[0]
