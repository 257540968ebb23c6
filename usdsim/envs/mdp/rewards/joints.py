"""Reward terms of joints: efforts, velocities, positions and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.mdp.entities import ROBOT, commanded_speed, limits_exceeded, of_joints

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedRLEnv

__all__ = [
    "applied_torque_limits",
    "joint_acc_l2",
    "joint_deviation_l1",
    "joint_pos_limits",
    "joint_pos_target_l2",
    "joint_torques_l2",
    "joint_vel_l1",
    "joint_vel_l2",
    "joint_vel_limits",
    "stand_still_joint_deviation_l1",
]


def joint_torques_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Sum of the squared efforts of joints, shape (num_envs,)."""
    return of_joints(env, asset_cfg, "applied_torque").square().sum(1)


def joint_vel_l1(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Sum of the speeds of joints, shape (num_envs,)."""
    return of_joints(env, asset_cfg, "joint_vel").abs().sum(1)


def joint_vel_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Sum of the squared velocities of joints, shape (num_envs,)."""
    return of_joints(env, asset_cfg, "joint_vel").square().sum(1)


def joint_acc_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Sum of the squared accelerations of joints, shape (num_envs,)."""
    return of_joints(env, asset_cfg, "joint_acc").square().sum(1)


def joint_deviation_l1(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Sum of the distances of joints from their default positions, shape (num_envs,)."""
    away = of_joints(env, asset_cfg, "joint_pos") - of_joints(env, asset_cfg, "default_joint_pos")
    return away.abs().sum(1)


def stand_still_joint_deviation_l1(
    env: ManagerBasedRLEnv,
    command_name: str,
    command_threshold: float = 0.06,
    asset_cfg: SceneEntityCfg = ROBOT,
) -> torch.Tensor:
    """Sum of the distances of joints from their default positions where standing is commanded.

    Args:
        env: the environment.
        command_name: the command, whose first two numbers are velocities.
        command_threshold: speed below which it is [m/s].
        asset_cfg: the asset, and its joints.
    """
    standing = commanded_speed(env, command_name) < command_threshold
    return joint_deviation_l1(env, asset_cfg) * standing


def joint_pos_target_l2(
    env: ManagerBasedRLEnv, target: float, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Sum of the squared distances of joints from a position, angles wrapped to (-pi, pi]."""
    away = of_joints(env, asset_cfg, "joint_pos") - target
    return torch.atan2(away.sin(), away.cos()).square().sum(1)


def joint_pos_limits(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Sum of how far joints are beyond their soft limits, shape (num_envs,)."""
    return limits_exceeded(env, asset_cfg).sum(1)


def joint_vel_limits(
    env: ManagerBasedRLEnv, soft_ratio: float, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Sum of how far speeds of joints exceed a part of their limits, at most 1 each, (num_envs,).

    Args:
        env: the environment.
        soft_ratio: the part.
        asset_cfg: the asset and its joints.
    """
    speed, limit = (
        of_joints(env, asset_cfg, "joint_vel").abs(),
        of_joints(env, asset_cfg, "soft_joint_vel_limits"),
    )
    return (speed - limit * soft_ratio).clip(0.0, 1.0).sum(1)


def applied_torque_limits(
    env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Sum of what limits cut off the efforts that actuators computed, shape (num_envs,)."""
    cut = of_joints(env, asset_cfg, "applied_torque") - of_joints(env, asset_cfg, "computed_torque")
    return cut.abs().sum(1)
