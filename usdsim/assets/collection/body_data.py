"""Collection body data: quantities of bodies that all move on their own."""

from __future__ import annotations

from functools import partial

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.assets.common.body_data import BodyData
from usdsim.assets.common.data import Default, open_default_states
from usdsim.assets.common.motion import forward, gravity_direction, in_link_axes
from usdsim.views import Quantity, kernels
from usdsim.views.quantity import Components, Computed, Launched

__all__ = ["ObjectBodyData"]


_rotated = partial(in_link_axes, "body_link_pose_w", axis="body")


class ObjectBodyData(BodyData):
    """Data of bodies that are roots: `BodyData` and what only roots have; see `RootData`."""

    default_body_state: Default = Default()
    """States to reset to, as configured: poses and velocities in the environment's frame
    [m, unit quaternion, m/s, rad/s], shape (num_instances, num_bodies, 13)."""
    default_body_pose: Default = Default()
    """Poses to reset to in the environment's frame [m, unit quaternion], shape
    (num_instances, num_bodies) of transformf; a part of `default_body_state`."""
    default_body_vel: Default = Default()
    """Velocities to reset to in the environment's frame [m/s, rad/s], shape
    (num_instances, num_bodies) of spatial_vectorf; a part of `default_body_state`."""

    def _open_defaults(self, initial: NDArray[np.float64]) -> None:
        super()._open_defaults(initial)
        self.defaults |= open_default_states(self._view, initial, "default_body")

    body_link_vel_b: Quantity[wp.array] = _rotated("body_link_vel_w")
    """Velocities of the links' origins in the links' axes [m/s, rad/s], shape
    (num_instances, num_bodies) of spatial_vectorf."""
    body_link_lin_vel_b: Quantity[wp.array] = Components("body_link_vel_b", 0, wp.vec3f)
    """Linear velocities of the links' origins in the links' axes [m/s], shape
    (num_instances, num_bodies) of vec3f."""
    body_link_ang_vel_b: Quantity[wp.array] = Components("body_link_vel_b", 3, wp.vec3f)
    """Angular velocities in the links' axes [rad/s], shape (num_instances, num_bodies) of vec3f."""
    body_com_vel_b: Quantity[wp.array] = _rotated("body_com_vel_w")
    """Velocities of the centres of mass in the links' axes [m/s, rad/s], shape
    (num_instances, num_bodies) of spatial_vectorf."""
    body_com_lin_vel_b: Quantity[wp.array] = Components("body_com_vel_b", 0, wp.vec3f)
    """Linear velocities of the centres of mass in the links' axes [m/s], shape
    (num_instances, num_bodies) of vec3f."""
    body_com_ang_vel_b: Quantity[wp.array] = Components("body_com_vel_b", 3, wp.vec3f)
    """Angular velocities in the links' axes [rad/s], shape (num_instances, num_bodies) of vec3f."""
    _gravity_direction_w: Quantity[wp.array] = Computed(gravity_direction, "body", wp.vec3f)
    GRAVITY_VEC_W: Quantity[wp.array] = Components("_gravity_direction_w", 0, wp.vec3f)
    """Unit vectors along gravity in world, zero without gravity, shape
    (num_instances, num_bodies) of vec3f."""
    FORWARD_VEC_B: Quantity[wp.array] = Computed(forward, "body", wp.vec3f)
    """The links' x axes in their own frames, shape (num_instances, num_bodies) of vec3f."""
    projected_gravity_b: Quantity[wp.array] = Launched(
        kernels.gravity_directions, ("_gravity_direction_w", "body_link_pose_w"), "body", wp.vec3f
    )
    """Direction of gravity in the links' axes [unit vector, zero without gravity], shape
    (num_instances, num_bodies) of vec3f."""
    heading_w: Quantity[wp.array] = Launched(
        kernels.headings, ("body_link_pose_w",), "body", wp.float32
    )
    """Angles of the links' x axes about world z, from world x [rad], shape
    (num_instances, num_bodies)."""
