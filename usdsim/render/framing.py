"""Camera framing: the pose from which a camera sees something whole.

A camera looks along its -z axis, with +y up in the picture. Everything is in world: metres, Z up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import table
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.math.meshes.bounds import bounds
from usdsim.math.rotations import quat_from_matrix

__all__ = ["VIEW_DIRECTION", "box_sphere", "frame_points", "look_at"]

Array = NDArray[np.float64]

VIEW_DIRECTION = (-0.78, 0.52, -0.36)
"""Direction pictures are taken along: from the front, the right and above of what faces +x."""


def look_at(
    eye: ArrayLike, target: ArrayLike, up: ArrayLike = (0.0, 0.0, 1.0)
) -> NDArray[np.float64]:
    """Pose of a camera that looks at a point.

    Args:
        eye: where it is, in world [m], shape (3,).
        target: what is in the middle of its picture, in world [m], shape (3,).
        up: direction that is upright in the picture, shape (3,).

    Returns:
        Position [m] and orientation xyzw, shape (7,).

    Raises:
        ShapeError: an argument is not three numbers.
        InvalidValueError: a number is not finite, or `eye` and `target` are the same point.
    """
    eye, target, up = (
        table(name, value, (3,)) for name, value in (("eye", eye), ("target", target), ("up", up))
    )
    axes = _axes(target - eye, up, f"target with eye at {eye.tolist()}")
    return np.concatenate([eye, quat_from_matrix(axes.T)])


def box_sphere(points: Array) -> tuple[Array, float]:
    """Sphere around the box of points: the middle of the box, and half its diagonal [m].

    Args:
        points: in any frame [m], shape (n, 3), at least one.

    Returns:
        The centre, shape (3,), and the radius, at least a millimetre.
    """
    low, high = bounds(points)
    return (low + high) / 2.0, max(float(np.linalg.norm(high - low)) / 2.0, 1e-3)


def frame_points(
    points: ArrayLike,
    direction: ArrayLike = VIEW_DIRECTION,
    *,
    fovy: float,
    aspect: float,
    margin: float = 0.1,
    up: ArrayLike = (0.0, 0.0, 1.0),
) -> NDArray[np.float64]:
    """Pose of the closest camera that has all points in its picture, and in the middle of it.

    Args:
        points: in world [m], shape (n, 3), at least one.
        direction: in which it looks, in world, shape (3,).
        fovy: angle between the top and bottom of the picture [deg].
        aspect: width of the picture divided by its height.
        margin: part of the picture that stays free, half of it at either side.
        up: direction that is upright in the picture, shape (3,).

    Returns:
        Position [m] and orientation xyzw, shape (7,).

    Raises:
        ShapeError: an argument has not the shape above.
        InvalidValueError: a number is outside what makes sense.
    """
    corners = np.asarray(points, dtype=np.float64)
    if corners.ndim != 2 or corners.shape[1] != 3 or not len(corners):
        raise ShapeError("points", corners.shape, "(n, 3) with at least one point")
    if not np.isfinite(corners).all():
        raise InvalidValueError("points", corners.tolist(), "finite numbers")
    for name, value, lowest, highest in (
        ("fovy", fovy, 0.0, 180.0),
        ("aspect", aspect, 0.0, np.inf),
        ("margin", margin, -1e-12, 1.0),
    ):
        if not lowest < value < highest:
            raise InvalidValueError(name, value, f"above {max(lowest, 0):g}, below {highest:g}")
    axes = _axes(table("direction", direction, (3,)), table("up", up, (3,)), "direction")
    across, upright, ahead = axes[0], axes[1], -axes[2]
    slope = (1.0 - margin) * np.tan(np.radians(fovy) / 2.0)
    depth = corners @ ahead
    # Each edge of the picture is a plane; a point inside says how far back its planes must be.
    # A single point would have the camera inside itself.
    back, eye = float(-depth.min()) + 1e-3, np.zeros(3)
    for axis, tangent in ((across, slope * aspect), (upright, slope)):
        along = corners @ axis
        high = float((along / tangent - depth).max())
        low = float((-along / tangent - depth).max())
        back = max(back, (high + low) / 2.0)
        eye += tangent * (high - low) / 2.0 * axis
    eye -= back * ahead
    return np.concatenate([eye, quat_from_matrix(axes.T)])


def _axes(ahead: Array, up: Array, what: str) -> Array:
    """Right, up and backward of a camera as rows, shape (3, 3)."""
    length = np.linalg.norm(ahead)
    if not length > 0.0:
        raise InvalidValueError(what, ahead.tolist(), "something to look towards")
    backward = -ahead / length
    right = np.cross(up, backward)
    if np.linalg.norm(right) < 1e-9 * max(float(np.linalg.norm(up)), 1e-300):
        # Straight up or down: any direction in the picture will do for up.
        right = np.cross(np.roll(np.abs(backward).round(), 1), backward)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(backward, right), backward])
