"""Reward terms of contacts: wanted and unwanted ones, and the steps of feet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.mdp.entities import ROBOT, commanded_speed, of_entity, strongest_contact
from usdsim.envs.tensors import tensor

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedRLEnv

__all__ = [
    "contact_forces",
    "desired_contacts",
    "feet_air_time",
    "feet_air_time_positive_biped",
    "feet_slide",
    "undesired_contacts",
]

_WALKING = 0.1
"""Commanded speed from which on steps are wanted [m/s]."""


def undesired_contacts(
    env: ManagerBasedRLEnv, threshold: float, sensor_cfg: SceneEntityCfg
) -> torch.Tensor:
    """Number of bodies with contact forces above a threshold [N], shape (num_envs,)."""
    return (strongest_contact(env, sensor_cfg) > threshold).sum(1).float()


def desired_contacts(
    env: ManagerBasedRLEnv, sensor_cfg: SceneEntityCfg, threshold: float = 1.0
) -> torch.Tensor:
    """1 where no body has a contact force above a threshold [N], shape (num_envs,)."""
    return (~(strongest_contact(env, sensor_cfg) > threshold).any(1)).float()


def contact_forces(
    env: ManagerBasedRLEnv, threshold: float, sensor_cfg: SceneEntityCfg
) -> torch.Tensor:
    """Sum of what contact forces of bodies exceed a threshold by [N], shape (num_envs,)."""
    return (strongest_contact(env, sensor_cfg) - threshold).clip(min=0.0).sum(1)


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
    return ((aloft - threshold) * landed).sum(1) * (commanded_speed(env, command_name) > _WALKING)


def feet_air_time_positive_biped(
    env: ManagerBasedRLEnv, command_name: str, threshold: float, sensor_cfg: SceneEntityCfg
) -> torch.Tensor:
    """Time for which one foot alone has stood [s], where walking is commanded, (num_envs,).

    It is the shorter of the times for which that foot has stood and all others were in the air.

    Args:
        env: the environment.
        command_name: the command, whose first two numbers are velocities.
        threshold: most that is earned [s].
        sensor_cfg: contact sensor with air times, and its feet.
    """
    data, ids = env.scene[sensor_cfg.name].data, sensor_cfg.body_ids
    stood, aloft = (tensor(t)[:, ids] for t in (data.current_contact_time, data.current_air_time))
    stands = stood > 0.0
    since = torch.where(stands, stood, aloft).amin(1).clip(max=threshold)
    walking = commanded_speed(env, command_name) > _WALKING
    return since * (stands.sum(1) == 1) * walking


def feet_slide(
    env: ManagerBasedRLEnv, sensor_cfg: SceneEntityCfg, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Sum of the horizontal speeds of bodies in contact [m/s], shape (num_envs,).

    Args:
        env: the environment.
        sensor_cfg: contact sensor, and its feet.
        asset_cfg: the asset, and the same feet in the same order.
    """
    touching = strongest_contact(env, sensor_cfg) > 1.0
    speed = of_entity(env, asset_cfg, "body_lin_vel_w")[:, asset_cfg.body_ids, :2].norm(dim=-1)
    return (speed * touching).sum(1)
