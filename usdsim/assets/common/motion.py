"""Motion of roots and bodies: makers of quantities that both have, and gravity on them."""

from __future__ import annotations

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.views import AssetView, kernels
from usdsim.views.quantity import Launched, Shape

__all__ = [
    "forward",
    "gravity",
    "gravity_direction",
    "in_link_axes",
    "states",
    "unit_vectors",
]


def states(pose: str, velocity: str, *, axis: Shape) -> Launched:
    """Poses and velocities side by side, of the root or of bodies."""
    return Launched(kernels.poses_and_velocities, (pose, velocity), axis, wp.float32, 13)


def in_link_axes(pose: str, velocity: str, *, axis: Shape) -> Launched:
    """Velocities in the axes of links at these poses, of the root or of bodies."""
    return Launched(kernels.body_velocities, (pose, velocity), axis, wp.spatial_vectorf)


def gravity(view: AssetView) -> NDArray[np.float64]:
    """Acceleration of gravity in the world of each root [m/s^2], shape (roots of instances, 3)."""
    each = view.layout.matches * view.layout.num_roots
    return np.repeat(view.engine.param("opt.gravity"), each, axis=0)


def gravity_direction(view: AssetView) -> NDArray[np.float64]:
    """Unit vectors along `gravity`, zero without it, of the same shape."""
    return unit_vectors(gravity(view))


def unit_vectors(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vectors scaled to unit length, zero where they are zero, shape (..., 3)."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0.0)


def forward(view: AssetView) -> NDArray[np.float64]:
    """The x axis of each root in its own frame, shape (num_instances, num_roots, 3)."""
    return np.tile([1.0, 0.0, 0.0], (view.layout.num_instances, view.layout.num_roots, 1))
