"""Assets of the MuJoCo dialect: meshes, height fields, textures of materials."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import UsdGeom

from usdsim.core.dialects.mjc_assets import PRIMVARS
from usdsim.core.errors import InvalidValueError, ParseError
from usdsim.math.meshes.operations import upside_down
from usdsim.math.meshes.polygons import triangulate
from usdsim.parser.description import HeightFieldDescription, MeshDescription
from usdsim.parser.prims import PrimView
from usdsim.usd.attributes import authored

__all__ = ["read_height_field", "read_mesh", "texture_targets"]

_GENERATORS = ("plugin", "usernode", "content")
"""Attributes that make the compiler generate the points; those on the stage are for display."""
_TEXTURE = "mjc:texture:"


def read_mesh(view: PrimView, overrides: Mapping[str, Any]) -> MeshDescription:
    """A mesh asset: source points, and in `overrides` what the engine does to them.

    Raises:
        ParseError: its faces do not fit together.
    """
    mesh = UsdGeom.Mesh(view.prim)
    points, faces = np.zeros((0, 3)), np.zeros((0, 3), np.int32)
    if not any(name in overrides for name in _GENERATORS):
        given = authored(view.prim, "mjc:vertices")
        given = mesh.GetPointsAttr().Get() if given is None else given
        points = np.asarray(() if given is None else given, np.float64).reshape(-1, 3)
        indices, corners = _polygons(mesh)
        faces = indices[corners]
        if faces.size:
            of_corners = len(indices), corners.ravel()
            overrides = {**overrides, **_primvars(mesh, len(points), of_corners, overrides)}
    return MeshDescription(
        path=view.path,
        name=view.source_name,
        overrides=overrides,
        points=points,
        faces=faces,
    )


def _polygons(mesh: UsdGeom.Mesh) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Point index of each corner of a mesh asset, and the corners of its triangles, (m, 3)."""
    given = authored(mesh.GetPrim(), "mjc:faces")
    counts: Any = mesh.GetFaceVertexCountsAttr().Get() or ()
    indices: Any = mesh.GetFaceVertexIndicesAttr().Get() or ()
    if given is not None:
        indices, counts = given, np.full(len(given) // 3, 3)
    try:
        corners = triangulate(counts, np.arange(len(indices)))
        return np.asarray(indices, np.int32), corners
    except InvalidValueError as error:
        raise ParseError(f"{mesh.GetPath()}: {error}") from error


def _primvars(
    mesh: UsdGeom.Mesh,
    points: int,
    of_corners: tuple[int, NDArray[np.int32]],
    known: Container[str],
) -> dict[str, Any]:
    """Normals and texture coordinates by field, as all tools see them; those that fit the mesh.

    Args:
        mesh: the asset.
        points: number of its points.
        of_corners: number of corners of its polygons, and those of its triangles in a row.
        known: fields that are stated otherwise.
    """
    number, corners = of_corners
    primvars = UsdGeom.PrimvarsAPI(mesh)
    found: dict[str, Any] = {}
    for name, (field, corner_field) in PRIMVARS.items():
        if field in known:
            continue
        primvar = primvars.GetPrimvar(name)
        values, how, indices = None, "", None
        if primvar and primvar.HasValue():
            values, how = primvar.Get(), primvar.GetInterpolation()
            indices = primvar.GetIndices() if primvar.IsIndexed() else None
        elif name == "normals":
            values, how = mesh.GetNormalsAttr().Get(), mesh.GetNormalsInterpolation()
        if values is None:
            continue
        rows = np.asarray(values, np.float32)
        rows = upside_down(rows) if name == "st" else rows
        if how == "faceVarying":
            given = np.arange(number) if indices is None else np.asarray(indices)
            if len(given) == number and given.max(initial=-1) < len(rows):
                found |= {field: rows.ravel(), corner_field: given[corners].astype(np.int32)}
        elif how == "vertex" and indices is None and len(rows) == points:
            found[field] = rows.ravel()
    return found


def read_height_field(view: PrimView, overrides: Mapping[str, Any]) -> HeightFieldDescription:
    """A height field asset.

    Raises:
        ParseError: the elevations do not fill the grid.
    """
    values = dict(overrides)
    elevation = np.asarray(values.pop("userdata", ()), np.float64)
    rows, columns = int(values.get("nrow", 0)), int(values.get("ncol", 0))
    if rows * columns != elevation.size or not elevation.size:
        raise ParseError(
            f"{view.path}.mjc:elevation has {elevation.size} values; allowed: mjc:rows times "
            f"mjc:columns, {rows} x {columns}."
        )
    return HeightFieldDescription(
        path=view.path,
        name=view.source_name,
        overrides=values,
        elevation=elevation.reshape(rows, columns),
        size=np.asarray(values.get("size", np.ones(4)), np.float64),
    )


def texture_targets(view: PrimView) -> dict[str, tuple[str, ...]]:
    """Textures of a render material by role, ``texture:rgb``."""
    return {
        f"texture:{name.removeprefix(_TEXTURE)}": tuple(map(str, view.targets(name)))
        for name in view.mujoco
        if name.startswith(_TEXTURE)
    }
