"""Aliases: second names of quantities in the data of assets, from one table.

Written by ``python -m usdsim.views.stubs usdsim.assets.aliases``.
"""

from usdsim.assets.common.data import Default
from usdsim.views import Quantity
import warp as wp

__all__ = [
    "BodyAliases",
    "DeformableAliases",
    "JointAliases",
    "ObjectAliases",
    "RootAliases",
    "TendonAliases",
]

class BodyAliases:
    """Names of bodies' quantities without the frame: poses of links, velocities of masses."""

    body_pose_w: Quantity[wp.array]
    """The same as `body_link_pose_w`: poses of the links in world [m, unit quaternion], shape
    (num_instances, num_bodies) of transformf."""

    body_pos_w: Quantity[wp.array]
    """The same as `body_link_pos_w`: positions of the links in world [m], shape (num_instances,
    num_bodies) of vec3f."""

    body_quat_w: Quantity[wp.array]
    """The same as `body_link_quat_w`: orientations of the links in world [unit quaternion xyzw],
    shape (num_instances, num_bodies) of quatf."""

    body_vel_w: Quantity[wp.array]
    """The same as `body_com_vel_w`: velocities of the centres of mass in world [m/s, rad/s], shape
    (num_instances, num_bodies) of spatial_vectorf."""

    body_lin_vel_w: Quantity[wp.array]
    """The same as `body_com_lin_vel_w`: linear velocities of the centres of mass in world [m/s],
    shape (num_instances, num_bodies) of vec3f."""

    body_ang_vel_w: Quantity[wp.array]
    """The same as `body_com_ang_vel_w`: angular velocities in world [rad/s], shape (num_instances,
    num_bodies) of vec3f."""

    body_acc_w: Quantity[wp.array]
    """The same as `body_com_acc_w`: accelerations of the centres of mass in world over the last
    step, or as forces imply after a write or reset [m/s^2, rad/s^2], shape (num_instances,
    num_bodies) of spatial_vectorf."""

    body_lin_acc_w: Quantity[wp.array]
    """The same as `body_com_lin_acc_w`: linear accelerations of the centres of mass in world
    [m/s^2], shape (num_instances, num_bodies) of vec3f."""

    body_ang_acc_w: Quantity[wp.array]
    """The same as `body_com_ang_acc_w`: angular accelerations in world [rad/s^2], shape
    (num_instances, num_bodies) of vec3f."""

    com_pos_b: Quantity[wp.array]
    """The same as `body_com_pos_b`: centres of mass in the links' frames [m], shape (num_instances,
    num_bodies) of vec3f."""

    com_quat_b: Quantity[wp.array]
    """The same as `body_com_quat_b`: principal axes in the links' frames [unit quaternion xyzw],
    shape (num_instances, num_bodies) of quatf."""

class DeformableAliases:
    """Names of elements as those of the collision mesh, which is the simulation mesh."""

    collision_element_deform_gradient_w: Quantity[wp.array]
    """The same as `sim_element_deform_gradient_w`: deformation gradients of the elements [1], shape
    (num_instances, max_sim_elements_per_body) of mat33f: what takes vectors of the rest shape, in
    the prim's axes, to vectors in world. Gradients of triangles take their unit normal at rest to
    the present one, and those of segments turn the shortest way."""

    collision_element_quat_w: Quantity[wp.array]
    """The same as `sim_element_quat_w`: rotations of the elements in world [unit quaternion xyzw],
    shape (num_instances, max_sim_elements_per_body) of quatf: the polar factors of their
    deformation gradients."""

    collision_element_stress_w: Quantity[wp.array]
    """The same as `sim_element_stress_w`: cauchy stresses of the elements in world [Pa], shape
    (num_instances, max_sim_elements_per_body) of mat33f: those of the engine's St. Venant-Kirchhoff
    material, without damping, and of surfaces those in their plane, without bending. Those of
    curves are zero: constraints keep their length."""

class JointAliases:
    """Other names of limits and friction of joints."""

    joint_limits: Quantity[wp.array]
    """The same as `joint_pos_limits`: lower and upper limits of positions, infinite for none [m or
    rad], shape (num_instances, num_joints) of vec2f."""

    joint_velocity_limits: Quantity[wp.array]
    """The same as `joint_vel_limits`: largest speeds, infinite for none [m/s or rad/s], shape
    (num_instances, num_joints)."""

    joint_friction: Quantity[wp.array]
    """The same as `joint_friction_coeff`: static friction of the joints [N or N m], shape
    (num_instances, num_joints)."""

    default_joint_limits: Default
    """The same as `default_joint_pos_limits`: limits of positions at the start [m or rad], shape
    (num_instances, num_joints) of vec2f."""

    default_joint_friction: Default
    """The same as `default_joint_friction_coeff`: static friction at the start [N or N m], shape
    (num_instances, num_joints)."""

class ObjectAliases:
    """Names of a collection's quantities by its objects: ``object_`` for ``body_``."""

    body_lin_vel_b: Quantity[wp.array]
    """The same as `body_com_lin_vel_b`: linear velocities of the centres of mass in the links' axes
    [m/s], shape (num_instances, num_bodies) of vec3f."""

    body_ang_vel_b: Quantity[wp.array]
    """The same as `body_com_ang_vel_b`: angular velocities in the links' axes [rad/s], shape
    (num_instances, num_bodies) of vec3f."""

    object_link_pose_w: Quantity[wp.array]
    """The same as `body_link_pose_w`: poses of the links in world [m, unit quaternion], shape
    (num_instances, num_bodies) of transformf."""

    object_link_pos_w: Quantity[wp.array]
    """The same as `body_link_pos_w`: positions of the links in world [m], shape (num_instances,
    num_bodies) of vec3f."""

    object_link_quat_w: Quantity[wp.array]
    """The same as `body_link_quat_w`: orientations of the links in world [unit quaternion xyzw],
    shape (num_instances, num_bodies) of quatf."""

    object_link_vel_w: Quantity[wp.array]
    """The same as `body_link_vel_w`: velocities of the links' origins in world [m/s, rad/s], shape
    (num_instances, num_bodies) of spatial_vectorf."""

    object_link_lin_vel_w: Quantity[wp.array]
    """The same as `body_link_lin_vel_w`: linear velocities of the links' origins in world [m/s],
    shape (num_instances, num_bodies) of vec3f."""

    object_link_ang_vel_w: Quantity[wp.array]
    """The same as `body_link_ang_vel_w`: angular velocities of the links in world [rad/s], shape
    (num_instances, num_bodies) of vec3f."""

    object_link_state_w: Quantity[wp.array]
    """The same as `body_link_state_w`: poses and velocities of the links in world [m, unit
    quaternion, m/s, rad/s], shape (num_instances, num_bodies, 13)."""

    object_link_vel_b: Quantity[wp.array]
    """The same as `body_link_vel_b`: velocities of the links' origins in the links' axes [m/s,
    rad/s], shape (num_instances, num_bodies) of spatial_vectorf."""

    object_link_lin_vel_b: Quantity[wp.array]
    """The same as `body_link_lin_vel_b`: linear velocities of the links' origins in the links' axes
    [m/s], shape (num_instances, num_bodies) of vec3f."""

    object_link_ang_vel_b: Quantity[wp.array]
    """The same as `body_link_ang_vel_b`: angular velocities in the links' axes [rad/s], shape
    (num_instances, num_bodies) of vec3f."""

    object_com_pose_w: Quantity[wp.array]
    """The same as `body_com_pose_w`: poses of the centres of mass and principal axes in world [m,
    unit quaternion], shape (num_instances, num_bodies) of transformf."""

    object_com_pos_w: Quantity[wp.array]
    """The same as `body_com_pos_w`: positions of the centres of mass in world [m], shape
    (num_instances, num_bodies) of vec3f."""

    object_com_quat_w: Quantity[wp.array]
    """The same as `body_com_quat_w`: orientations of the principal axes in world [unit quaternion
    xyzw], shape (num_instances, num_bodies) of quatf."""

    object_com_vel_w: Quantity[wp.array]
    """The same as `body_com_vel_w`: velocities of the centres of mass in world [m/s, rad/s], shape
    (num_instances, num_bodies) of spatial_vectorf."""

    object_com_lin_vel_w: Quantity[wp.array]
    """The same as `body_com_lin_vel_w`: linear velocities of the centres of mass in world [m/s],
    shape (num_instances, num_bodies) of vec3f."""

    object_com_ang_vel_w: Quantity[wp.array]
    """The same as `body_com_ang_vel_w`: angular velocities in world [rad/s], shape (num_instances,
    num_bodies) of vec3f."""

    object_com_acc_w: Quantity[wp.array]
    """The same as `body_com_acc_w`: accelerations of the centres of mass in world over the last
    step, or as forces imply after a write or reset [m/s^2, rad/s^2], shape (num_instances,
    num_bodies) of spatial_vectorf."""

    object_com_lin_acc_w: Quantity[wp.array]
    """The same as `body_com_lin_acc_w`: linear accelerations of the centres of mass in world
    [m/s^2], shape (num_instances, num_bodies) of vec3f."""

    object_com_ang_acc_w: Quantity[wp.array]
    """The same as `body_com_ang_acc_w`: angular accelerations in world [rad/s^2], shape
    (num_instances, num_bodies) of vec3f."""

    object_com_state_w: Quantity[wp.array]
    """The same as `body_com_state_w`: poses and velocities of the centres of mass in world [m, unit
    quaternion, m/s, rad/s], shape (num_instances, num_bodies, 13)."""

    object_com_pose_b: Quantity[wp.array]
    """The same as `body_com_pose_b`: centres of mass and principal axes in the links' frames [m,
    unit quaternion], shape (num_instances, num_bodies) of transformf."""

    object_com_pos_b: Quantity[wp.array]
    """The same as `body_com_pos_b`: centres of mass in the links' frames [m], shape (num_instances,
    num_bodies) of vec3f."""

    object_com_quat_b: Quantity[wp.array]
    """The same as `body_com_quat_b`: principal axes in the links' frames [unit quaternion xyzw],
    shape (num_instances, num_bodies) of quatf."""

    object_com_vel_b: Quantity[wp.array]
    """The same as `body_com_vel_b`: velocities of the centres of mass in the links' axes [m/s,
    rad/s], shape (num_instances, num_bodies) of spatial_vectorf."""

    object_com_lin_vel_b: Quantity[wp.array]
    """The same as `body_com_lin_vel_b`: linear velocities of the centres of mass in the links' axes
    [m/s], shape (num_instances, num_bodies) of vec3f."""

    object_com_ang_vel_b: Quantity[wp.array]
    """The same as `body_com_ang_vel_b`: angular velocities in the links' axes [rad/s], shape
    (num_instances, num_bodies) of vec3f."""

    object_pose_w: Quantity[wp.array]
    """The same as `body_pose_w`: poses of the links in world [m, unit quaternion], shape
    (num_instances, num_bodies) of transformf."""

    object_pos_w: Quantity[wp.array]
    """The same as `body_pos_w`: positions of the links in world [m], shape (num_instances,
    num_bodies) of vec3f."""

    object_quat_w: Quantity[wp.array]
    """The same as `body_quat_w`: orientations of the links in world [unit quaternion xyzw], shape
    (num_instances, num_bodies) of quatf."""

    object_vel_w: Quantity[wp.array]
    """The same as `body_vel_w`: velocities of the centres of mass in world [m/s, rad/s], shape
    (num_instances, num_bodies) of spatial_vectorf."""

    object_lin_vel_w: Quantity[wp.array]
    """The same as `body_lin_vel_w`: linear velocities of the centres of mass in world [m/s], shape
    (num_instances, num_bodies) of vec3f."""

    object_ang_vel_w: Quantity[wp.array]
    """The same as `body_ang_vel_w`: angular velocities in world [rad/s], shape (num_instances,
    num_bodies) of vec3f."""

    object_acc_w: Quantity[wp.array]
    """The same as `body_acc_w`: accelerations of the centres of mass in world over the last step,
    or as forces imply after a write or reset [m/s^2, rad/s^2], shape (num_instances, num_bodies) of
    spatial_vectorf."""

    object_lin_acc_w: Quantity[wp.array]
    """The same as `body_lin_acc_w`: linear accelerations of the centres of mass in world [m/s^2],
    shape (num_instances, num_bodies) of vec3f."""

    object_ang_acc_w: Quantity[wp.array]
    """The same as `body_ang_acc_w`: angular accelerations in world [rad/s^2], shape (num_instances,
    num_bodies) of vec3f."""

    object_state_w: Quantity[wp.array]
    """The same as `body_state_w`: poses of the links and velocities of their centres of mass in
    world [m, unit quaternion, m/s, rad/s], shape (num_instances, num_bodies, 13)."""

    object_lin_vel_b: Quantity[wp.array]
    """The same as `body_lin_vel_b`: linear velocities of the centres of mass in the links' axes
    [m/s], shape (num_instances, num_bodies) of vec3f."""

    object_ang_vel_b: Quantity[wp.array]
    """The same as `body_ang_vel_b`: angular velocities in the links' axes [rad/s], shape
    (num_instances, num_bodies) of vec3f."""

    object_mass: Quantity[wp.array]
    """The same as `body_mass`: masses [kg], shape (num_instances, num_bodies)."""

    object_inertia: Quantity[wp.array]
    """The same as `body_inertia`: inertias about the centres of mass in the links' axes, row by row
    [kg m^2], shape (num_instances, num_bodies, 9)."""

    default_object_state: Default
    """The same as `default_body_state`: states to reset to, as configured: poses and velocities in
    the environment's frame [m, unit quaternion, m/s, rad/s], shape (num_instances, num_bodies,
    13)."""

    default_object_pose: Default
    """The same as `default_body_pose`: poses to reset to in the environment's frame [m, unit
    quaternion], shape (num_instances, num_bodies) of transformf; a part of `default_body_state`."""

    default_object_vel: Default
    """The same as `default_body_vel`: velocities to reset to in the environment's frame [m/s,
    rad/s], shape (num_instances, num_bodies) of spatial_vectorf; a part of `default_body_state`."""

class RootAliases:
    """Names of roots' quantities without the frame: poses of links, velocities of masses."""

    root_pose_w: Quantity[wp.array]
    """The same as `root_link_pose_w`: pose of the root link in world [m, unit quaternion], shape
    (num_instances,) of transformf."""

    root_pos_w: Quantity[wp.array]
    """The same as `root_link_pos_w`: position of the root link in world [m], shape (num_instances,)
    of vec3f."""

    root_quat_w: Quantity[wp.array]
    """The same as `root_link_quat_w`: orientation of the root link in world [unit quaternion xyzw],
    shape (num_instances,) of quatf."""

    root_vel_w: Quantity[wp.array]
    """The same as `root_com_vel_w`: velocity of the root's centre of mass in world [m/s, rad/s],
    shape (num_instances,) of spatial_vectorf."""

    root_lin_vel_w: Quantity[wp.array]
    """The same as `root_com_lin_vel_w`: linear velocity of the root's centre of mass in world
    [m/s], shape (num_instances,) of vec3f."""

    root_ang_vel_w: Quantity[wp.array]
    """The same as `root_com_ang_vel_w`: angular velocity of the root in world [rad/s], shape
    (num_instances,) of vec3f."""

    root_lin_vel_b: Quantity[wp.array]
    """The same as `root_com_lin_vel_b`: linear velocity of the root's centre of mass in the link's
    axes [m/s], shape (num_instances,) of vec3f."""

    root_ang_vel_b: Quantity[wp.array]
    """The same as `root_com_ang_vel_b`: angular velocity of the root in the link's axes [rad/s],
    shape (num_instances,) of vec3f."""

class TendonAliases:
    """Other names of limits of tendons."""

    fixed_tendon_limit: Default
    """The same as `fixed_tendon_pos_limits`: lower and upper limits of the lengths of fixed
    tendons, infinite for none [m], shape (num_instances, num_fixed_tendons) of vec2f."""

    default_fixed_tendon_limit: Default
    """The same as `default_fixed_tendon_pos_limits`: `fixed_tendon_pos_limits` at the start [m],
    shape (num_instances, num_fixed_tendons) of vec2f."""
