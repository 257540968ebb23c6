"""Scene entities of terms: the robot by default, and quantities of what a term is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.tensors import tensor
from usdsim.math.tensors import combine_frame_transforms, quat_apply

__all__ = [
    "CAMERA",
    "IMU",
    "OBJECT",
    "PVA",
    "ROBOT",
    "commanded_position",
    "data_of",
    "limits_exceeded",
    "middle_of_bodies",
    "of_bodies",
    "of_entity",
    "of_joints",
    "strongest_contact",
]

ROBOT = SceneEntityCfg("robot")
"""The asset terms are about, unless told otherwise."""
OBJECT = SceneEntityCfg("object")
"""Object that is manipulated, unless told otherwise."""
IMU = SceneEntityCfg("imu")
"""The inertial unit of terms, unless told otherwise."""
PVA = SceneEntityCfg("pva")
"""The sensor of pose, velocity and acceleration of terms, unless told otherwise."""
CAMERA = SceneEntityCfg("tiled_camera")
"""The camera of terms, unless told otherwise."""


def data_of(env: Any, cfg: SceneEntityCfg) -> Any:
    """Data of an asset or sensor of the environment's scene."""
    return env.scene[cfg.name].data


def of_entity(env: Any, cfg: SceneEntityCfg, quantity: str) -> torch.Tensor:
    """A quantity of an asset or sensor, by its name in the data; no copy."""
    return tensor(getattr(data_of(env, cfg), quantity))


def of_joints(env: Any, cfg: SceneEntityCfg, quantity: str) -> torch.Tensor:
    """A quantity of the joints a term is about, shape (num_envs, joints, ...)."""
    return of_entity(env, cfg, quantity)[:, cfg.joint_ids]


def of_bodies(env: Any, cfg: SceneEntityCfg, quantity: str) -> torch.Tensor:
    """A quantity of the bodies a term is about, shape (num_envs, bodies, ...)."""
    return of_entity(env, cfg, quantity)[:, cfg.body_ids]


def middle_of_bodies(
    env: Any, cfg: SceneEntityCfg, offset: Sequence[float] = (0.0, 0.0, 0.0)
) -> torch.Tensor:
    """Mean of points of bodies, such as the tool centre between fingers [m], (num_envs, 3).

    Args:
        env: the environment.
        cfg: the asset, and the bodies.
        offset: of the points from the bodies' origins, in the bodies' frames [m], shape (3,).
    """
    origins = of_bodies(env, cfg, "body_pos_w")
    if not any(offset):
        return origins.mean(1)
    turned = of_bodies(env, cfg, "body_quat_w")
    points = torch.tensor(offset, device=origins.device).expand(origins.shape)
    return (origins + quat_apply(turned, points)).mean(1)


def limits_exceeded(env: Any, cfg: SceneEntityCfg) -> torch.Tensor:
    """Excess of joints over their soft limits [m or rad], at least 0, (num_envs, joints)."""
    position = of_joints(env, cfg, "joint_pos")
    low, high = of_joints(env, cfg, "soft_joint_pos_limits").unbind(-1)
    return (low - position).clip(min=0.0) + (position - high).clip(min=0.0)


def strongest_contact(env: Any, cfg: SceneEntityCfg) -> torch.Tensor:
    """Strongest contact force of bodies in a contact sensor's history [N], (num_envs, bodies)."""
    forces = of_entity(env, cfg, "net_forces_w_history")[:, :, cfg.body_ids]
    return forces.norm(dim=-1).amax(1)


def commanded_position(env: Any, command_name: str, asset_cfg: SceneEntityCfg) -> torch.Tensor:
    """Position in world of a command in the frame of an asset's root [m], shape (num_envs, 3)."""
    data, command = data_of(env, asset_cfg), env.command_manager.get_command(command_name)
    root = tensor(data.root_pos_w), tensor(data.root_quat_w)
    return combine_frame_transforms(*root, command[:, :3])[0]
