"""Binary STL files: triangles with three corners each, and nothing shared."""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

__all__ = ["binary_corners", "binary_stl"]

_HEADER = struct.Struct("<80sI")
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def binary_corners(content: bytes) -> NDArray[np.float32] | None:
    """Corners of all triangles, shape (3 m, 3); None of what is text, or has another size.

    Args:
        content: of the file.
    """
    if len(content) < _HEADER.size:
        return None
    _, count = _HEADER.unpack_from(content)
    if len(content) != _HEADER.size + count * _TRIANGLE.itemsize:
        return None
    return np.frombuffer(content, _TRIANGLE, offset=_HEADER.size)["corners"].reshape(-1, 3)


def binary_stl(corners: NDArray[np.float64]) -> bytes:
    """Content of a file of triangles, with their normals.

    Args:
        corners: anticlockwise from outside, shape (m, 3, 3).
    """
    table = np.zeros(len(corners), _TRIANGLE)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    table["normal"], table["corners"] = normals / length, corners
    return _HEADER.pack(b"", len(table)) + table.tobytes()
