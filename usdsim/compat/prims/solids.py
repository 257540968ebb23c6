"""Shapes and meshes of the stage as triangles, under the names of Isaac Lab."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray
from pxr import Usd, UsdGeom

from usdsim.core.errors import UnknownNameError
from usdsim.math.meshes import primitives
from usdsim.math.meshes.polygons import triangle_corners

__all__ = [
    "PRIMITIVE_MESH_TYPES",
    "convert_faces_to_triangles",
    "create_trimesh_from_geom_mesh",
    "create_trimesh_from_geom_shape",
]

_PLANE_SIZE = 2e6
"""Side of the square that stands for a plane [stage units]."""


def _along(shape: Any, prim: Usd.Prim) -> tuple[NDArray[Any], NDArray[Any]]:
    radius, height = (prim.GetAttribute(name).Get() for name in ("radius", "height"))
    points, faces = shape(radius, height)
    return points[:, primitives.TURNS[prim.GetAttribute("axis").Get()]], faces


_SHAPES: dict[str, Callable[[Usd.Prim], tuple[NDArray[Any], NDArray[Any]]]] = {
    "Plane": lambda _: primitives.square(np.full(2, _PLANE_SIZE), (1, 1)),
    "Cube": lambda prim: primitives.cuboid(np.full(3, prim.GetAttribute("size").Get())),
    "Sphere": lambda prim: primitives.sphere(prim.GetAttribute("radius").Get()),
    "Cylinder": lambda prim: _along(primitives.cylinder, prim),
    "Capsule": lambda prim: _along(primitives.capsule, prim),
    "Cone": lambda prim: _along(primitives.cone, prim),
}

PRIMITIVE_MESH_TYPES = list(_SHAPES)
"""Types of prims that `create_trimesh_from_geom_shape` takes."""


def create_trimesh_from_geom_mesh(mesh_prim: Usd.Prim) -> trimesh.Trimesh:
    """Triangles of a mesh prim in its axes [stage units].

    Raises:
        UnknownNameError: the prim is no mesh.
    """
    _require(mesh_prim, ["Mesh"])
    mesh = UsdGeom.Mesh(mesh_prim)
    counts = np.asarray(mesh.GetFaceVertexCountsAttr().Get())
    faces = convert_faces_to_triangles(np.asarray(mesh.GetFaceVertexIndicesAttr().Get()), counts)
    return trimesh.Trimesh(np.array(mesh.GetPointsAttr().Get()), faces)


def create_trimesh_from_geom_shape(prim: Usd.Prim) -> trimesh.Trimesh:
    """Triangles of a shape prim in its axes [stage units]; planes are large squares.

    Raises:
        UnknownNameError: the prim is none of `PRIMITIVE_MESH_TYPES`.
    """
    _require(prim, PRIMITIVE_MESH_TYPES)
    return trimesh.Trimesh(*_SHAPES[prim.GetTypeName()](prim))


def convert_faces_to_triangles(
    faces: NDArray[np.integer[Any]], point_counts: NDArray[np.integer[Any]]
) -> NDArray[np.integer[Any]]:
    """Triangles of polygons, as fans about their first points, shape (m, 3).

    Args:
        faces: indices of points, polygon by polygon, shape (sum of counts,).
        point_counts: numbers of points of the polygons, shape (f,).

    Raises:
        InvalidValueError: a polygon has fewer than three points.
    """
    return faces[triangle_corners(point_counts)]


def _require(prim: Usd.Prim, types: list[str]) -> None:
    if prim.GetTypeName() not in types:
        raise UnknownNameError("type", prim.GetTypeName(), types, str(prim.GetPath()))
