"""Decimation: fewer triangles for meshes that are looked at from afar."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import UnsupportedError

__all__ = ["decimated"]


def decimated(
    points: NDArray[np.float64], faces: NDArray[np.int32], most: int
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """A mesh of at most about as many triangles, by collapsing edges of least quadric error.

    Args:
        points: vertices [m], shape (n, 3).
        faces: indices of vertices, shape (m, 3).
        most: number of triangles wanted; meshes with fewer stay as they are.

    Raises:
        UnsupportedError: fast-simplification is not installed.
    """
    if len(faces) <= most:
        return points, faces
    try:
        import fast_simplification
    except ImportError as error:
        raise UnsupportedError(
            f"A mesh of {len(faces)} triangles is to be drawn with {most}, which needs "
            "fast-simplification. Install it with pip install 'usdsim[view]', or raise the budget."
        ) from error
    # Vertices that are apart only for their normals would tear the surface.
    joined, place = np.unique(points.astype(np.float32), axis=0, return_inverse=True)
    welded = place.reshape(-1)[faces].astype(np.int32)
    found, triangles = fast_simplification.simplify(joined, welded, target_count=most)
    return found.astype(np.float64), triangles.astype(np.int32)
