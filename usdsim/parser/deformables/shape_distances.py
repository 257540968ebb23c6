"""Distances of points to colliders."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from usdsim.math.deformable.tetrahedra import winding_numbers
from usdsim.parser.description import GeomDescription, MeshDescription

__all__ = ["shape_distances"]

Array = NDArray[np.float64]

_CHUNK = 200_000
"""Pairs of point and triangle looked at together; bounds the memory of a search."""


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
    corners = points[faces]
    distance = np.empty(len(queries))
    step = max(1, _CHUNK // max(len(faces), 1))
    for start in range(0, len(queries), step):
        part = queries[start : start + step, None]
        distance[start : start + step] = _triangles(corners[None], part).min(axis=1)
    inside = np.abs(winding_numbers(points, faces, queries)) > 0.5
    return np.where(inside, -distance, distance)


def _triangles(corners: Array, queries: Array) -> Array:
    """Distances of every query from every triangle, shape (k, m)."""
    starts, ends = corners, np.roll(corners, -1, axis=-2)
    sides = ends - starts
    normal = np.cross(sides[..., 0, :], sides[..., 1, :])
    normal /= np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), np.finfo(float).tiny)
    offset = queries[..., None, :] - starts
    inward = np.cross(normal[..., None, :], sides)
    above = ((offset * inward).sum(axis=-1) >= 0.0).all(axis=-1)
    height = np.abs((offset[..., 0, :] * normal).sum(axis=-1))
    lengths = np.maximum((sides**2).sum(axis=-1), np.finfo(float).tiny)
    along = np.clip((offset * sides).sum(axis=-1) / lengths, 0.0, 1.0)
    edges = np.linalg.norm(offset - along[..., None] * sides, axis=-1).min(axis=-1)
    return np.asarray(np.where(above, height, edges))
