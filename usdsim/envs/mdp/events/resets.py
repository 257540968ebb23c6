"""Reset events: states of roots, joints and vertices, as configured or drawn about that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch

from usdsim.core.errors import UnknownNameError
from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.mdp.entities import ROBOT, data_of, drawn_patch, flat_patches
from usdsim.envs.tensors import tensor
from usdsim.math.tensors import normalize, quat_from_euler_xyz, quat_mul

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedEnv

__all__ = [
    "reset_joints_by_offset",
    "reset_joints_by_scale",
    "reset_nodal_state_uniform",
    "reset_root_state_from_terrain",
    "reset_root_state_uniform",
    "reset_root_state_with_random_orientation",
    "reset_scene_to_default",
]

AXES = ("x", "y", "z", "roll", "pitch", "yaw")
Ranges = Mapping[str, tuple[float, float]]


def drawn(env: Any, env_ids: torch.Tensor, ranges: Ranges, axes: tuple[str, ...]) -> torch.Tensor:
    """Numbers from intervals by axis, zero for axes without one, shape (environments, axes).

    Raises:
        UnknownNameError: there is no such axis.
    """
    for axis in ranges:
        if axis not in axes:
            raise UnknownNameError("axis", axis, axes, "a range")
    values: torch.Tensor = env.streams.within(
        (ranges.get(axis, (0.0, 0.0)) for axis in axes), env_ids
    )
    return values


def _default_root(env: Any, env_ids: torch.Tensor, cfg: SceneEntityCfg) -> torch.Tensor:
    """Configured state of the root at the environment's place, shape (environments, 13)."""
    state = tensor(data_of(env, cfg).default_root_state)[env_ids].clone()
    state[:, :3] += tensor(env.scene.env_origins)[env_ids]
    return state


def reset_root_state_uniform(
    env: ManagerBasedEnv,
    env_ids: torch.Tensor,
    pose_range: Ranges,
    velocity_range: Ranges,
    asset_cfg: SceneEntityCfg = ROBOT,
) -> None:
    """Put roots into their default state plus something drawn.

    Args:
        env: the environment.
        env_ids: environments.
        pose_range: intervals for x, y, z [m] in world, and for roll, pitch, yaw [rad] about the
            axes of the root as it is by default.
        velocity_range: intervals for x, y, z [m/s], roll, pitch, yaw [rad/s], in world.
        asset_cfg: the asset.
    """
    state = _default_root(env, env_ids, asset_cfg)
    shift = drawn(env, env_ids, pose_range, AXES)
    state[:, :3] += shift[:, :3]
    state[:, 3:7] = quat_mul(state[:, 3:7], quat_from_euler_xyz(*shift[:, 3:].unbind(1)))
    state[:, 7:] += drawn(env, env_ids, velocity_range, AXES)
    env.scene[asset_cfg.name].write_root_state_to_sim(state, env_ids=env_ids)


def reset_root_state_with_random_orientation(
    env: ManagerBasedEnv,
    env_ids: torch.Tensor,
    pose_range: Ranges,
    velocity_range: Ranges,
    asset_cfg: SceneEntityCfg = ROBOT,
) -> None:
    """Like `reset_root_state_uniform`, with orientations from all there are."""
    state = _default_root(env, env_ids, asset_cfg)
    state[:, :3] += drawn(env, env_ids, pose_range, AXES)[:, :3]
    state[:, 3:7] = normalize(env.streams.normal(0.0, 1.0, 4, env_ids))
    state[:, 7:] += drawn(env, env_ids, velocity_range, AXES)
    env.scene[asset_cfg.name].write_root_state_to_sim(state, env_ids=env_ids)


def reset_root_state_from_terrain(
    env: ManagerBasedEnv,
    env_ids: torch.Tensor,
    pose_range: Ranges,
    velocity_range: Ranges,
    asset_cfg: SceneEntityCfg = ROBOT,
) -> None:
    """Put roots on one of the flat patches ``init_pos`` of their terrain.

    Args:
        env: the environment.
        env_ids: environments.
        pose_range: intervals for roll, pitch and yaw [rad], whatever the default orientation is.
        velocity_range: see `reset_root_state_uniform`.
        asset_cfg: the asset, whose default position counts from the patch.

    Raises:
        StageError: the terrain has no such patches.
    """
    patches = flat_patches(env.scene.terrain, "init_pos")
    state = tensor(data_of(env, asset_cfg).default_root_state)[env_ids].clone()
    state[:, :3] += drawn_patch(env, env_ids, patches)
    state[:, 3:7] = quat_from_euler_xyz(*drawn(env, env_ids, pose_range, AXES[3:]).unbind(1))
    state[:, 7:] += drawn(env, env_ids, velocity_range, AXES)
    env.scene[asset_cfg.name].write_root_state_to_sim(state, env_ids=env_ids)


def _write_joints(
    env: Any, env_ids: torch.Tensor, cfg: SceneEntityCfg, position: Any, velocity: Any
) -> None:
    """Write joint states within soft limits, of the joints of an entity."""
    asset = env.scene[cfg.name]
    limits = tensor(asset.data.soft_joint_pos_limits)[env_ids][:, cfg.joint_ids]
    speed = tensor(asset.data.soft_joint_vel_limits)[env_ids][:, cfg.joint_ids]
    position = position.clamp(limits[..., 0], limits[..., 1])
    velocity = velocity.clamp(-speed, speed)
    joints = None if isinstance(cfg.joint_ids, slice) else cfg.joint_ids
    asset.write_joint_state_to_sim(position, velocity, joint_ids=joints, env_ids=env_ids)


def _default_joints(
    env: Any, env_ids: torch.Tensor, cfg: SceneEntityCfg
) -> tuple[torch.Tensor, torch.Tensor]:
    data = data_of(env, cfg)
    position = tensor(data.default_joint_pos)[env_ids][:, cfg.joint_ids]
    return position, tensor(data.default_joint_vel)[env_ids][:, cfg.joint_ids]


def reset_joints_by_offset(
    env: ManagerBasedEnv,
    env_ids: torch.Tensor,
    position_range: tuple[float, float],
    velocity_range: tuple[float, float],
    asset_cfg: SceneEntityCfg = ROBOT,
) -> None:
    """Put joints into their default state plus something drawn, within their soft limits.

    Args:
        env: the environment.
        env_ids: environments.
        position_range: smallest and largest offset [m or rad].
        velocity_range: smallest and largest offset [m/s or rad/s].
        asset_cfg: the asset, and its joints.
    """
    position, velocity = _default_joints(env, env_ids, asset_cfg)
    count, streams = position.shape[1], env.streams
    position = position + streams.between(position_range, count, env_ids)
    velocity = velocity + streams.between(velocity_range, count, env_ids)
    _write_joints(env, env_ids, asset_cfg, position, velocity)


def reset_joints_by_scale(
    env: ManagerBasedEnv,
    env_ids: torch.Tensor,
    position_range: tuple[float, float],
    velocity_range: tuple[float, float],
    asset_cfg: SceneEntityCfg = ROBOT,
) -> None:
    """Put joints into their default state times something drawn; see `reset_joints_by_offset`."""
    position, velocity = _default_joints(env, env_ids, asset_cfg)
    count, streams = position.shape[1], env.streams
    position = position * streams.between(position_range, count, env_ids)
    velocity = velocity * streams.between(velocity_range, count, env_ids)
    _write_joints(env, env_ids, asset_cfg, position, velocity)


def reset_nodal_state_uniform(
    env: ManagerBasedEnv,
    env_ids: torch.Tensor,
    position_range: Ranges,
    velocity_range: Ranges,
    asset_cfg: SceneEntityCfg = ROBOT,
) -> None:
    """Put deformable bodies into their default state, shifted and moving as drawn.

    Args:
        env: the environment.
        env_ids: environments.
        position_range: intervals for x, y, z [m].
        velocity_range: intervals for x, y, z [m/s].
        asset_cfg: the body.
    """
    asset = env.scene[asset_cfg.name]
    state = tensor(asset.data.default_nodal_state_w)[env_ids].clone()
    state[..., :3] += drawn(env, env_ids, position_range, AXES[:3]).unsqueeze(1)
    state[..., 3:] += drawn(env, env_ids, velocity_range, AXES[:3]).unsqueeze(1)
    asset.write_nodal_state_to_sim(state, env_ids=env_ids)


def reset_scene_to_default(
    env: ManagerBasedEnv, env_ids: torch.Tensor, reset_joint_targets: bool = False
) -> None:
    """Put all assets into their default states.

    Args:
        env: the environment.
        env_ids: environments.
        reset_joint_targets: whether joints are commanded to stay there.
    """
    scene = env.scene
    for name in (*scene.rigid_objects, *scene.articulations):
        cfg = SceneEntityCfg(name)
        scene[name].write_root_state_to_sim(_default_root(env, env_ids, cfg), env_ids=env_ids)
    for name, asset in scene.articulations.items():
        position, velocity = _default_joints(env, env_ids, SceneEntityCfg(name))
        if position.shape[1]:
            asset.write_joint_state_to_sim(position, velocity, env_ids=env_ids)
            if reset_joint_targets:
                asset.set_joint_position_target(position, env_ids=env_ids)
                asset.set_joint_velocity_target(velocity, env_ids=env_ids)
    for asset in scene.rigid_object_collections.values():
        state = tensor(asset.data.default_object_state)[env_ids].clone()
        state[..., :3] += tensor(scene.env_origins)[env_ids].unsqueeze(1)
        asset.write_object_state_to_sim(state, env_ids=env_ids)
    for asset in scene.deformable_objects.values():
        state = tensor(asset.data.default_nodal_state_w)[env_ids]
        asset.write_nodal_state_to_sim(state, env_ids=env_ids)
