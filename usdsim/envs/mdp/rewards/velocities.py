"""Reward terms of commanded velocities: how well roots follow them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.mdp.entities import ROBOT, of_entity
from usdsim.math.tensors import quat_apply_inverse, yaw_quat

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedRLEnv

__all__ = [
    "track_ang_vel_z_exp",
    "track_ang_vel_z_world_exp",
    "track_lin_vel_xy_exp",
    "track_lin_vel_xy_yaw_frame_exp",
]


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
    error = command - of_entity(env, asset_cfg, "root_lin_vel_b")[:, :2]
    return _tracked(error.square().sum(1), std)


def track_ang_vel_z_exp(
    env: ManagerBasedRLEnv, std: float, command_name: str, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """exp(-(e / std)^2) of the error of the root's turning rate about its z axis, (num_envs,)."""
    command = env.command_manager.get_command(command_name)[:, 2]
    error = command - of_entity(env, asset_cfg, "root_ang_vel_b")[:, 2]
    return _tracked(error.square(), std)


def track_lin_vel_xy_yaw_frame_exp(
    env: ManagerBasedRLEnv, std: float, command_name: str, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Like `track_lin_vel_xy_exp`, in the frame that is turned by the root's heading only."""
    heading = yaw_quat(of_entity(env, asset_cfg, "root_quat_w"))
    velocity = quat_apply_inverse(heading, of_entity(env, asset_cfg, "root_lin_vel_w"))[:, :2]
    error = env.command_manager.get_command(command_name)[:, :2] - velocity
    return _tracked(error.square().sum(1), std)


def track_ang_vel_z_world_exp(
    env: ManagerBasedRLEnv, std: float, command_name: str, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Like `track_ang_vel_z_exp`, about the z axis of the world."""
    command = env.command_manager.get_command(command_name)[:, 2]
    error = command - of_entity(env, asset_cfg, "root_ang_vel_w")[:, 2]
    return _tracked(error.square(), std)
