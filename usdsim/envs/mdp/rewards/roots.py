"""Reward terms of roots: velocities, tilt, height, accelerations of bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.mdp.entities import ROBOT, of_bodies, of_entity

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedRLEnv

__all__ = [
    "ang_vel_xy_l2",
    "base_height_l2",
    "body_lin_acc_l2",
    "flat_orientation_l2",
    "lin_vel_z_l2",
    "root_ang_vel_l2",
    "root_lin_vel_l2",
]


def lin_vel_z_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Squared velocity of the root along its z axis [m^2/s^2], shape (num_envs,)."""
    return of_entity(env, asset_cfg, "root_lin_vel_b")[:, 2].square()


def ang_vel_xy_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Squared angular velocity of the root about its x and y axes [rad^2/s^2], (num_envs,)."""
    return of_entity(env, asset_cfg, "root_ang_vel_b")[:, :2].square().sum(1)


def root_lin_vel_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Squared speed of the root [m^2/s^2], shape (num_envs,)."""
    return of_entity(env, asset_cfg, "root_lin_vel_w").square().sum(1)


def root_ang_vel_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Squared angular speed of the root [rad^2/s^2], shape (num_envs,)."""
    return of_entity(env, asset_cfg, "root_ang_vel_w").square().sum(1)


def flat_orientation_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Squared sine of the root's tilt, shape (num_envs,)."""
    return of_entity(env, asset_cfg, "projected_gravity_b")[:, :2].square().sum(1)


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
        target = target + of_entity(env, sensor_cfg, "ray_hits_w")[..., 2].mean(1)
    return (of_entity(env, asset_cfg, "root_pos_w")[:, 2] - target).square()


def body_lin_acc_l2(env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Sum of the accelerations of bodies [m/s^2], shape (num_envs,)."""
    acceleration = of_bodies(env, asset_cfg, "body_lin_acc_w")
    return acceleration.norm(dim=-1).sum(1)
