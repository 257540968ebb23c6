"""Triangles of mesh prims: where they come from among the faces, with coordinates and materials."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom, UsdShade

from usdsim.math.meshes.polygons import triangle_corners
from usdsim.parser.description import MeshDescription

__all__ = ["PrimTriangles"]

Array = NDArray[np.float64]


class PrimTriangles:
    """Corners of a description's triangles among the corners of its prim's faces.

    Args:
        prim: the mesh.
        mesh: the triangles.
    """

    def __init__(self, prim: Usd.Prim, mesh: MeshDescription):
        self._mesh, self._triangles = UsdGeom.Mesh(prim), mesh.faces

    @cached_property
    def _corners(self) -> NDArray[np.int32] | None:
        """Corners of faces at the corners of triangles, shape (m, 3); None: they are others."""
        counts, points = self._counts, self._points
        if not len(counts) or counts.min() < 3 or counts.sum() != len(points):
            return None
        corners = triangle_corners(counts, self._mesh.GetHoleIndicesAttr().Get() or ())
        # Clockwise faces, and those of mirrored prims, are turned around.
        orders = (corners, corners[:, ::-1])
        return next((o for o in orders if np.array_equal(points[o], self._triangles)), None)

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        return _whole(self._mesh.GetFaceVertexCountsAttr())

    @cached_property
    def _points(self) -> NDArray[np.int64]:
        return _whole(self._mesh.GetFaceVertexIndicesAttr())

    def coordinates(self, name: str) -> Array | None:
        """Texture coordinates of a primvar at the corners of triangles, v up, shape (m, 3, 2).

        None where the prim has none.
        """
        primvar = UsdGeom.PrimvarsAPI(self._mesh).FindPrimvarWithInheritance(name)
        values = primvar.ComputeFlattened() if primvar and primvar.HasValue() else None
        if values is None or self._corners is None:
            return None
        kind, values = primvar.GetInterpolation(), np.asarray(values, np.float64)
        by_corner = kind == UsdGeom.Tokens.faceVarying
        if not by_corner and kind not in (UsdGeom.Tokens.vertex, UsdGeom.Tokens.varying):
            return None
        at = self._corners if by_corner else self._points[self._corners]
        fits = values.ndim == 2 and values.shape[1] == 2 and at.max() < len(values)
        return values[at] if fits else None

    def by_material(self) -> Iterator[tuple[str | None, NDArray[np.intp]]]:
        """Materials of subsets of the faces and numbers of their triangles; None: of the others.

        Nothing, where all faces have one material.
        """
        subsets = UsdShade.MaterialBindingAPI(self._mesh.GetPrim()).GetMaterialBindSubsets()
        if not subsets or self._corners is None:
            return
        left = np.ones(len(self._corners), np.bool_)
        faces = np.searchsorted(np.cumsum(self._counts), self._corners[:, 0], side="right")
        for subset in subsets:
            own = left & np.isin(faces, np.asarray(subset.GetIndicesAttr().Get() or ()))
            material, _ = UsdShade.MaterialBindingAPI(subset.GetPrim()).ComputeBoundMaterial()
            left &= ~own
            if own.any():
                yield str(material.GetPath()) if material else None, np.flatnonzero(own)
        if left.any():
            yield None, np.flatnonzero(left)


def _whole(attribute: Usd.Attribute) -> NDArray[np.int64]:
    return np.asarray((attribute.Get() if attribute else None) or (), np.int64)
