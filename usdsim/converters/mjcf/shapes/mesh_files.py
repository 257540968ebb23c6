"""Mesh files, read as MuJoCo reads them: binary STL, and MuJoCo's own format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from usdsim.math.mesh_files.stl import binary_corners

__all__ = ["Buffer", "MeshBuffers", "read_legacy_mesh", "read_stl"]

_HEADER = 16
Buffer: TypeAlias = "NDArray[Any] | tuple[()]"
"""Numbers or indices one after the other; empty: the file has none."""


@dataclass(frozen=True, eq=False)
class MeshBuffers:
    """A mesh with the buffers of a spec's mesh."""

    uservert: Buffer = ()
    userface: Buffer = ()
    usernormal: Buffer = ()
    usertexcoord: Buffer = ()
    userfacenormal: Buffer = ()
    userfacetexcoord: Buffer = ()
    usernode: Buffer = ()
    usertet: Buffer = ()
    content: bytes = b""
    """A file that only the compiler can read, kept as it is; empty: the buffers say all."""


def read_legacy_mesh(content: bytes) -> MeshBuffers | None:
    """The mesh of a file of MuJoCo's own format; None if the file is of another.

    Four counts (vertices, normals, texture coordinates, faces) are followed by as many float
    triples, triples, pairs, and integer triples.
    """
    if len(content) < _HEADER:
        return None
    vertices, normals, texcoords, faces = (int(n) for n in np.frombuffer(content, "<i4", 4))
    counts = (3 * vertices, 3 * normals, 2 * texcoords, 3 * faces)
    if min(counts) < 0 or len(content) != _HEADER + 4 * sum(counts):
        return None
    numbers = np.split(np.frombuffer(content, "<f4", offset=_HEADER), np.cumsum(counts)[:3])
    corners = numbers[3].view("<i4")
    return MeshBuffers(
        uservert=numbers[0],
        usernormal=numbers[1],
        usertexcoord=numbers[2],
        userface=corners,
        userfacenormal=corners if normals else (),
        userfacetexcoord=corners if texcoords else (),
    )


def read_stl(content: bytes, compiled: NDArray[np.int32]) -> MeshBuffers | None:
    """The mesh of a binary STL file; None where the engine has to be asked what it takes from it.

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
