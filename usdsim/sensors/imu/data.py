"""Inertial measurement unit data."""

from __future__ import annotations

from dataclasses import dataclass

import warp as wp

__all__ = ["ImuData"]


@dataclass(kw_only=True, eq=False)
class ImuData:
    """Arrays of an inertial measurement unit. N instances; b is the sensor's own frame."""

    pose_w: wp.array
    """Pose, world [m], transformf, shape (N,)."""
    pos_w: wp.array
    """Position, world [m], vec3f, shape (N,)."""
    quat_w: wp.array
    """Orientation, world, xyzw, quatf, shape (N,)."""
    lin_vel_b: wp.array
    """Linear velocity of the sensor's origin, own axes [m/s], vec3f, shape (N,)."""
    ang_vel_b: wp.array
    """Angular velocity, own axes [rad/s], vec3f, shape (N,)."""
    lin_acc_b: wp.array
    """Linear acceleration of the sensor's origin with the gravity bias, own axes [m/s^2], vec3f,
    shape (N,)."""
    ang_acc_b: wp.array
    """Angular acceleration, own axes [rad/s^2], vec3f, shape (N,)."""
    projected_gravity_b: wp.array
    """Unit vector along gravity, own axes, zero without gravity, vec3f, shape (N,)."""
