"""Convex hulls in three dimensions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, ShapeError

from .bounds import bounds
from .welding import weld

__all__ = ["convex_hull"]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_FLAT = 1e-10
"""Thickness, relative to the largest extent, below which points count as lying in one plane."""
_GRID = 1 << 19
"""Half the number of grid cells along each axis; single precision holds them exactly."""


def convex_hull(points: ArrayLike) -> tuple[Array, NDArray[np.int32]]:
    """The smallest convex solid around points, by Qhull.

    Which points are corners is decided on a grid of a million cells along each principal axis:
    real meshes are full of points that almost share a plane, and in whole numbers they do or do
    not. The engine's compiler brings Qhull along, so no package of its own is needed for it.

    Args:
        points: shape (n, 3).

    Returns:
        Corners of the hull, shape (k, 3), and its triangles wound outwards, shape (m, 3).

    Raises:
        ShapeError: `points` has another shape.
        InvalidValueError: fewer than four points, points in one plane, or points that are not
            finite.
    """
    cloud = np.asarray(points, dtype=np.float64)
    if cloud.ndim != 2 or cloud.shape[1] != 3:
        raise ShapeError("hull points", cloud.shape, "(n, 3)")
    if not np.isfinite(cloud).all():
        raise InvalidValueError("hull points", "NaN or infinity", "finite coordinates")
    cloud = cloud[weld(cloud)[0]]
    cells = _cells(cloud)
    first, _ = weld(cells)
    faces = _qhull(cells[first])
    used, renumbered = np.unique(first[faces], return_inverse=True)
    return cloud[used], renumbered.reshape(faces.shape).astype(np.int32)


def _cells(cloud: Array) -> Ints:
    """Grid coordinates along the principal axes, each filling the grid, shape (n, 3).

    Stretching does not change which points are corners, so needles and sheets lose nothing.
    """
    if len(cloud) >= 4:
        centred = cloud - cloud.mean(axis=0)
        _, _, axes = np.linalg.svd(centred.T @ centred)
        if np.linalg.det(axes) < 0.0:
            axes[2] *= -1.0
        along = centred @ axes.T
        low, high = bounds(along)
        size = high - low
        if size.min() > _FLAT * size.max():
            return np.rint((2.0 * (along - low) / size - 1.0) * _GRID).astype(np.int64)
    raise _refused(len(cloud))


def _refused(count: int) -> InvalidValueError:
    return InvalidValueError(
        "hull points",
        f"{count} distinct points",
        "at least four that do not lie in one plane",
        "A flat shape has no volume; give it thickness.",
    )


def _qhull(cells: Ints) -> Ints:
    """Triangles of the hull of distinct grid points, wound outwards, shape (m, 3)."""
    import mujoco  # parsing alone needs no engine until something is not convex

    spec = mujoco.MjSpec()
    spec.add_mesh(
        name="cloud",
        uservert=cells.astype(np.float32).ravel(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    # Of meshes that nothing collides with there is no hull.
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="cloud")
    try:
        graph = spec.compile().mesh_graph
    except (ValueError, mujoco.FatalError) as error:
        raise _refused(len(cells)) from error
    # Numbers of corners and triangles, two rows per corner, its edges, then the triangles.
    corners, triangles = graph[:2].tolist()
    start = 2 + 3 * (corners + triangles)
    return graph[start : start + 3 * triangles].reshape(-1, 3).astype(np.int64)
