"""Binary STL files, read as MuJoCo reads them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.math.mesh_files.stl import binary_corners

from .buffers import MeshBuffers

__all__ = ["read_stl"]


def read_stl(content: bytes, compiled: NDArray[np.int32]) -> MeshBuffers | None:
    """The mesh of a file; None where the engine has to be asked what it takes from it.

    The engine hands its own buffers out number by number, which takes far longer than reading the
    file. It joins equal corners in the order in which they come, and the triangles it compiled say
    which it joined: those have to be equal to the bit, and numbered as they come first.

    Args:
        content: of the file.
        compiled: triangles of the mesh in the compiled model, shape (m, 3).
    """
    corners = binary_corners(content)
    if corners is None or len(corners) != compiled.size or not len(corners):
        return None
    if not np.isfinite(corners).all():
        return None
    faces = compiled.ravel()
    highest = np.maximum.accumulate(faces)
    first = np.flatnonzero(np.diff(highest, prepend=-1))
    points = corners[first]
    if not np.array_equal(faces[first], np.arange(len(first))):
        return None
    if not np.array_equal(points.take(faces, axis=0).view(np.uint32), corners.view(np.uint32)):
        return None
    return MeshBuffers(points, faces.copy())
