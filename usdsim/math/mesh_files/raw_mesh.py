"""Raw mesh: the content of a mesh file before it becomes USD."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["RawMaterial", "RawMesh"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RawMaterial:
    """Look of a mesh; None where the file says nothing."""

    name: str = ""
    rgba: NDArray[np.float64] | None = None
    """Base colour and opacity, shape (4,)."""
    emission: NDArray[np.float64] | None = None
    """Emitted colour, shape (3,)."""
    roughness: float | None = None
    metallic: float | None = None
    texture: Path | None = None
    """Base colour image on disk."""
    texture_png: bytes | None = None
    """Base colour image where it is part of the mesh file, PNG encoded."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RawMesh:
    """One geometry of a mesh file, node transforms applied."""

    name: str
    points: NDArray[np.float64]
    """[file units; metres where the format defines them], shape (n, 3)."""
    faces: NDArray[np.int32]
    """Corner indices, shape (m, 3)."""
    uvs: NDArray[np.float64] | None = None
    """Texture coordinates per point, v up, shape (n, 2)."""
    normals: NDArray[np.float64] | None = None
    """Unit normals per point, shape (n, 3)."""
    colors: NDArray[np.float64] | None = None
    """Colour and opacity per point, shape (n, 4)."""
    material: RawMaterial = field(default_factory=RawMaterial)
