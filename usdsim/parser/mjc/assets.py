"""Assets of the MuJoCo dialect: meshes, height fields, textures of materials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pxr import Usd, UsdGeom

from usdsim.core.errors import ParseError
from usdsim.parser.description import HeightFieldDescription, MeshDescription
from usdsim.usd.attributes import authored
from usdsim.usd.names import get_source_name

__all__ = ["read_height_field", "read_mesh", "texture_targets"]

_GENERATORS = ("plugin", "usernode", "content")
"""Attributes that make the compiler generate the points; those on the stage are for display."""
_TEXTURE = "mjc:texture:"


def read_mesh(prim: Usd.Prim, overrides: Mapping[str, Any]) -> MeshDescription:
    """A mesh asset: source points, and in `overrides` what the engine does to them."""
    mesh = UsdGeom.Mesh(prim)
    points, faces = authored(prim, "mjc:vertices"), authored(prim, "mjc:faces")
    if points is None:
        points = mesh.GetPointsAttr().Get()
    if faces is None:
        faces = mesh.GetFaceVertexIndicesAttr().Get()
    if any(name in overrides for name in _GENERATORS):
        points = faces = None
    return MeshDescription(
        path=str(prim.GetPath()),
        name=get_source_name(prim),
        overrides=overrides,
        points=np.asarray(points if points is not None else (), np.float64).reshape(-1, 3),
        faces=np.asarray(faces if faces is not None else (), np.int32).reshape(-1, 3),
    )


def read_height_field(prim: Usd.Prim, overrides: Mapping[str, Any]) -> HeightFieldDescription:
    """A height field asset.

    Raises:
        ParseError: the elevations do not fill the grid.
    """
    values = dict(overrides)
    elevation = np.asarray(values.pop("userdata", ()), np.float64)
    rows, columns = int(values.get("nrow", 0)), int(values.get("ncol", 0))
    if rows * columns != elevation.size or not elevation.size:
        raise ParseError(
            f"{prim.GetPath()}.mjc:elevation has {elevation.size} values; allowed: mjc:rows times "
            f"mjc:columns, {rows} x {columns}."
        )
    return HeightFieldDescription(
        path=str(prim.GetPath()),
        name=get_source_name(prim),
        overrides=values,
        elevation=elevation.reshape(rows, columns),
        size=np.asarray(values.get("size", np.ones(4)), np.float64),
    )


def texture_targets(prim: Usd.Prim) -> dict[str, tuple[str, ...]]:
    """Textures of a render material by role, ``texture:rgb``."""
    return {
        f"texture:{prop.GetName().removeprefix(_TEXTURE)}": tuple(map(str, prop.GetTargets()))
        for prop in prim.GetAuthoredPropertiesInNamespace("mjc:texture")
    }
