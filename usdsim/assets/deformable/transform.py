"""Nodal transforms: rigid motions of the vertices of bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.errors import ShapeError
from usdsim.math.rotations import quat_apply
from usdsim.views.fields.parameters import unit_quaternions
from usdsim.views.values import Values, broadcast, to_numpy

__all__ = ["transform_nodal_pos"]


def transform_nodal_pos(nodal_pos: Values, pos: Values = None, quat: Values = None) -> Any:
    """Positions of vertices, turned about the mean of each body's and then moved.

    Args:
        nodal_pos: positions [m], a Warp, NumPy or torch array, shape (n, vertices, 3).
        pos: how far to move each body [m], shape (n, 3); None: not at all.
        quat: how to turn it, a unit quaternion xyzw, shape (n, 4); None: not at all.

    Returns:
        An array of the same kind and shape.

    Raises:
        ShapeError: an array does not fit.
        InvalidValueError: a value is not finite, or a quaternion has not unit length.
    """
    given = to_numpy(nodal_pos)
    if given.ndim != 3 or given.shape[2] != 3:
        raise ShapeError("nodal_pos", given.shape, "(n, vertices, 3)")
    points = broadcast("nodal_pos", given, given.shape).astype(np.float64)
    count = len(points)
    if quat is not None:
        turn = unit_quaternions(broadcast("quat", quat, (count, 4)).astype(np.float64))
        centre = points.mean(axis=1, keepdims=True)
        points = centre + quat_apply(turn[:, None], points - centre)
    if pos is not None:
        points = points + broadcast("pos", pos, (count, 3))[:, None]
    return _like(nodal_pos, points)


def _like(values: Any, points: NDArray[np.float64]) -> Any:
    """Points as the kind of array, and in the precision, that a caller passed."""
    if isinstance(values, wp.array):
        array = np.ascontiguousarray(points, dtype=np.float32)
        return wp.array(array, dtype=values.dtype, device=values.device)
    if hasattr(values, "new_tensor"):  # torch, which need not be installed
        return values.new_tensor(points)
    floating = isinstance(values, np.ndarray) and values.dtype.kind == "f"
    return points.astype(values.dtype) if floating else points
