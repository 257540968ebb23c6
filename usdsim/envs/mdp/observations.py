"""Observation terms: roots, bodies, joints, sensors, commands, the last action, time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from usdsim.core.errors import InvalidValueError
from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.tensors import tensor
from usdsim.math.tensors import orthogonalize_perspective_depth, quat_apply_inverse, quat_unique

from .entities import (
    CAMERA,
    IMU,
    OBJECT,
    PVA,
    ROBOT,
    data_of,
    middle_of_bodies,
    of_bodies,
    of_entity,
    of_joints,
)

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedEnv, ManagerBasedRLEnv

__all__ = [
    "base_ang_vel",
    "base_lin_vel",
    "base_pos_z",
    "body_incoming_wrench",
    "body_pose_w",
    "body_projected_gravity_b",
    "current_time_s",
    "generated_commands",
    "height_scan",
    "image",
    "imu_ang_vel",
    "imu_lin_acc",
    "imu_orientation",
    "imu_projected_gravity",
    "joint_effort",
    "joint_pos",
    "joint_pos_limit_normalized",
    "joint_pos_rel",
    "joint_vel",
    "joint_vel_rel",
    "last_action",
    "object_position_from_bodies",
    "object_position_in_robot_root_frame",
    "position_command_b",
    "projected_gravity",
    "pva_orientation",
    "pva_projected_gravity",
    "remaining_time_s",
    "root_ang_vel_w",
    "root_lin_vel_w",
    "root_pos_w",
    "root_quat_w",
]


def base_pos_z(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Height of the root in world [m], shape (num_envs, 1)."""
    return of_entity(env, asset_cfg, "root_pos_w")[:, 2:3]


def base_lin_vel(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Linear velocity of the root in its own frame [m/s], shape (num_envs, 3)."""
    return of_entity(env, asset_cfg, "root_lin_vel_b")


def base_ang_vel(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Angular velocity of the root in its own frame [rad/s], shape (num_envs, 3)."""
    return of_entity(env, asset_cfg, "root_ang_vel_b")


def projected_gravity(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Direction of gravity in the root's frame, shape (num_envs, 3)."""
    return of_entity(env, asset_cfg, "projected_gravity_b")


def root_pos_w(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Position of the root relative to the environment's origin [m], shape (num_envs, 3)."""
    return of_entity(env, asset_cfg, "root_pos_w") - tensor(env.scene.env_origins)


def root_quat_w(
    env: ManagerBasedEnv, make_quat_unique: bool = False, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Orientation of the root in world, xyzw, shape (num_envs, 4).

    Args:
        env: the environment.
        make_quat_unique: whether w is not negative.
        asset_cfg: the asset.
    """
    quat = of_entity(env, asset_cfg, "root_quat_w")
    return quat_unique(quat) if make_quat_unique else quat


def root_lin_vel_w(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Linear velocity of the root in world [m/s], shape (num_envs, 3)."""
    return of_entity(env, asset_cfg, "root_lin_vel_w")


def root_ang_vel_w(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Angular velocity of the root in world [rad/s], shape (num_envs, 3)."""
    return of_entity(env, asset_cfg, "root_ang_vel_w")


def body_pose_w(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Poses of bodies relative to the environment's origin [m, xyzw], (num_envs, 7 bodies)."""
    pose = of_bodies(env, asset_cfg, "body_pose_w").clone()
    pose[..., :3] -= tensor(env.scene.env_origins).unsqueeze(1)
    return pose.flatten(1)


def body_projected_gravity_b(
    env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Direction of gravity in the frames of bodies, shape (num_envs, 3 bodies)."""
    quat = of_bodies(env, asset_cfg, "body_quat_w")
    down = of_entity(env, asset_cfg, "GRAVITY_VEC_W").unsqueeze(1).expand(*quat.shape[:2], 3)
    return quat_apply_inverse(quat, down).flatten(1)


def joint_pos(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Positions of joints [m or rad], shape (num_envs, joints)."""
    return of_joints(env, asset_cfg, "joint_pos")


def joint_pos_rel(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Positions of joints relative to the default ones [m or rad], shape (num_envs, joints)."""
    return of_joints(env, asset_cfg, "joint_pos") - of_joints(env, asset_cfg, "default_joint_pos")


def joint_pos_limit_normalized(
    env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Positions of joints, -1 at the lower and 1 at the upper soft limit, (num_envs, joints)."""
    limits = of_joints(env, asset_cfg, "soft_joint_pos_limits")
    low, high = limits[..., 0], limits[..., 1]
    return (2.0 * of_joints(env, asset_cfg, "joint_pos") - low - high) / (high - low)


def joint_vel(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Velocities of joints [m/s or rad/s], shape (num_envs, joints)."""
    return of_joints(env, asset_cfg, "joint_vel")


def joint_vel_rel(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Velocities of joints relative to the default ones, shape (num_envs, joints)."""
    return of_joints(env, asset_cfg, "joint_vel") - of_joints(env, asset_cfg, "default_joint_vel")


def joint_effort(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Efforts that actuators apply to joints [N or N m], shape (num_envs, joints)."""
    return of_joints(env, asset_cfg, "applied_torque")


def height_scan(
    env: ManagerBasedEnv, sensor_cfg: SceneEntityCfg, offset: float = 0.5
) -> torch.Tensor:
    """Heights of a ray caster above what its rays hit [m], shape (num_envs, rays).

    Args:
        env: the environment.
        sensor_cfg: the ray caster.
        offset: height at which the value is zero [m].
    """
    data = data_of(env, sensor_cfg)
    return tensor(data.pos_w)[:, 2:3] - tensor(data.ray_hits_w)[..., 2] - offset


def body_incoming_wrench(
    env: ManagerBasedEnv,
    asset_cfg: SceneEntityCfg | None = None,
    sensor_cfg: SceneEntityCfg | None = None,
) -> torch.Tensor:
    """Forces and torques that joints transmit to bodies [N, N m], shape (num_envs, 6 bodies).

    Args:
        env: the environment.
        asset_cfg: an articulation, and its bodies.
        sensor_cfg: a sensor of joint wrenches, and its bodies, instead.

    Raises:
        InvalidValueError: both are given, or neither.
    """
    if asset_cfg is not None and sensor_cfg is None:
        return of_bodies(env, asset_cfg, "body_incoming_joint_wrench_b").flatten(1)
    if sensor_cfg is None or asset_cfg is not None:
        given = (asset_cfg, sensor_cfg)
        raise InvalidValueError("asset_cfg and sensor_cfg", given, "one of the two")
    data = data_of(env, sensor_cfg)
    wrench = torch.cat((tensor(data.force), tensor(data.torque)), dim=-1)
    return wrench[:, sensor_cfg.body_ids].flatten(1)


def imu_orientation(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = IMU) -> torch.Tensor:
    """Orientation of an inertial unit in world, xyzw, shape (num_envs, 4)."""
    return of_entity(env, asset_cfg, "quat_w")


def imu_projected_gravity(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = IMU) -> torch.Tensor:
    """Direction of gravity in an inertial unit's own frame, shape (num_envs, 3)."""
    return of_entity(env, asset_cfg, "projected_gravity_b")


def pva_orientation(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = PVA) -> torch.Tensor:
    """Orientation of a sensor of pose in world, xyzw, shape (num_envs, 4)."""
    return of_entity(env, asset_cfg, "quat_w")


def pva_projected_gravity(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = PVA) -> torch.Tensor:
    """Direction of gravity in a sensor's own frame, shape (num_envs, 3)."""
    return of_entity(env, asset_cfg, "projected_gravity_b")


def imu_ang_vel(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = IMU) -> torch.Tensor:
    """Angular velocity of an inertial unit in its own frame [rad/s], shape (num_envs, 3)."""
    return of_entity(env, asset_cfg, "ang_vel_b")


def imu_lin_acc(env: ManagerBasedEnv, asset_cfg: SceneEntityCfg = IMU) -> torch.Tensor:
    """Linear acceleration of an inertial unit in its own frame [m/s^2], shape (num_envs, 3)."""
    return of_entity(env, asset_cfg, "lin_acc_b")


def image(
    env: ManagerBasedEnv,
    sensor_cfg: SceneEntityCfg = CAMERA,
    data_type: str = "rgb",
    convert_perspective_to_orthogonal: bool = False,
    normalize: bool = True,
) -> torch.Tensor:
    """Pictures of a camera, shape (num_envs, height, width, channels).

    Args:
        env: the environment.
        sensor_cfg: the camera.
        data_type: which of its outputs.
        convert_perspective_to_orthogonal: whether ``distance_to_camera`` is told along the camera's
            axis.
        normalize: whether colours, ``rgb``, are from -1 to 1 about their mean, infinite distances
            zero, and coordinates of normals from 0 to 1.
    """
    data = data_of(env, sensor_cfg)
    pictures = tensor(data.output[data_type])
    if convert_perspective_to_orthogonal and data_type == "distance_to_camera":
        pictures = orthogonalize_perspective_depth(pictures, tensor(data.intrinsic_matrices))
    if normalize and data_type == "rgb":
        colours = pictures.float() / 255.0
        return colours - colours.mean(dim=(1, 2), keepdim=True)
    if normalize and ("distance_to" in data_type or "depth" in data_type):
        return torch.where(pictures == torch.inf, torch.zeros_like(pictures), pictures)
    if normalize and "normals" in data_type:
        return (pictures + 1.0) * 0.5
    return pictures.clone()


def last_action(env: ManagerBasedEnv, action_name: str | None = None) -> torch.Tensor:
    """The last actions, of all terms or of one, shape (num_envs, actions)."""
    if action_name is None:
        return env.action_manager.action
    return env.action_manager.get_term(action_name).raw_actions


def generated_commands(env: ManagerBasedRLEnv, command_name: str) -> torch.Tensor:
    """The commands of a term, shape (num_envs, ...)."""
    return env.command_manager.get_command(command_name)


def position_command_b(env: ManagerBasedRLEnv, command_name: str) -> torch.Tensor:
    """The point of a `UniformPositionCommand` in the vehicle's frame [m], shape (num_envs, 3)."""
    term: Any = env.command_manager.get_term(command_name)
    return term.command_b


def current_time_s(env: ManagerBasedRLEnv) -> torch.Tensor:
    """Time since the episode began [s], shape (num_envs, 1)."""
    return env.episode_length_buf.unsqueeze(1) * env.step_dt


def remaining_time_s(env: ManagerBasedRLEnv) -> torch.Tensor:
    """Time until the episode is cut off [s], shape (num_envs, 1)."""
    return env.max_episode_length_s - env.episode_length_buf.unsqueeze(1) * env.step_dt


def object_position_from_bodies(
    env: ManagerBasedRLEnv,
    asset_cfg: SceneEntityCfg,
    offset: Sequence[float] = (0.0, 0.0, 0.0),
    object_cfg: SceneEntityCfg = OBJECT,
) -> torch.Tensor:
    """Position of an object from the tool centre, in the robot's root frame [m], (num_envs, 3).

    Args:
        env: the environment.
        asset_cfg: the robot, and the bodies around the tool centre.
        offset: of the tool centre from the bodies; see `middle_of_bodies`.
        object_cfg: the object.
    """
    away = of_entity(env, object_cfg, "root_pos_w") - middle_of_bodies(env, asset_cfg, offset)
    return quat_apply_inverse(of_entity(env, asset_cfg, "root_quat_w"), away)


def object_position_in_robot_root_frame(
    env: ManagerBasedRLEnv,
    robot_cfg: SceneEntityCfg = ROBOT,
    object_cfg: SceneEntityCfg = OBJECT,
) -> torch.Tensor:
    """Position of an object in the frame of a robot's root [m], shape (num_envs, 3)."""
    away = of_entity(env, object_cfg, "root_pos_w") - of_entity(env, robot_cfg, "root_pos_w")
    return quat_apply_inverse(of_entity(env, robot_cfg, "root_quat_w"), away)
