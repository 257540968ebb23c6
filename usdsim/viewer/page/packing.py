"""Packing of arrays and their descriptions into one text for a page."""

from __future__ import annotations

import base64
import gzip
import json
import struct
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Packing", "packed_text"]


class Packing:
    """Collects arrays, which a description refers to by where they begin.

    The bytes are the length of the description, the description as JSON, padded to a multiple of
    four, and all arrays, each beginning at a multiple of four.
    """

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._length = 0

    def add(self, values: ArrayLike, dtype: Any = np.float32) -> dict[str, Any]:
        """Keep an array; returns what stands for it in the description."""
        array = np.ascontiguousarray(values, dtype)
        data = array.tobytes()
        place = {"at": self._length, "type": array.dtype.name, "shape": list(array.shape)}
        padding = -len(data) % 4
        self._chunks.append(data + b"\0" * padding)
        self._length += len(data) + padding
        return place

    def text(self, description: dict[str, Any]) -> str:
        """Everything as text for a page."""
        head = json.dumps(description, separators=(",", ":")).encode()
        head += b" " * (-len(head) % 4)
        return packed_text(struct.pack("<I", len(head)) + head + b"".join(self._chunks))


def packed_text(data: bytes) -> str:
    """Bytes, compressed, as text that may stand in a page."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
