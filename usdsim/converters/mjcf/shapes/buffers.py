"""Mesh buffers: what a mesh file says, by the names of a spec's mesh."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["MeshBuffers", "no_indices", "no_numbers"]


def no_indices() -> NDArray[np.int32]:
    """An empty buffer of indices."""
    return np.zeros(0, np.int32)


def no_numbers() -> NDArray[np.float32]:
    """An empty buffer of numbers."""
    return np.zeros(0, np.float32)


@dataclass(frozen=True, eq=False)
class MeshBuffers:
    """A mesh with the buffers of a spec's mesh."""

    uservert: NDArray[np.float32]
    userface: NDArray[np.int32]
    usernormal: NDArray[np.float32] = field(default_factory=no_numbers)
    usertexcoord: NDArray[np.float32] = field(default_factory=no_numbers)
    userfacenormal: NDArray[np.int32] = field(default_factory=no_indices)
    userfacetexcoord: NDArray[np.int32] = field(default_factory=no_indices)
    usernode: NDArray[np.int32] = field(default_factory=no_indices)
    usertet: NDArray[np.int32] = field(default_factory=no_indices)
