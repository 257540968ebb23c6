"""Body data: poses, velocities and mass properties of the bodies of an asset."""

from __future__ import annotations

from functools import partial

import warp as wp

from usdsim.assets.aliases import BodyAliases
from usdsim.views import FIELDS, Quantity, kernels
from usdsim.views.quantity import Components, Computed, Launched

from .data import AssetData, Default
from .motion import states

__all__ = ["BodyData"]


def _velocity(origin: str) -> Launched:
    inputs = (
        "engine:cvel",
        "engine:subtree_com",
        f"engine:{origin}",
        "layout:bodies",
        "model:body_trees",
    )
    return Launched(kernels.origin_velocities, inputs, "body", wp.spatial_vectorf)


_state = partial(states, axis="body")


class BodyData(BodyAliases, AssetData):
    """Poses, velocities, accelerations and mass properties of bodies; see `RootData` for terms."""

    default_mass: Default = Default("masses")
    """Masses at the start [kg], shape (num_instances, num_bodies)."""
    default_inertia: Default = Default("inertias")
    """Inertias at the start about the centres of mass in the links' axes, row by row [kg m^2],
    shape (num_instances, num_bodies, 9)."""

    # -- link ----------------------------------------------------------------------------------

    body_link_pose_w: Quantity[wp.array] = Launched(
        kernels.link_poses,
        ("engine:xpos", "engine:xquat", "layout:bodies"),
        "body",
        wp.transformf,
    )
    """Poses of the links in world [m, unit quaternion], shape (num_instances, num_bodies) of
    transformf."""
    body_link_vel_w: Quantity[wp.array] = _velocity("xpos")
    """Velocities of the links' origins in world [m/s, rad/s], shape (num_instances, num_bodies) of
    spatial_vectorf."""
    body_link_state_w: Quantity[wp.array] = _state("body_link_pose_w", "body_link_vel_w")
    """Poses and velocities of the links in world [m, unit quaternion, m/s, rad/s], shape
    (num_instances, num_bodies, 13)."""
    body_link_pos_w: Quantity[wp.array] = Components("body_link_pose_w", 0, wp.vec3f)
    """Positions of the links in world [m], shape (num_instances, num_bodies) of vec3f."""
    body_link_quat_w: Quantity[wp.array] = Components("body_link_pose_w", 3, wp.quatf)
    """Orientations of the links in world [unit quaternion xyzw], shape
    (num_instances, num_bodies) of quatf."""
    body_link_lin_vel_w: Quantity[wp.array] = Components("body_link_vel_w", 0, wp.vec3f)
    """Linear velocities of the links' origins in world [m/s], shape (num_instances, num_bodies) of
    vec3f."""
    body_link_ang_vel_w: Quantity[wp.array] = Components("body_link_vel_w", 3, wp.vec3f)
    """Angular velocities of the links in world [rad/s], shape (num_instances, num_bodies) of
    vec3f."""

    # -- centre of mass ------------------------------------------------------------------------

    body_com_pose_b: Quantity[wp.array] = Computed(FIELDS["coms"].read, "body", wp.transformf)
    """Centres of mass and principal axes in the links' frames [m, unit quaternion], shape
    (num_instances, num_bodies) of transformf."""
    body_com_pos_b: Quantity[wp.array] = Components("body_com_pose_b", 0, wp.vec3f)
    """Centres of mass in the links' frames [m], shape (num_instances, num_bodies) of vec3f."""
    body_com_quat_b: Quantity[wp.array] = Components("body_com_pose_b", 3, wp.quatf)
    """Principal axes in the links' frames [unit quaternion xyzw], shape
    (num_instances, num_bodies) of quatf."""
    body_com_pose_w: Quantity[wp.array] = Launched(
        kernels.com_poses, ("body_link_pose_w", "body_com_pose_b"), "body", wp.transformf
    )
    """Poses of the centres of mass and principal axes in world [m, unit quaternion], shape
    (num_instances, num_bodies) of transformf."""
    body_com_vel_w: Quantity[wp.array] = _velocity("xipos")
    """Velocities of the centres of mass in world [m/s, rad/s], shape (num_instances, num_bodies)
    of spatial_vectorf."""
    body_com_state_w: Quantity[wp.array] = _state("body_com_pose_w", "body_com_vel_w")
    """Poses and velocities of the centres of mass in world [m, unit quaternion, m/s, rad/s], shape
    (num_instances, num_bodies, 13)."""
    body_com_acc_w: Quantity[wp.array] = Launched(
        kernels.accelerations,
        (
            "engine:cdof",
            "engine:cdof_dot",
            "engine:qvel",
            "engine:acceleration",
            "engine:cvel",
            "engine:subtree_com",
            "engine:xipos",
            "model:last_dofs",
            "model:dof_parentid",
            "layout:bodies",
            "model:body_trees",
        ),
        "body",
        wp.spatial_vectorf,
        version="forces",
    )
    """Accelerations of the centres of mass in world over the last step, or as forces imply after a
    write or reset [m/s^2, rad/s^2], shape (num_instances, num_bodies) of spatial_vectorf."""
    body_com_pos_w: Quantity[wp.array] = Components("body_com_pose_w", 0, wp.vec3f)
    """Positions of the centres of mass in world [m], shape (num_instances, num_bodies) of vec3f."""
    body_com_quat_w: Quantity[wp.array] = Components("body_com_pose_w", 3, wp.quatf)
    """Orientations of the principal axes in world [unit quaternion xyzw], shape
    (num_instances, num_bodies) of quatf."""
    body_com_lin_vel_w: Quantity[wp.array] = Components("body_com_vel_w", 0, wp.vec3f)
    """Linear velocities of the centres of mass in world [m/s], shape (num_instances, num_bodies)
    of vec3f."""
    body_com_ang_vel_w: Quantity[wp.array] = Components("body_com_vel_w", 3, wp.vec3f)
    """Angular velocities in world [rad/s], shape (num_instances, num_bodies) of vec3f."""
    body_com_lin_acc_w: Quantity[wp.array] = Components("body_com_acc_w", 0, wp.vec3f)
    """Linear accelerations of the centres of mass in world [m/s^2], shape
    (num_instances, num_bodies) of vec3f."""
    body_com_ang_acc_w: Quantity[wp.array] = Components("body_com_acc_w", 3, wp.vec3f)
    """Angular accelerations in world [rad/s^2], shape (num_instances, num_bodies) of vec3f."""

    # -- mass ----------------------------------------------------------------------------------

    body_mass: Quantity[wp.array] = Computed(FIELDS["masses"].read, "body", wp.float32)
    """Masses [kg], shape (num_instances, num_bodies)."""
    body_inertia: Quantity[wp.array] = Computed(FIELDS["inertias"].read, "body", wp.float32, 9)
    """Inertias about the centres of mass in the links' axes, row by row [kg m^2], shape
    (num_instances, num_bodies, 9)."""

    # -- link and centre of mass ---------------------------------------------------------------

    body_state_w: Quantity[wp.array] = _state("body_link_pose_w", "body_com_vel_w")
    """Poses of the links and velocities of their centres of mass in world
    [m, unit quaternion, m/s, rad/s], shape (num_instances, num_bodies, 13)."""
