"""Order in which programs write quaternions that place prims: x, y, z, w, or w first."""

from __future__ import annotations

import os
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import choice

from .rotations import IDENTITY_QUAT, quat_from_wxyz, quat_to_wxyz

__all__ = [
    "QuaternionOrder",
    "identity_rot",
    "quaternion_order",
    "rot_quat",
    "set_quaternion_order",
    "written_rot",
]

QuaternionOrder = Literal["xyzw", "wxyz"]
Rot = tuple[float, float, float, float]
"""A quaternion as programs write it."""

_order: QuaternionOrder | None = None


def set_quaternion_order(order: QuaternionOrder) -> None:
    """Choose the order of the numbers of ``rot`` in configurations and of what spawns prims.

    The environment variable ``USDSIM_QUATERNION_ORDER`` says the same for programs that are not to
    be changed. It is that of first states of assets, of offsets of sensors and of end effectors, of
    the ``rotation`` of mesh files that are converted, and of orientations given to spawn functions.
    Choose before configurations are made: their identity is in that order as well. Everything else
    stays xyzw: arrays of assets and sensors, what is written to them, and functions that compute
    with quaternions.

    Args:
        order: ``"xyzw"``, as in the beginning, or ``"wxyz"``, as programs for Isaac Lab 1.x and 2.x
            have it.

    Raises:
        InvalidValueError: another order.
    """
    global _order
    _order = choice("order", order, get_args(QuaternionOrder))


def quaternion_order() -> QuaternionOrder:
    """Order that `set_quaternion_order` chose, else that of the environment variable.

    Raises:
        InvalidValueError: the variable says something else.
    """
    if _order is None:
        set_quaternion_order(os.environ.get("USDSIM_QUATERNION_ORDER") or "xyzw")  # type: ignore[arg-type]
    return _order or "xyzw"


def rot_quat(rot: ArrayLike) -> NDArray[np.float64]:
    """Quaternion of a program in the order xyzw, shape (4,)."""
    return quat_from_wxyz(rot) if quaternion_order() == "wxyz" else np.asarray(rot, np.float64)


def written_rot(quat: ArrayLike) -> Rot:
    """Quaternion, xyzw, as programs write it; see `set_quaternion_order`."""
    found = quat_to_wxyz(quat) if quaternion_order() == "wxyz" else np.asarray(quat, np.float64)
    return tuple(found.tolist())


def identity_rot() -> Rot:
    """No rotation, as programs write it."""
    return written_rot(IDENTITY_QUAT)
