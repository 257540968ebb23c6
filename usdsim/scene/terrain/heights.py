"""Terrain heights and normals, by bilinear interpolation of height fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.math.rotations import quat_apply, quat_to_matrix
from usdsim.scene.arrays import FloatArray, filled
from usdsim.scene.checks import points

if TYPE_CHECKING:
    from usdsim.scene.elements.hfield import HField

__all__ = ["sample_heights", "sample_normals"]

Corners = tuple[tuple[NDArray[Any], NDArray[Any]], tuple[NDArray[Any], NDArray[Any]]]
"""Elevations on the -y side of a cell and on its +y side, each at -x and at +x."""


def sample_heights(
    field: HField,
    pose: NDArray[np.float64],
    xy: ArrayLike,
    batch: tuple[int, ...],
    out: FloatArray | None,
) -> FloatArray:
    """World heights of a height field.

    Args:
        field: the elevations.
        pose: its world poses, position [m] and quaternion xyzw, shape (*B, 7).
        xy: world points [m], shape (n, 2) or (*B, n, 2).
        batch: the shape B.
        out: array to fill, float32 of shape (*B, n).

    Returns:
        World z of the surface [m], shape (*B, n).
    """
    local, slope = _across(pose, points(xy, batch, 2, f"xy for {field.title}"))
    height = _bilinear(field, local)
    # The field's own z, brought to world, plus the rise of its base plane.
    height *= quat_to_matrix(pose[..., 3:])[..., 2, 2][..., None]
    height += pose[..., 2][..., None] + slope
    return filled(height, out, "heights")


def sample_normals(
    field: HField,
    pose: NDArray[np.float64],
    xy: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Upward normals of a height field in world; those of the border outside it.

    Args:
        field: the elevations.
        pose: its world poses, position [m] and quaternion xyzw, shape (*B, 7).
        xy: world points [m], shape (*B, n, 2).

    Returns:
        Unit vectors, NaN where the points are, shape (*B, n, 3).
    """
    local, _ = _across(pose, xy)
    u, v, corners, missing = _cell(field, local)
    (low, right), (high, far) = corners
    size = 2.0 * field.half_extents / np.maximum(np.array([field.ncol, field.nrow]) - 1, 1)
    inside = (np.abs(local) <= field.half_extents).astype(np.float64)
    normal = np.ones((*local.shape[:-1], 3))
    rise_x = (right - low) * (1.0 - v) + (far - high) * v
    rise_y = (high - low) * (1.0 - u) + (far - right) * u
    normal[..., 0] = -rise_x * inside[..., 0] * (field.bound[5] / size[0])
    normal[..., 1] = -rise_y * inside[..., 1] * (field.bound[5] / size[1])
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    normal[missing] = np.nan
    return quat_apply(pose[..., None, 3:], normal)


def _across(
    pose: NDArray[np.float64], xy: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points in which vertical lines through world points cross the field's base plane.

    For a tilted field the surface is met elsewhere on the line; for an upright one this is exact.

    Returns:
        Local coordinates [m], shape (*B, n, 2), and the plane's rise there [m], shape (*B, n).
    """
    rotation = quat_to_matrix(pose[..., 3:])
    a, b, c, d = (rotation[..., i, j][..., None] for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)))
    delta = xy - pose[..., None, :2]
    det = a * d - b * c
    x = (d * delta[..., 0] - b * delta[..., 1]) / det
    y = (a * delta[..., 1] - c * delta[..., 0]) / det
    slope = rotation[..., 2, 0][..., None] * x + rotation[..., 2, 1][..., None] * y
    return np.stack([x, y], axis=-1), slope


def _bilinear(field: HField, xy: NDArray[np.float64]) -> NDArray[np.float64]:
    """Elevation at local points [m], shape (..., n); clamped to the border, NaN stays NaN."""
    u, v, ((low, right), (high, far)), missing = _cell(field, xy)
    near, beyond = low * (1.0 - u) + right * u, high * (1.0 - u) + far * u
    height = (near * (1.0 - v) + beyond * v) * field.bound[5]
    return np.where(missing, np.nan, height)


def _cell(
    field: HField, xy: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], Corners, NDArray[np.bool_]]:
    """The cell of local points: where in it they are, from 0 to 1, and its corners' elevations."""
    heights = field.elevations.reshape(-1)
    count = np.array([field.ncol, field.nrow])
    grid = np.clip((xy / field.half_extents + 1.0) * (0.5 * (count - 1)), 0.0, count - 1)
    missing = np.asarray(np.isnan(grid).any(axis=-1))
    cell = np.minimum(np.nan_to_num(grid).astype(np.intp), np.maximum(count - 2, 0))
    part = grid - cell
    right = 1 if count[0] > 1 else 0
    above = int(count[0]) if count[1] > 1 else 0
    first = cell[..., 1] * count[0] + cell[..., 0]
    corners = (
        (heights[first], heights[first + right]),
        (heights[first + above], heights[first + above + right]),
    )
    return part[..., 0], part[..., 1], corners, missing
