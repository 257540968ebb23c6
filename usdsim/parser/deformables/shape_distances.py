"""Distances of points to colliders."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from usdsim.math.deformable.tetrahedra import winding_numbers
from usdsim.math.meshes.distances import surface_distances
from usdsim.parser.description import GeomDescription, MeshDescription

__all__ = ["shape_distances"]

Array = NDArray[np.float64]


def shape_distances(
    geom: GeomDescription, points: Array, meshes: Mapping[str, MeshDescription]
) -> Array:
    """Distances of points from a collider, zero or negative inside.

    Args:
        geom: the collider.
        points: in the collider's frame [m], shape (n, 3).
        meshes: the triangles of meshes, by the key geoms have.

    Returns:
        [m], shape (n,); infinity for height fields, which enclose nothing.
    """
    mesh = meshes.get(geom.mesh or "")
    if mesh is not None:
        return _mesh(mesh.points, mesh.faces, points)
    solid = _SOLIDS.get(geom.kind)
    return np.full(len(points), np.inf) if solid is None else solid(geom.size, points)


def _plane(size: Array, points: Array) -> Array:
    return np.asarray(points[:, 2])


def _sphere(size: Array, points: Array) -> Array:
    return np.asarray(np.linalg.norm(points, axis=1) - size[0])


def _ellipsoid(size: Array, points: Array) -> Array:
    """Zero on the surface and of the right sign; elsewhere no more than the distance."""
    return np.asarray((np.linalg.norm(points / size, axis=1) - 1.0) * size.min())


def _capsule(size: Array, points: Array) -> Array:
    axis = np.zeros_like(points)
    axis[:, 2] = np.clip(points[:, 2], -size[1], size[1])
    return _sphere(size, points - axis)


def _cylinder(size: Array, points: Array) -> Array:
    radial = np.linalg.norm(points[:, :2], axis=1) - size[0]
    return _beyond(np.stack([radial, np.abs(points[:, 2]) - size[1]], axis=1))


def _box(size: Array, points: Array) -> Array:
    return _beyond(np.abs(points) - size)


def _beyond(over: Array) -> Array:
    """Distance from a product of ranges, from how far each of them is exceeded."""
    outside = np.linalg.norm(np.clip(over, 0.0, None), axis=1)
    return np.asarray(outside + np.minimum(over.max(axis=1), 0.0))


_SOLIDS: Mapping[str, Callable[[Array, Array], Array]] = {
    "plane": _plane,
    "sphere": _sphere,
    "ellipsoid": _ellipsoid,
    "capsule": _capsule,
    "cylinder": _cylinder,
    "box": _box,
}


def _mesh(points: Array, faces: NDArray[np.int32], queries: Array) -> Array:
    distance = surface_distances(points, faces, queries)
    inside = np.abs(winding_numbers(points, faces, queries)) > 0.5
    return np.where(inside, -distance, distance)
