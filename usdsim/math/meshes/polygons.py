"""Triangles of polygon meshes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError

__all__ = ["triangle_corners", "triangulate"]

Faces = NDArray[np.int32]


def triangle_corners(counts: ArrayLike, holes: ArrayLike = ()) -> Faces:
    """Split polygons into fans of triangles.

    Args:
        counts: corners of each polygon, shape (f,).
        holes: polygons that are left out.

    Returns:
        Positions in the list of polygon corners, shape (m, 3): index with them whatever is given
        per corner (point indices, texture coordinates).

    Raises:
        InvalidValueError: a polygon has fewer than three corners, or a hole is no polygon.
    """
    sizes = np.asarray(counts, dtype=np.int64).ravel()
    omitted = np.asarray(holes, dtype=np.int64).ravel()
    if len(omitted) and not 0 <= omitted.min() <= omitted.max() < len(sizes):
        raise InvalidValueError("hole indices", omitted.tolist(), f"0 to {len(sizes) - 1}")
    if len(sizes) and sizes.min() < 3:
        raise InvalidValueError(
            f"corner count of face {int(sizes.argmin())}", int(sizes.min()), "three or more"
        )
    starts = np.cumsum(sizes) - sizes
    kept = np.ones(len(sizes), dtype=bool)
    kept[omitted] = False
    starts, sizes = starts[kept], sizes[kept]
    triangles = sizes - 2
    first = np.repeat(starts, triangles)
    step = np.arange(len(first)) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    return np.stack([first, first + step + 1, first + step + 2], axis=1).astype(np.int32)


def triangulate(
    counts: ArrayLike, indices: ArrayLike, holes: ArrayLike = (), *, left_handed: bool = False
) -> Faces:
    """Triangles of a polygon mesh, such as a `UsdGeom.Mesh`.

    A concave polygon gets overlapping triangles, whose volume and hull are still right.

    Args:
        counts: ``faceVertexCounts``, shape (f,).
        indices: ``faceVertexIndices``, shape (sum of counts,).
        holes: ``holeIndices``: faces that are left out.
        left_handed: whether faces are wound clockwise; the triangles never are.

    Returns:
        Point indices, shape (m, 3).

    Raises:
        InvalidValueError: counts and indices do not fit together.
    """
    corners = np.asarray(indices, dtype=np.int32).ravel()
    total = int(np.sum(counts))
    if total != len(corners):
        raise InvalidValueError("sum of face vertex counts", total, f"{len(corners)} indices")
    faces = corners[triangle_corners(counts, holes)]
    return faces[:, ::-1].copy() if left_handed else faces
