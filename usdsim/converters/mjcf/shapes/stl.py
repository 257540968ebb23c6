"""Binary STL files, read as MuJoCo reads them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.math.mesh_files.stl import binary_corners
from usdsim.math.meshes.welding import number

from .buffers import MeshBuffers

__all__ = ["read_stl"]


def read_stl(content: bytes, compiled: NDArray[np.int32]) -> MeshBuffers | None:
    """The mesh of a file; None where the engine has to be asked what it takes from it.

    The engine hands its own buffers out number by number, which takes far longer than reading the
    file. It joins equal corners in the order in which they come; that it did so with this file is
    seen from the triangles it compiled, as whose corners are joined decides all their numbers.

    Args:
        content: of the file.
        compiled: triangles of the mesh in the compiled model, shape (m, 3).
    """
    corners = binary_corners(content)
    if corners is None or len(corners) != compiled.size or not len(corners):
        return None
    if not np.isfinite(corners).all():
        return None
    first, place = number(corners)
    faces = place.astype(np.int32)
    if not np.array_equal(faces, compiled.ravel()):
        return None
    return MeshBuffers(corners[first], faces)
