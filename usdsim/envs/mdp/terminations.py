"""Termination terms: time, commands, tilt, height, joints beyond limits, contacts, terrain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.tensors import tensor

from .entities import ROBOT, limits_exceeded, of_entity, of_joints, strongest_contact

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedRLEnv

__all__ = [
    "bad_orientation",
    "command_resample",
    "illegal_contact",
    "joint_effort_out_of_limit",
    "joint_pos_out_of_limit",
    "joint_pos_out_of_manual_limit",
    "joint_vel_out_of_limit",
    "joint_vel_out_of_manual_limit",
    "root_height_below_minimum",
    "root_out_of_bounds",
    "terrain_out_of_bounds",
    "time_out",
]


def time_out(env: ManagerBasedRLEnv) -> torch.Tensor:
    """Whether the episode's time is over, shape (num_envs,)."""
    return env.episode_length_buf >= env.max_episode_length


def command_resample(
    env: ManagerBasedRLEnv, command_name: str, num_resamples: int = 1
) -> torch.Tensor:
    """Whether a command is about to be drawn anew, after so many in the episode, (num_envs,)."""
    term = env.command_manager.get_term(command_name)
    return (term.time_left <= env.step_dt) & (term.command_counter == num_resamples)


def bad_orientation(
    env: ManagerBasedRLEnv, limit_angle: float, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Whether the root tilts by more than an angle [rad], shape (num_envs,)."""
    upright = -of_entity(env, asset_cfg, "projected_gravity_b")[:, 2]
    return torch.acos(upright.clip(-1.0, 1.0)) > limit_angle


def root_height_below_minimum(
    env: ManagerBasedRLEnv, minimum_height: float, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Whether the root is below a height in world [m], shape (num_envs,)."""
    return of_entity(env, asset_cfg, "root_pos_w")[:, 2] < minimum_height


def root_out_of_bounds(
    env: ManagerBasedRLEnv, distance: float, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Whether the root is farther than that from the environment's origin [m], (num_envs,)."""
    away = of_entity(env, asset_cfg, "root_pos_w") - tensor(env.scene.env_origins)
    return away.norm(dim=1) > distance


def joint_pos_out_of_limit(
    env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Whether a joint is beyond its soft limits, shape (num_envs,)."""
    return (limits_exceeded(env, asset_cfg) > 0.0).any(1)


def joint_pos_out_of_manual_limit(
    env: ManagerBasedRLEnv, bounds: tuple[float, float], asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Whether a joint is outside bounds [m or rad], shape (num_envs,)."""
    position = of_joints(env, asset_cfg, "joint_pos")
    return ((position < bounds[0]) | (position > bounds[1])).any(1)


def joint_vel_out_of_limit(
    env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Whether a joint is faster than its soft limit, shape (num_envs,)."""
    speed = of_joints(env, asset_cfg, "joint_vel").abs()
    return (speed > of_joints(env, asset_cfg, "soft_joint_vel_limits")).any(1)


def joint_vel_out_of_manual_limit(
    env: ManagerBasedRLEnv, max_velocity: float, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Whether a joint is faster than that [m/s or rad/s], shape (num_envs,)."""
    velocity = of_joints(env, asset_cfg, "joint_vel")
    return (velocity.abs() > max_velocity).any(1)


def joint_effort_out_of_limit(
    env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """Whether a limit cuts the effort of a joint's actuator, shape (num_envs,)."""
    wanted = of_joints(env, asset_cfg, "computed_torque")
    given = of_joints(env, asset_cfg, "applied_torque")
    return (~torch.isclose(wanted, given)).any(1)


def illegal_contact(
    env: ManagerBasedRLEnv, threshold: float, sensor_cfg: SceneEntityCfg
) -> torch.Tensor:
    """Whether a contact force of a body exceeds a threshold [N], shape (num_envs,)."""
    return (strongest_contact(env, sensor_cfg) > threshold).any(1)


def terrain_out_of_bounds(
    env: ManagerBasedRLEnv, asset_cfg: SceneEntityCfg = ROBOT, distance_buffer: float = 3.0
) -> torch.Tensor:
    """Whether the root is near the edge of generated terrain, or beyond it, shape (num_envs,).

    Args:
        env: the environment.
        asset_cfg: the asset.
        distance_buffer: distance from the edge from which on it counts [m].
    """
    terrain = env.scene.terrain
    generator = None if terrain is None else terrain.cfg.terrain_generator
    if generator is None:
        return torch.zeros(env.num_envs, dtype=torch.bool, device=env.device)
    half = [0.5 * n for n in terrain.size]
    position = of_entity(env, asset_cfg, "root_pos_w")
    return (position[:, 0].abs() > half[0] - distance_buffer) | (
        position[:, 1].abs() > half[1] - distance_buffer
    )
