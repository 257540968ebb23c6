"""Convex decomposition of mesh files: `decompose`."""

from usdsim.converters.decomposition import (
    DecomposeReport,
    FileReport,
    MeshReport,
    decompose,
)

__all__ = ["DecomposeReport", "FileReport", "MeshReport", "decompose"]
