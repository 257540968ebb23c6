"""Tessellation: triangles of drawable parts, and fewer of them, for those who draw meshes alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.core.extras import library
from usdsim.math.meshes import primitives

from .parts import Parts

__all__ = ["decimated", "part_triangles"]

Array = NDArray[np.float64]
Faces = NDArray[np.int32]

_PLANE, _SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX = 0, 2, 3, 4, 5, 6
"""Types of parts, as the engine numbers its geoms."""


_FEWEST = 12
"""Triangles that meshes keep, as a box has them."""


def part_triangles(parts: Parts, index: int, *, endless: float = 50.0) -> tuple[Array, Faces]:
    """Vertices of a part in its own frame [m] and its triangles, counter-clockwise from outside.

    Args:
        parts: the parts.
        index: of the part.
        endless: half extent that planes without end get [m].
    """
    size = parts.size[index]
    if parts.mesh[index] >= 0:
        mesh = parts.meshes[parts.mesh[index]]
        return mesh.points.astype(np.float64), mesh.faces
    kind = int(parts.kind[index])
    if kind == _PLANE:
        x, y = (half if half > 0.0 else endless for half in size[:2])
        points = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
        return points, np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    if kind == _SPHERE:
        return primitives.sphere(size[0])
    if kind == _ELLIPSOID:
        points, faces = primitives.sphere(1.0)
        return points * size, faces
    if kind == _CAPSULE:
        return primitives.capsule(size[0], 2.0 * size[1])
    if kind == _CYLINDER:
        return primitives.cylinder(size[0], 2.0 * size[1])
    return primitives.cuboid(2.0 * size)


def decimated(
    points: NDArray[np.float64], faces: NDArray[np.int32], share: float
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """A mesh with about a share of its triangles, by collapsing edges of least quadric error.

    Args:
        points: vertices [m], shape (n, 3).
        faces: indices of vertices, shape (m, 3).
        share: of the triangles, at most 1; a dozen stay in any case.

    Raises:
        UnsupportedError: fast-simplification is not installed.
    """
    most = max(round(share * len(faces)), _FEWEST)
    if len(faces) <= most:
        return points, faces
    what = f"Drawing a mesh of {len(faces)} triangles with {most}"
    simplification = library("fast_simplification", what, "raise the budget")
    # Vertices that are apart only for their normals would tear the surface.
    joined, place = np.unique(points.astype(np.float32), axis=0, return_inverse=True)
    welded = place.reshape(-1)[faces].astype(np.int32)
    found, triangles = simplification.simplify(joined, welded, target_count=most)
    return found.astype(np.float64), triangles.astype(np.int32)
