"""Root data: poses and velocities of the roots of an asset."""

from __future__ import annotations

from functools import partial

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.assets.aliases import RootAliases
from usdsim.views import AssetView, Quantity, kernels
from usdsim.views.fields.body_parameters import PoseParameter
from usdsim.views.layout import FREE
from usdsim.views.quantity import Choice, Components, Computed, Launched

from .data import AssetData, Default, open_default_states
from .motion import forward, gravity, gravity_direction, in_link_axes, states

__all__ = ["RootData"]

_COM_POSE = PoseParameter("roots", "body_ipos", "body_iquat")


def _all_free(view: AssetView) -> bool:
    return bool((view.layout.root_kinds == FREE).all())


_rotated = partial(in_link_axes, "root_link_pose_w", axis="root")
_state = partial(states, axis="root")


class RootData(RootAliases, AssetData):
    """Poses and velocities of roots.

    Link quantities are of the root body's own frame. Com quantities are of its centre of mass,
    whose axes are the principal axes of inertia. Poses are position and quaternion xyzw,
    velocities linear and then angular. A suffix ``_w`` says world axes, ``_b`` those of the link.
    Shapes are those of structured arrays; `wp.array.numpy` adds the axis of components.
    """

    default_root_state: Default = Default()
    """State to reset to, as configured: pose and velocity in the environment's frame
    [m, unit quaternion, m/s, rad/s], shape (num_instances, 13)."""
    default_root_pose: Default = Default()
    """Pose to reset to in the environment's frame [m, unit quaternion], shape (num_instances,)
    of transformf. It is a part of `default_root_state`, which is written with it."""
    default_root_vel: Default = Default()
    """Velocity to reset to in the environment's frame [m/s, rad/s], shape (num_instances,) of
    spatial_vectorf. It is a part of `default_root_state`, which is written with it."""

    def _open_defaults(self, initial: NDArray[np.float64]) -> None:
        super()._open_defaults(initial)
        self.defaults |= open_default_states(self._view, initial, "default_root")

    # -- link ----------------------------------------------------------------------------------

    # The engine copies every array that was ever read after each step, so what free roots need
    # comes from the state, which it does not copy.
    root_link_pose_w: Quantity[wp.array] = Choice(
        _all_free,
        Launched(kernels.free_poses, ("engine:qpos", "layout:root_qpos"), "root", wp.transformf),
        Launched(
            kernels.link_poses,
            ("engine:xpos", "engine:xquat", "layout:roots"),
            "root",
            wp.transformf,
        ),
    )
    """Pose of the root link in world [m, unit quaternion], shape (num_instances,) of transformf."""
    root_link_vel_w: Quantity[wp.array] = Choice(
        _all_free,
        Launched(
            kernels.free_velocities,
            ("engine:qpos", "engine:qvel", "layout:root_qpos", "layout:root_dofs"),
            "root",
            wp.spatial_vectorf,
        ),
        Launched(
            kernels.origin_velocities,
            (
                "engine:cvel",
                "engine:subtree_com",
                "engine:xpos",
                "layout:roots",
                "model:root_trees",
            ),
            "root",
            wp.spatial_vectorf,
        ),
    )
    """Velocity of the root link's origin in world [m/s, rad/s], shape (num_instances,) of
    spatial_vectorf."""
    root_link_state_w: Quantity[wp.array] = _state("root_link_pose_w", "root_link_vel_w")
    """Pose and velocity of the root link in world [m, unit quaternion, m/s, rad/s], shape
    (num_instances, 13)."""
    root_link_pos_w: Quantity[wp.array] = Components("root_link_pose_w", 0, wp.vec3f)
    """Position of the root link in world [m], shape (num_instances,) of vec3f."""
    root_link_quat_w: Quantity[wp.array] = Components("root_link_pose_w", 3, wp.quatf)
    """Orientation of the root link in world [unit quaternion xyzw], shape (num_instances,) of
    quatf."""
    root_link_lin_vel_w: Quantity[wp.array] = Components("root_link_vel_w", 0, wp.vec3f)
    """Linear velocity of the root link's origin in world [m/s], shape (num_instances,) of vec3f."""
    root_link_ang_vel_w: Quantity[wp.array] = Components("root_link_vel_w", 3, wp.vec3f)
    """Angular velocity of the root link in world [rad/s], shape (num_instances,) of vec3f."""
    root_link_vel_b: Quantity[wp.array] = _rotated("root_link_vel_w")
    """Velocity of the root link's origin in the link's axes [m/s, rad/s], shape (num_instances,)
    of spatial_vectorf."""
    root_link_lin_vel_b: Quantity[wp.array] = Components("root_link_vel_b", 0, wp.vec3f)
    """Linear velocity of the root link's origin in the link's axes [m/s], shape (num_instances,)
    of vec3f."""
    root_link_ang_vel_b: Quantity[wp.array] = Components("root_link_vel_b", 3, wp.vec3f)
    """Angular velocity of the root link in the link's axes [rad/s], shape (num_instances,) of
    vec3f."""

    # -- centre of mass ------------------------------------------------------------------------

    _root_com_pose_b: Quantity[wp.array] = Computed(
        lambda view: _COM_POSE.read(view.engine, view.layout), "root", wp.transformf
    )
    root_com_pose_w: Quantity[wp.array] = Launched(
        kernels.com_poses, ("root_link_pose_w", "_root_com_pose_b"), "root", wp.transformf
    )
    """Pose of the root's centre of mass and principal axes in world [m, unit quaternion], shape
    (num_instances,) of transformf."""
    root_com_vel_w: Quantity[wp.array] = Launched(
        kernels.com_velocities,
        ("root_link_pose_w", "root_link_vel_w", "_root_com_pose_b"),
        "root",
        wp.spatial_vectorf,
    )
    """Velocity of the root's centre of mass in world [m/s, rad/s], shape (num_instances,) of
    spatial_vectorf."""
    root_com_state_w: Quantity[wp.array] = _state("root_com_pose_w", "root_com_vel_w")
    """Pose and velocity of the root's centre of mass in world [m, unit quaternion, m/s, rad/s],
    shape (num_instances, 13)."""
    root_com_pos_w: Quantity[wp.array] = Components("root_com_pose_w", 0, wp.vec3f)
    """Position of the root's centre of mass in world [m], shape (num_instances,) of vec3f."""
    root_com_quat_w: Quantity[wp.array] = Components("root_com_pose_w", 3, wp.quatf)
    """Orientation of the root's principal axes in world [unit quaternion xyzw], shape
    (num_instances,) of quatf."""
    root_com_lin_vel_w: Quantity[wp.array] = Components("root_com_vel_w", 0, wp.vec3f)
    """Linear velocity of the root's centre of mass in world [m/s], shape (num_instances,) of
    vec3f."""
    root_com_ang_vel_w: Quantity[wp.array] = Components("root_com_vel_w", 3, wp.vec3f)
    """Angular velocity of the root in world [rad/s], shape (num_instances,) of vec3f."""
    root_com_vel_b: Quantity[wp.array] = _rotated("root_com_vel_w")
    """Velocity of the root's centre of mass in the link's axes [m/s, rad/s], shape
    (num_instances,) of spatial_vectorf."""
    root_com_lin_vel_b: Quantity[wp.array] = Components("root_com_vel_b", 0, wp.vec3f)
    """Linear velocity of the root's centre of mass in the link's axes [m/s], shape
    (num_instances,) of vec3f."""
    root_com_ang_vel_b: Quantity[wp.array] = Components("root_com_vel_b", 3, wp.vec3f)
    """Angular velocity of the root in the link's axes [rad/s], shape (num_instances,) of vec3f."""

    # -- gravity and heading -------------------------------------------------------------------

    _gravity_w: Quantity[wp.array] = Computed(gravity, "root", wp.vec3f)
    gravity_w: Quantity[wp.array] = Components("_gravity_w", 0, wp.vec3f)
    """Acceleration of gravity in world [m/s^2], shape (num_instances,) of vec3f."""
    _gravity_direction_w: Quantity[wp.array] = Computed(gravity_direction, "root", wp.vec3f)
    GRAVITY_VEC_W: Quantity[wp.array] = Components("_gravity_direction_w", 0, wp.vec3f)
    """Unit vectors along gravity in world, zero without gravity, shape (num_instances,) of
    vec3f."""
    FORWARD_VEC_B: Quantity[wp.array] = Computed(forward, "root", wp.vec3f)
    """The roots' x axes in their own frames, shape (num_instances,) of vec3f."""
    projected_gravity_b: Quantity[wp.array] = Launched(
        kernels.gravity_directions, ("_gravity_direction_w", "root_link_pose_w"), "root", wp.vec3f
    )
    """Direction of gravity in the root link's axes [unit vector, zero without gravity], shape
    (num_instances,) of vec3f."""
    heading_w: Quantity[wp.array] = Launched(
        kernels.headings, ("root_link_pose_w",), "root", wp.float32
    )
    """Angle of the root link's x axis about world z, from world x [rad], shape
    (num_instances,)."""

    # -- link and centre of mass ---------------------------------------------------------------

    root_state_w: Quantity[wp.array] = _state("root_link_pose_w", "root_com_vel_w")
    """Pose of the root link and velocity of its centre of mass in world
    [m, unit quaternion, m/s, rad/s], shape (num_instances, 13)."""
