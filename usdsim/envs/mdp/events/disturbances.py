"""Disturbances: pushes, external forces and torques, gravity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.mdp.entities import ROBOT
from usdsim.envs.tensors import tensor

from .resets import AXES, Ranges, drawn
from .sampling import Distribution, Operation, columns_of, randomized

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedEnv

__all__ = [
    "apply_external_force_torque",
    "push_by_setting_velocity",
    "randomize_physics_scene_gravity",
]


def apply_external_force_torque(
    env: ManagerBasedEnv,
    env_ids: torch.Tensor,
    force_range: tuple[float, float],
    torque_range: tuple[float, float],
    asset_cfg: SceneEntityCfg = ROBOT,
) -> None:
    """Apply forces and torques to bodies, in their frames, until the next event or reset.

    Where both ranges are zero, what acts stays as it is.

    Args:
        env: the environment.
        env_ids: environments.
        force_range: smallest and largest component [N].
        torque_range: smallest and largest component [N m].
        asset_cfg: the asset, and its bodies.
    """
    if not any((*force_range, *torque_range)):
        return
    asset, ids = env.scene[asset_cfg.name], asset_cfg.body_ids
    count = asset.num_bodies if isinstance(ids, slice) else len(ids)
    force = env.streams.between(force_range, (count, 3), env_ids)
    torque = env.streams.between(torque_range, (count, 3), env_ids)
    asset.set_external_force_and_torque(force, torque, body_ids=columns_of(ids), env_ids=env_ids)


def push_by_setting_velocity(
    env: ManagerBasedEnv,
    env_ids: torch.Tensor,
    velocity_range: Ranges,
    asset_cfg: SceneEntityCfg = ROBOT,
) -> None:
    """Add to the velocities of roots.

    Args:
        env: the environment.
        env_ids: environments.
        velocity_range: intervals for x, y, z [m/s], roll, pitch, yaw [rad/s], in world.
        asset_cfg: the asset.
    """
    asset = env.scene[asset_cfg.name]
    velocity = tensor(asset.data.root_vel_w)[env_ids]
    velocity = velocity + drawn(env, env_ids, velocity_range, AXES)
    asset.write_root_velocity_to_sim(velocity, env_ids=env_ids)


def randomize_physics_scene_gravity(
    env: ManagerBasedEnv,
    env_ids: torch.Tensor,
    gravity_distribution_params: tuple[Sequence[float], Sequence[float]],
    operation: Operation,
    distribution: Distribution = "uniform",
) -> None:
    """Draw the gravity of each environment about the configured one.

    Args:
        env: the environment.
        env_ids: environments.
        gravity_distribution_params: for x, y and z: smallest and largest, or means and
            deviations [m/s^2].
        operation: what is done with what is drawn.
        distribution: where it is drawn from.
    """
    configured = env.cfg.sim.gravity
    start = torch.tensor([float(g) for g in (configured or (0.0, 0.0, -9.81))], device=env.device)
    first, second = gravity_distribution_params
    columns = [
        randomized(
            env, env_ids, start[i].expand(len(env_ids), 1), (first[i], second[i]), operation,
            distribution,
        )
        for i in range(3)
    ]  # fmt: skip
    gravity = torch.cat(columns, dim=1).cpu().numpy()
    env.sim.engine.set_param("opt.gravity", gravity, env_ids.cpu().numpy())
