"""Reward terms: life, motion of roots and joints, actions, contacts, following of commands."""

from __future__ import annotations

from .contacts import (
    contact_forces,
    desired_contacts,
    feet_air_time,
    feet_slide,
    undesired_contacts,
)
from .episodes import action_l2, action_rate_l2, is_alive, is_terminated, is_terminated_term
from .joints import (
    applied_torque_limits,
    joint_acc_l2,
    joint_deviation_l1,
    joint_pos_limits,
    joint_pos_target_l2,
    joint_torques_l2,
    joint_vel_l1,
    joint_vel_l2,
    joint_vel_limits,
)
from .places import (
    object_ee_distance,
    object_goal_distance,
    object_is_held,
    object_is_lifted,
    orientation_command_error,
    position_command_error,
    position_command_error_tanh,
    root_position_error_tanh,
    root_reached_position,
)
from .roots import (
    ang_vel_xy_l2,
    base_height_l2,
    body_lin_acc_l2,
    flat_orientation_l2,
    lin_vel_z_l2,
    root_ang_vel_l2,
    root_lin_vel_l2,
)
from .velocities import (
    track_ang_vel_z_exp,
    track_ang_vel_z_world_exp,
    track_lin_vel_xy_exp,
    track_lin_vel_xy_yaw_frame_exp,
)

__all__ = [
    "action_l2",
    "action_rate_l2",
    "ang_vel_xy_l2",
    "applied_torque_limits",
    "base_height_l2",
    "body_lin_acc_l2",
    "contact_forces",
    "desired_contacts",
    "feet_air_time",
    "feet_slide",
    "flat_orientation_l2",
    "is_alive",
    "is_terminated",
    "is_terminated_term",
    "joint_acc_l2",
    "joint_deviation_l1",
    "joint_pos_limits",
    "joint_pos_target_l2",
    "joint_torques_l2",
    "joint_vel_l1",
    "joint_vel_l2",
    "joint_vel_limits",
    "lin_vel_z_l2",
    "object_ee_distance",
    "object_goal_distance",
    "object_is_held",
    "object_is_lifted",
    "orientation_command_error",
    "position_command_error",
    "position_command_error_tanh",
    "root_ang_vel_l2",
    "root_lin_vel_l2",
    "root_position_error_tanh",
    "root_reached_position",
    "track_ang_vel_z_exp",
    "track_ang_vel_z_world_exp",
    "track_lin_vel_xy_exp",
    "track_lin_vel_xy_yaw_frame_exp",
    "undesired_contacts",
]
