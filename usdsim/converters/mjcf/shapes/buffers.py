"""Mesh buffers: what a mesh file says, by the names of a spec's mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from numpy.typing import NDArray

__all__ = ["Buffer", "MeshBuffers"]

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
