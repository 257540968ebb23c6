"""Reward terms: life, motion of roots and joints, actions, contacts, following of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from usdsim.envs.managers.base import ManagerTermBase
from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.tensors import tensor
from usdsim.math.tensors import (
    combine_frame_transforms,
    quat_apply_inverse,
    quat_error_magnitude,
    quat_mul,
    yaw_quat,
)

from .entities import OBJECT, ROBOT, data_of

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedRLEnv

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
    "object_is_lifted",
    "orientation_command_error",
    "position_command_error",
    "position_command_error_tanh",
    "root_ang_vel_l2",
    "root_lin_vel_l2",
    "root_position_error_tanh",
    "track_ang_vel_z_exp",
    "track_ang_vel_z_world_exp",
    "track_lin_vel_xy_exp",
    "track_lin_vel_xy_yaw_frame_exp",
    "undesired_contacts",
]


def is_alive(env: ManagerBasedRLEnv) -> torch.Tensor:
    """1 where the episode did not end for a reason that belongs to the task, shape (num_envs,)."""
    return (~env.termination_manager.terminated).float()


def is_terminated(env: ManagerBasedRLEnv) -> torch.Tensor:
    """1 where the episode ended for a reason that belongs to the task, shape (num_envs,)."""
    return env.termination_manager.terminated.float()


class is_terminated_term(ManagerTermBase):
    """Number of some terms that ended the episode, not cut it off, shape (num_envs,).

    Its parameter ``term_keys`` has expressions for their names.
    """

    def __call__(self, env: ManagerBasedRLEnv, term_keys: str | list[str] = ".*") -> torch.Tensor:
        """The number of terms."""
        manager = env.termination_manager
        count = torch.zeros(env.num_envs, device=env.device)
        for name in manager.find_terms(term_keys):
            count += manager.get_term(name)
        return count * ~manager.time_outs


def lin_vel_z_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Squared velocity of the root along its z axis [m^2/s^2], shape (num_envs,)."""
    return tensor(data_of(env, asset_cfg).root_lin_vel_b)[:, 2].square()


def ang_vel_xy_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Squared angular velocity of the root about its x and y axes [rad^2/s^2], (num_envs,)."""
    return tensor(data_of(env, asset_cfg).root_ang_vel_b)[:, :2].square().sum(1)


def root_lin_vel_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Squared speed of the root [m^2/s^2], shape (num_envs,)."""
    return tensor(data_of(env, asset_cfg).root_lin_vel_w).square().sum(1)


def root_ang_vel_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Squared angular speed of the root [rad^2/s^2], shape (num_envs,)."""
    return tensor(data_of(env, asset_cfg).root_ang_vel_w).square().sum(1)


def flat_orientation_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Squared sine of the root's tilt, shape (num_envs,)."""
    return tensor(data_of(env, asset_cfg).projected_gravity_b)[:, :2].square().sum(1)


def base_height_l2(
    env: ManagerBasedRLEnv,
    target_height: float,
    asset_cfg: SceneEntityCfg = ROBOT,
    sensor_cfg: SceneEntityCfg | None = None,
) -> torch.Tensor:
    """Squared error of the root's height [m^2], shape (num_envs,).

    Args:
        env: the environment.
        target_height: wanted height [m].
        asset_cfg: the asset.
        sensor_cfg: ray caster above whose hits heights count; None: above z = 0.
    """
    target: Any = target_height
    if sensor_cfg is not None:
        target = target + tensor(data_of(env, sensor_cfg).ray_hits_w)[..., 2].mean(1)
    return (tensor(data_of(env, asset_cfg).root_pos_w)[:, 2] - target).square()


def body_lin_acc_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Sum of the accelerations of bodies [m/s^2], shape (num_envs,)."""
    acceleration = tensor(data_of(env, asset_cfg).body_lin_acc_w)[:, asset_cfg.body_ids]
    return acceleration.norm(dim=-1).sum(1)


def joint_torques_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Sum of the squared efforts of joints, shape (num_envs,)."""
    return tensor(data_of(env, asset_cfg).applied_torque)[:, asset_cfg.joint_ids].square().sum(1)


def joint_vel_l1(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Sum of the speeds of joints, shape (num_envs,)."""
    return tensor(data_of(env, asset_cfg).joint_vel)[:, asset_cfg.joint_ids].abs().sum(1)


def joint_vel_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Sum of the squared velocities of joints, shape (num_envs,)."""
    return tensor(data_of(env, asset_cfg).joint_vel)[:, asset_cfg.joint_ids].square().sum(1)


def joint_acc_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Sum of the squared accelerations of joints, shape (num_envs,)."""
    return tensor(data_of(env, asset_cfg).joint_acc)[:, asset_cfg.joint_ids].square().sum(1)


def joint_deviation_l1(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Sum of the distances of joints from their default positions, shape (num_envs,)."""
    data, ids = data_of(env, asset_cfg), asset_cfg.joint_ids
    away = tensor(data.joint_pos)[:, ids] - tensor(data.default_joint_pos)[:, ids]
    return away.abs().sum(1)


def joint_pos_target_l2(
    env: ManagerBasedRLEnv, target: float, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Sum of the squared distances of joints from a position, angles wrapped to (-pi, pi]."""
    position = tensor(data_of(env, asset_cfg).joint_pos)[:, asset_cfg.joint_ids]
    away = position - target
    return torch.atan2(away.sin(), away.cos()).square().sum(1)


def joint_pos_limits(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Sum of how far joints are beyond their soft limits, shape (num_envs,)."""
    data, ids = data_of(env, asset_cfg), asset_cfg.joint_ids
    position, limits = tensor(data.joint_pos)[:, ids], tensor(data.soft_joint_pos_limits)[:, ids]
    below, above = limits[..., 0] - position, position - limits[..., 1]
    return (below.clip(min=0.0) + above.clip(min=0.0)).sum(1)


def joint_vel_limits(
    env: ManagerBasedRLEnv, soft_ratio: float, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Sum of how far speeds of joints exceed a part of their limits, at most 1 each, (num_envs,).

    Args:
        env: the environment.
        soft_ratio: the part.
        asset_cfg: the asset and its joints.
    """
    data, ids = data_of(env, asset_cfg), asset_cfg.joint_ids
    speed, limit = tensor(data.joint_vel)[:, ids].abs(), tensor(data.soft_joint_vel_limits)[:, ids]
    return (speed - limit * soft_ratio).clip(0.0, 1.0).sum(1)


def applied_torque_limits(
    env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Sum of what limits cut off the efforts that actuators computed, shape (num_envs,)."""
    data, ids = data_of(env, asset_cfg), asset_cfg.joint_ids
    cut = tensor(data.applied_torque)[:, ids] - tensor(data.computed_torque)[:, ids]
    return cut.abs().sum(1)


def action_rate_l2(env: ManagerBasedRLEnv) -> torch.Tensor:
    """Sum of the squared changes of actions, shape (num_envs,)."""
    return (env.action_manager.action - env.action_manager.prev_action).square().sum(1)


def action_l2(env: ManagerBasedRLEnv) -> torch.Tensor:
    """Sum of the squared actions, shape (num_envs,)."""
    return env.action_manager.action.square().sum(1)


def _strongest(env: Any, sensor_cfg: SceneEntityCfg) -> torch.Tensor:
    """Strongest contact force of bodies in a contact sensor's history [N], (num_envs, bodies)."""
    forces = tensor(data_of(env, sensor_cfg).net_forces_w_history)[:, :, sensor_cfg.body_ids]
    return forces.norm(dim=-1).amax(1)


def undesired_contacts(
    env: ManagerBasedRLEnv, threshold: float, sensor_cfg: SceneEntityCfg
) -> torch.Tensor:
    """Number of bodies with contact forces above a threshold [N], shape (num_envs,)."""
    return (_strongest(env, sensor_cfg) > threshold).sum(1).float()


def desired_contacts(
    env: ManagerBasedRLEnv, sensor_cfg: SceneEntityCfg, threshold: float = 1.0
) -> torch.Tensor:
    """1 where no body has a contact force above a threshold [N], shape (num_envs,)."""
    return (~(_strongest(env, sensor_cfg) > threshold).any(1)).float()


def contact_forces(
    env: ManagerBasedRLEnv, threshold: float, sensor_cfg: SceneEntityCfg
) -> torch.Tensor:
    """Sum of what contact forces of bodies exceed a threshold by [N], shape (num_envs,)."""
    return (_strongest(env, sensor_cfg) - threshold).clip(min=0.0).sum(1)


def feet_air_time(
    env: ManagerBasedRLEnv, command_name: str, sensor_cfg: SceneEntityCfg, threshold: float
) -> torch.Tensor:
    """Time feet that touch down were in the air, less a threshold [s], where walking is commanded.

    Args:
        env: the environment.
        command_name: the command, whose first two numbers are velocities.
        sensor_cfg: contact sensor with air times, and its feet.
        threshold: air time that earns nothing [s].
    """
    sensor, ids = env.scene[sensor_cfg.name], sensor_cfg.body_ids
    landed = tensor(sensor.compute_first_contact(env.step_dt))[:, ids]
    aloft = tensor(sensor.data.last_air_time)[:, ids]
    walking = env.command_manager.get_command(command_name)[:, :2].norm(dim=1) > 0.1
    return ((aloft - threshold) * landed).sum(1) * walking


def feet_slide(
    env: ManagerBasedRLEnv, sensor_cfg: SceneEntityCfg, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Sum of the horizontal speeds of bodies in contact [m/s], shape (num_envs,).

    Args:
        env: the environment.
        sensor_cfg: contact sensor, and its feet.
        asset_cfg: the asset, and the same feet in the same order.
    """
    touching = _strongest(env, sensor_cfg) > 1.0
    speed = tensor(data_of(env, asset_cfg).body_lin_vel_w)[:, asset_cfg.body_ids, :2].norm(dim=-1)
    return (speed * touching).sum(1)


def _tracked(error: torch.Tensor, std: float) -> torch.Tensor:
    return torch.exp(-error / std**2)


def track_lin_vel_xy_exp(
    env: ManagerBasedRLEnv, std: float, command_name: str, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """exp(-(e / std)^2) of the error of the root's horizontal velocity, in its frame, (num_envs,).

    Args:
        env: the environment.
        std: error at which 1/e is left [m/s].
        command_name: the command, whose first two numbers are the velocity.
        asset_cfg: the asset.
    """
    command = env.command_manager.get_command(command_name)[:, :2]
    error = command - tensor(data_of(env, asset_cfg).root_lin_vel_b)[:, :2]
    return _tracked(error.square().sum(1), std)


def track_ang_vel_z_exp(
    env: ManagerBasedRLEnv, std: float, command_name: str, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """exp(-(e / std)^2) of the error of the root's turning rate about its z axis, (num_envs,)."""
    command = env.command_manager.get_command(command_name)[:, 2]
    error = command - tensor(data_of(env, asset_cfg).root_ang_vel_b)[:, 2]
    return _tracked(error.square(), std)


def track_lin_vel_xy_yaw_frame_exp(
    env: ManagerBasedRLEnv, std: float, command_name: str, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Like `track_lin_vel_xy_exp`, in the frame that is turned by the root's heading only."""
    data = data_of(env, asset_cfg)
    heading = yaw_quat(tensor(data.root_quat_w))
    velocity = quat_apply_inverse(heading, tensor(data.root_lin_vel_w))[:, :2]
    error = env.command_manager.get_command(command_name)[:, :2] - velocity
    return _tracked(error.square().sum(1), std)


def track_ang_vel_z_world_exp(
    env: ManagerBasedRLEnv, std: float, command_name: str, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Like `track_ang_vel_z_exp`, about the z axis of the world."""
    command = env.command_manager.get_command(command_name)[:, 2]
    error = command - tensor(data_of(env, asset_cfg).root_ang_vel_w)[:, 2]
    return _tracked(error.square(), std)


def _commanded_position(env: Any, command_name: str, asset_cfg: SceneEntityCfg) -> torch.Tensor:
    """Position of a pose command in world [m], shape (num_envs, 3)."""
    data, command = data_of(env, asset_cfg), env.command_manager.get_command(command_name)
    root = tensor(data.root_pos_w), tensor(data.root_quat_w)
    return combine_frame_transforms(*root, command[:, :3])[0]


def position_command_error(
    env: ManagerBasedRLEnv, command_name: str, asset_cfg: SceneEntityCfg
) -> torch.Tensor:
    """Distance of a body from where a command wants it [m], shape (num_envs,).

    Args:
        env: the environment.
        command_name: the command, a pose in the root's frame.
        asset_cfg: the asset, and the body.
    """
    body = tensor(data_of(env, asset_cfg).body_pos_w)[:, asset_cfg.body_ids].flatten(1)
    return (body - _commanded_position(env, command_name, asset_cfg)).norm(dim=1)


def position_command_error_tanh(
    env: ManagerBasedRLEnv, std: float, command_name: str, asset_cfg: SceneEntityCfg
) -> torch.Tensor:
    """1 - tanh(e / std) of `position_command_error`, shape (num_envs,)."""
    return 1.0 - torch.tanh(position_command_error(env, command_name, asset_cfg) / std)


def orientation_command_error(
    env: ManagerBasedRLEnv, command_name: str, asset_cfg: SceneEntityCfg
) -> torch.Tensor:
    """Angle of a body from where a command wants it [rad], shape (num_envs,)."""
    data, command = data_of(env, asset_cfg), env.command_manager.get_command(command_name)
    wanted = quat_mul(tensor(data.root_quat_w), command[:, 3:7])
    body = tensor(data.body_quat_w)[:, asset_cfg.body_ids].flatten(1)
    return quat_error_magnitude(body, wanted)


def object_is_lifted(
    env: ManagerBasedRLEnv,
    minimal_height: float,
    object_cfg: SceneEntityCfg = OBJECT,
) -> torch.Tensor:
    """1 where an object is above a height [m], shape (num_envs,)."""
    return (tensor(data_of(env, object_cfg).root_pos_w)[:, 2] > minimal_height).float()


def object_ee_distance(
    env: ManagerBasedRLEnv,
    std: float,
    asset_cfg: SceneEntityCfg,
    object_cfg: SceneEntityCfg = OBJECT,
) -> torch.Tensor:
    """1 - tanh(d / std) of the distance of an object from the mean of bodies, shape (num_envs,).

    Args:
        env: the environment.
        std: distance at which 0.24 is left [m].
        asset_cfg: the asset, and the bodies, such as the fingers.
        object_cfg: the object.
    """
    hand = tensor(data_of(env, asset_cfg).body_pos_w)[:, asset_cfg.body_ids].mean(1)
    away = (tensor(data_of(env, object_cfg).root_pos_w) - hand).norm(dim=1)
    return 1.0 - torch.tanh(away / std)


def object_goal_distance(
    env: ManagerBasedRLEnv,
    std: float,
    minimal_height: float,
    command_name: str,
    robot_cfg: SceneEntityCfg = ROBOT,
    object_cfg: SceneEntityCfg = OBJECT,
) -> torch.Tensor:
    """1 - tanh(d / std) of the distance of an object from a commanded place, once it is lifted."""
    place = tensor(data_of(env, object_cfg).root_pos_w)
    away = (place - _commanded_position(env, command_name, robot_cfg)).norm(dim=1)
    return (place[:, 2] > minimal_height) * (1.0 - torch.tanh(away / std))


def root_position_error_tanh(
    env: ManagerBasedRLEnv, std: float, command_name: str, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """1 - tanh(e / std) of the root's distance from a position command in world, (num_envs,)."""
    command = env.command_manager.get_command(command_name)[:, :3]
    error = (command - tensor(data_of(env, asset_cfg).root_pos_w)).norm(dim=1)
    return 1.0 - torch.tanh(error / std)
