"""Quantities of the objects of a collection, under the names that begin with ``object_``."""

from __future__ import annotations

import warp as wp

from usdsim.views import Quantity
from usdsim.views.quantity import Part

from .body_data import ObjectBodyData

__all__ = ["ObjectData"]


class ObjectData(ObjectBodyData):
    """The quantities of `ObjectBodyData` by the names of objects: ``object_`` for ``body_``."""

    object_link_pose_w: Quantity[wp.array] = Part("body_link_pose_w", 0, wp.transformf)
    """`body_link_pose_w`, in world [m, unit quaternion], shape (num_instances, num_objects) of
    transformf."""

    object_link_vel_w: Quantity[wp.array] = Part("body_link_vel_w", 0, wp.spatial_vectorf)
    """`body_link_vel_w`, in world [m/s, rad/s], shape (num_instances, num_objects) of
    spatial_vectorf."""

    object_link_state_w: Quantity[wp.array] = Part("body_link_state_w", 0, wp.float32)
    """`body_link_state_w`, in world [m, unit quaternion, m/s, rad/s], shape (num_instances,
    num_objects, 13)."""

    object_link_pos_w: Quantity[wp.array] = Part("body_link_pos_w", 0, wp.vec3f)
    """`body_link_pos_w`, in world [m], shape (num_instances, num_objects) of vec3f."""

    object_link_quat_w: Quantity[wp.array] = Part("body_link_quat_w", 0, wp.quatf)
    """`body_link_quat_w`, in world [unit quaternion xyzw], shape (num_instances, num_objects) of
    quatf."""

    object_link_lin_vel_w: Quantity[wp.array] = Part("body_link_lin_vel_w", 0, wp.vec3f)
    """`body_link_lin_vel_w`, in world [m/s], shape (num_instances, num_objects) of vec3f."""

    object_link_ang_vel_w: Quantity[wp.array] = Part("body_link_ang_vel_w", 0, wp.vec3f)
    """`body_link_ang_vel_w`, in world [rad/s], shape (num_instances, num_objects) of vec3f."""

    object_link_vel_b: Quantity[wp.array] = Part("body_link_vel_b", 0, wp.spatial_vectorf)
    """`body_link_vel_b`, in the links' axes [m/s, rad/s], shape (num_instances, num_objects) of
    spatial_vectorf."""

    object_link_lin_vel_b: Quantity[wp.array] = Part("body_link_lin_vel_b", 0, wp.vec3f)
    """`body_link_lin_vel_b`, in the links' axes [m/s], shape (num_instances, num_objects) of
    vec3f."""

    object_link_ang_vel_b: Quantity[wp.array] = Part("body_link_ang_vel_b", 0, wp.vec3f)
    """`body_link_ang_vel_b`, in the links' axes [rad/s], shape (num_instances, num_objects) of
    vec3f."""

    object_com_pose_w: Quantity[wp.array] = Part("body_com_pose_w", 0, wp.transformf)
    """`body_com_pose_w`, in world [m, unit quaternion], shape (num_instances, num_objects) of
    transformf."""

    object_com_vel_w: Quantity[wp.array] = Part("body_com_vel_w", 0, wp.spatial_vectorf)
    """`body_com_vel_w`, in world [m/s, rad/s], shape (num_instances, num_objects) of
    spatial_vectorf."""

    object_com_state_w: Quantity[wp.array] = Part("body_com_state_w", 0, wp.float32)
    """`body_com_state_w`, in world [m, unit quaternion, m/s, rad/s], shape (num_instances,
    num_objects, 13)."""

    object_com_pos_w: Quantity[wp.array] = Part("body_com_pos_w", 0, wp.vec3f)
    """`body_com_pos_w`, in world [m], shape (num_instances, num_objects) of vec3f."""

    object_com_quat_w: Quantity[wp.array] = Part("body_com_quat_w", 0, wp.quatf)
    """`body_com_quat_w`, in world [unit quaternion xyzw], shape (num_instances, num_objects) of
    quatf."""

    object_com_lin_vel_w: Quantity[wp.array] = Part("body_com_lin_vel_w", 0, wp.vec3f)
    """`body_com_lin_vel_w`, in world [m/s], shape (num_instances, num_objects) of vec3f."""

    object_com_ang_vel_w: Quantity[wp.array] = Part("body_com_ang_vel_w", 0, wp.vec3f)
    """`body_com_ang_vel_w`, in world [rad/s], shape (num_instances, num_objects) of vec3f."""

    object_com_vel_b: Quantity[wp.array] = Part("body_com_vel_b", 0, wp.spatial_vectorf)
    """`body_com_vel_b`, in the links' axes [m/s, rad/s], shape (num_instances, num_objects) of
    spatial_vectorf."""

    object_com_lin_vel_b: Quantity[wp.array] = Part("body_com_lin_vel_b", 0, wp.vec3f)
    """`body_com_lin_vel_b`, in the links' axes [m/s], shape (num_instances, num_objects) of
    vec3f."""

    object_com_ang_vel_b: Quantity[wp.array] = Part("body_com_ang_vel_b", 0, wp.vec3f)
    """`body_com_ang_vel_b`, in the links' axes [rad/s], shape (num_instances, num_objects) of
    vec3f."""

    object_com_acc_w: Quantity[wp.array] = Part("body_com_acc_w", 0, wp.spatial_vectorf)
    """`body_com_acc_w`, in world [m/s^2, rad/s^2], shape (num_instances, num_objects) of
    spatial_vectorf."""

    object_com_lin_acc_w: Quantity[wp.array] = Part("body_com_lin_acc_w", 0, wp.vec3f)
    """`body_com_lin_acc_w`, in world [m/s^2], shape (num_instances, num_objects) of vec3f."""

    object_com_ang_acc_w: Quantity[wp.array] = Part("body_com_ang_acc_w", 0, wp.vec3f)
    """`body_com_ang_acc_w`, in world [rad/s^2], shape (num_instances, num_objects) of vec3f."""

    object_pose_w: Quantity[wp.array] = Part("body_pose_w", 0, wp.transformf)
    """`body_pose_w`, in world [m, unit quaternion], shape (num_instances, num_objects) of
    transformf."""

    object_pos_w: Quantity[wp.array] = Part("body_pos_w", 0, wp.vec3f)
    """`body_pos_w`, in world [m], shape (num_instances, num_objects) of vec3f."""

    object_quat_w: Quantity[wp.array] = Part("body_quat_w", 0, wp.quatf)
    """`body_quat_w`, in world [unit quaternion xyzw], shape (num_instances, num_objects) of
    quatf."""

    object_vel_w: Quantity[wp.array] = Part("body_vel_w", 0, wp.spatial_vectorf)
    """`body_vel_w`, in world [m/s, rad/s], shape (num_instances, num_objects) of
    spatial_vectorf."""

    object_lin_vel_w: Quantity[wp.array] = Part("body_lin_vel_w", 0, wp.vec3f)
    """`body_lin_vel_w`, in world [m/s], shape (num_instances, num_objects) of vec3f."""

    object_ang_vel_w: Quantity[wp.array] = Part("body_ang_vel_w", 0, wp.vec3f)
    """`body_ang_vel_w`, in world [rad/s], shape (num_instances, num_objects) of vec3f."""

    object_lin_vel_b: Quantity[wp.array] = Part("body_lin_vel_b", 0, wp.vec3f)
    """`body_lin_vel_b`, in the links' axes [m/s], shape (num_instances, num_objects) of vec3f."""

    object_ang_vel_b: Quantity[wp.array] = Part("body_ang_vel_b", 0, wp.vec3f)
    """`body_ang_vel_b`, in the links' axes [rad/s], shape (num_instances, num_objects) of vec3f."""

    object_state_w: Quantity[wp.array] = Part("body_state_w", 0, wp.float32)
    """`body_state_w`, in world [m, unit quaternion, m/s, rad/s], shape (num_instances, num_objects,
    13)."""

    object_acc_w: Quantity[wp.array] = Part("body_acc_w", 0, wp.spatial_vectorf)
    """`body_acc_w`, in world [m/s^2, rad/s^2], shape (num_instances, num_objects) of
    spatial_vectorf."""

    object_lin_acc_w: Quantity[wp.array] = Part("body_lin_acc_w", 0, wp.vec3f)
    """`body_lin_acc_w`, in world [m/s^2], shape (num_instances, num_objects) of vec3f."""

    object_ang_acc_w: Quantity[wp.array] = Part("body_ang_acc_w", 0, wp.vec3f)
    """`body_ang_acc_w`, in world [rad/s^2], shape (num_instances, num_objects) of vec3f."""

    object_com_pose_b: Quantity[wp.array] = Part("body_com_pose_b", 0, wp.transformf)
    """`body_com_pose_b`, in the links' frames [m, unit quaternion], shape (num_instances,
    num_objects) of transformf."""

    object_com_pos_b: Quantity[wp.array] = Part("body_com_pos_b", 0, wp.vec3f)
    """`body_com_pos_b`, in the links' frames [m], shape (num_instances, num_objects) of vec3f."""

    object_com_quat_b: Quantity[wp.array] = Part("body_com_quat_b", 0, wp.quatf)
    """`body_com_quat_b`, in the links' frames [unit quaternion xyzw], shape (num_instances,
    num_objects) of quatf."""

    object_mass: Quantity[wp.array] = Part("body_mass", 0, wp.float32)
    """`body_mass` [kg], shape (num_instances, num_objects)."""

    object_inertia: Quantity[wp.array] = Part("body_inertia", 0, wp.float32)
    """`body_inertia` [kg m^2], shape (num_instances, num_objects, 9)."""
