"""Reward terms of commanded places: of bodies, of roots, and of objects to carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.mdp.entities import (
    OBJECT,
    ROBOT,
    commanded_position,
    middle_of_bodies,
    of_bodies,
    of_entity,
)
from usdsim.math.tensors import quat_error_magnitude, quat_mul

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedRLEnv

__all__ = [
    "object_ee_distance",
    "object_goal_distance",
    "object_is_held",
    "object_is_lifted",
    "orientation_command_error",
    "position_command_error",
    "position_command_error_tanh",
    "root_position_error_tanh",
    "root_reached_position",
]


def _nearness(distance: torch.Tensor, std: float) -> torch.Tensor:
    return 1.0 - torch.tanh(distance / std)


def _from_tool(
    env: Any, tool_cfg: SceneEntityCfg, object_cfg: SceneEntityCfg, offset: Sequence[float]
) -> torch.Tensor:
    """Distance of an object from the tool centre [m], shape (num_envs,)."""
    tool = middle_of_bodies(env, tool_cfg, offset)
    return (of_entity(env, object_cfg, "root_pos_w") - tool).norm(dim=1)


def _from_command(env: Any, command_name: str, asset_cfg: SceneEntityCfg) -> torch.Tensor:
    """Distance of a root from a position command in world [m], shape (num_envs,)."""
    command = env.command_manager.get_command(command_name)[:, :3]
    return (command - of_entity(env, asset_cfg, "root_pos_w")).norm(dim=1)


def position_command_error(
    env: ManagerBasedRLEnv, command_name: str, asset_cfg: SceneEntityCfg
) -> torch.Tensor:
    """Distance of a body from where a command wants it [m], shape (num_envs,).

    Args:
        env: the environment.
        command_name: the command, a pose in the root's frame.
        asset_cfg: the asset, and the body; of several, the first.
    """
    body = of_bodies(env, asset_cfg, "body_pos_w")[:, 0]
    return (body - commanded_position(env, command_name, asset_cfg)).norm(dim=1)


def position_command_error_tanh(
    env: ManagerBasedRLEnv, std: float, command_name: str, asset_cfg: SceneEntityCfg
) -> torch.Tensor:
    """1 - tanh(e / std) of `position_command_error`, shape (num_envs,)."""
    return _nearness(position_command_error(env, command_name, asset_cfg), std)


def orientation_command_error(
    env: ManagerBasedRLEnv, command_name: str, asset_cfg: SceneEntityCfg
) -> torch.Tensor:
    """Angle of a body from where a command wants it [rad], shape (num_envs,)."""
    command = env.command_manager.get_command(command_name)
    wanted = quat_mul(of_entity(env, asset_cfg, "root_quat_w"), command[:, 3:7])
    body = of_bodies(env, asset_cfg, "body_quat_w")[:, 0]
    return quat_error_magnitude(body, wanted)


def object_is_lifted(
    env: ManagerBasedRLEnv,
    minimal_height: float,
    object_cfg: SceneEntityCfg = OBJECT,
) -> torch.Tensor:
    """1 where an object is above a height [m], shape (num_envs,)."""
    return (of_entity(env, object_cfg, "root_pos_w")[:, 2] > minimal_height).float()


def object_ee_distance(
    env: ManagerBasedRLEnv,
    std: float,
    asset_cfg: SceneEntityCfg,
    object_cfg: SceneEntityCfg = OBJECT,
    offset: Sequence[float] = (0.0, 0.0, 0.0),
) -> torch.Tensor:
    """1 - tanh(d / std) of the distance of an object from the tool centre, shape (num_envs,).

    Args:
        env: the environment.
        std: distance at which 0.24 is left [m].
        asset_cfg: the asset, and the bodies, such as the fingers.
        object_cfg: the object.
        offset: of the tool centre from the bodies; see `middle_of_bodies`.
    """
    return _nearness(_from_tool(env, asset_cfg, object_cfg, offset), std)


def object_is_held(
    env: ManagerBasedRLEnv,
    radius: float,
    asset_cfg: SceneEntityCfg,
    object_cfg: SceneEntityCfg = OBJECT,
    offset: Sequence[float] = (0.0, 0.0, 0.0),
) -> torch.Tensor:
    """1 where an object is within a radius [m] of the tool centre, shape (num_envs,).

    Rewards of height times this one do not pay for throwing. Arguments as for `object_ee_distance`.
    """
    return (_from_tool(env, asset_cfg, object_cfg, offset) < radius).float()


def object_goal_distance(
    env: ManagerBasedRLEnv,
    std: float,
    minimal_height: float,
    command_name: str,
    robot_cfg: SceneEntityCfg = ROBOT,
    object_cfg: SceneEntityCfg = OBJECT,
) -> torch.Tensor:
    """1 - tanh(d / std) of the distance of an object from a commanded place, once it is lifted."""
    place = of_entity(env, object_cfg, "root_pos_w")
    away = (place - commanded_position(env, command_name, robot_cfg)).norm(dim=1)
    return (place[:, 2] > minimal_height) * _nearness(away, std)


def root_position_error_tanh(
    env: ManagerBasedRLEnv, std: float, command_name: str, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """1 - tanh(e / std) of the root's distance from a position command in world, (num_envs,)."""
    return _nearness(_from_command(env, command_name, asset_cfg), std)


def root_reached_position(
    env: ManagerBasedRLEnv, distance: float, command_name: str, asset_cfg: SceneEntityCfg = ROBOT
) -> torch.Tensor:
    """1 where the root is within a distance [m] of a position command in world, (num_envs,)."""
    return (_from_command(env, command_name, asset_cfg) < distance).float()
