"""Convex pieces behind the triangles of a surface."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .depths import depths
from .facets import Loop, facets, fewest_facets
from .welding import weld

__all__ = ["convex_shell", "fewest_solids"]

Array = NDArray[np.float64]
Faces = NDArray[np.int32]
Ints = NDArray[np.int64]

SLIVER = 1e-6
"""Height of a triangle, in parts of the mesh's extent, below which it is left out."""
FILL = 0.45
"""Part of the room behind a triangle that a piece may take; the other side needs as much."""
LONGEST_MITRE = 4.0
LEAST = 2e-15
"""Volume from which on a solid collides with anything; engines refuse those below 1e-15 [m^3]."""


def convex_shell(
    points: ArrayLike, faces: ArrayLike, thickness: float
) -> list[tuple[Array, Faces]]:
    """Convex solids whose fronts are the triangles of a surface, holes and hollows included.

    Triangles of one plane share a solid where they make up a convex polygon. Solids of faces that
    meet are mitred: none stands out of another's front. Where the surface has another side, the
    solids stay below half way to it. Where it is so near that nothing is left, there is none.

    Args:
        points: vertices [m], shape (n, 3).
        faces: triangles, anticlockwise seen from the front, shape (m, 3).
        thickness: of the solids [m].

    Returns:
        Points [m] and faces of each solid.
    """
    cloud, triangles, corners, normals = _wide(points, faces)
    if not len(triangles):
        return []
    room = depths(corners, normals, thickness / FILL) * FILL
    back = cloud - _inward(len(cloud), triangles, normals, room)
    solids = [_solid(loop, cloud, back) for loop in facets(cloud, triangles, normals)]
    return list(compress(solids, np.abs(_volumes(solids)) > LEAST))


def fewest_solids(points: ArrayLike, faces: ArrayLike) -> int:
    """Solids that `convex_shell` makes of a surface at least, in a hundredth of its time."""
    cloud, triangles, _, normals = _wide(points, faces)
    return fewest_facets(cloud, triangles, normals) if len(triangles) else 0


def _wide(points: ArrayLike, faces: ArrayLike) -> tuple[Array, Ints, Array, Array]:
    """Distinct points, and of triangles that are no slivers: indices, corners, unit normals."""
    cloud = np.asarray(points, np.float64)
    first, place = weld(cloud)
    cloud, triangles = cloud[first], place[np.asarray(faces, np.int64)]
    corners = cloud[triangles]
    sides = corners - np.roll(corners, 1, axis=1)
    area = np.cross(sides[:, 1], sides[:, 2])
    doubled = np.linalg.norm(area, axis=1)
    longest = np.linalg.norm(sides, axis=2).max(axis=1)
    wide = doubled > SLIVER * float(np.ptp(cloud, axis=0).max()) * longest
    return cloud, triangles[wide], corners[wide], area[wide] / doubled[wide, None]


def _inward(count: int, faces: Ints, normals: Array, room: Array) -> Array:
    """Step from each point to the back, as deep as allowed below all faces around it."""
    system = np.zeros((count, 3, 3))
    target = np.zeros((count, 3))
    depth = np.full(count, np.inf)
    for column in faces.T:
        np.add.at(system, column, normals[:, :, None] * normals[:, None, :])
        np.add.at(target, column, normals)
        np.minimum.at(depth, column, room)
    weight = np.trace(system, axis1=1, axis2=2)
    used = weight > 0.0
    system += 1e-6 * np.where(used, weight, 1.0)[:, None, None] * np.eye(3)
    mitre = np.linalg.solve(system, target[..., None])[..., 0]
    length = np.linalg.norm(mitre, axis=1, keepdims=True)
    mitre *= np.minimum(1.0, LONGEST_MITRE / np.maximum(length, 1e-12))
    return np.asarray(mitre * np.where(used, depth, 0.0)[:, None], dtype=np.float64)


def _volumes(solids: Sequence[tuple[Array, Faces]]) -> Array:
    """Volume of each solid [m^3], shape (n,)."""
    corners = np.concatenate([points[faces] - points[0] for points, faces in solids])
    counts = np.array([len(faces) for _, faces in solids])
    volumes = np.add.reduceat(np.linalg.det(corners), np.cumsum(counts) - counts) / 6.0
    return np.asarray(volumes)


def _solid(loop: Loop, front: Array, back: Array) -> tuple[Array, Faces]:
    n = len(loop)
    faces = [(0, i, i + 1) for i in range(1, n - 1)]
    faces += [(n, n + i + 1, n + i) for i in range(1, n - 1)]
    for i in range(n):
        j = (i + 1) % n
        faces += [(j, i, n + i), (j, n + i, n + j)]
    return np.vstack([front[loop], back[loop]]), np.array(faces, dtype=np.int32)
