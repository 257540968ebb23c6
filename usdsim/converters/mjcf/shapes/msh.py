"""MuJoCo's own binary mesh format, which its decoders leave to the compiler."""

from __future__ import annotations

import numpy as np

from .buffers import MeshBuffers

__all__ = ["read_legacy_mesh"]

_HEADER = 16


def read_legacy_mesh(content: bytes) -> MeshBuffers | None:
    """The mesh of a file; None if the file is not of this format.

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
