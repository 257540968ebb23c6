"""Scene entities of terms: the robot by default, and quantities of what a term is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from usdsim.core.errors import AbsentError, InvalidValueError, StageError
from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.tensors import tensor
from usdsim.math.tensors import combine_frame_transforms, quat_apply

__all__ = [
    "CAMERA",
    "IMU",
    "OBJECT",
    "PVA",
    "ROBOT",
    "articulated",
    "commanded_position",
    "commanded_speed",
    "data_of",
    "drawn_patch",
    "flat_patches",
    "limits_exceeded",
    "middle_of_bodies",
    "of_bodies",
    "of_entity",
    "of_joints",
    "only",
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
    """Data of an asset or sensor of the environment's scene.

    Raises:
        AbsentError: the entity is only spawned, and has none.
    """
    entity = env.scene[cfg.name]
    try:
        return entity.data
    except AttributeError as error:
        if hasattr(type(entity), "data"):
            raise
        raise AbsentError(
            f"{cfg.name!r} is of {type(entity).__name__}, which has no data. Name an asset or "
            f"sensor of the scene: {', '.join(env.scene.keys())}."
        ) from error


def of_entity(env: Any, cfg: SceneEntityCfg, quantity: str) -> torch.Tensor:
    """A quantity of an asset or sensor, by its name in the data; no copy.

    Raises:
        AbsentError: such an entity has no quantity of that name.
    """
    data = data_of(env, cfg)
    if not hasattr(type(data), quantity) and quantity not in getattr(data, "__dict__", ()):
        entity = type(env.scene[cfg.name]).__name__
        raise AbsentError(
            f"{cfg.name!r} is of {entity}, which has no {quantity}. Name another entity of the "
            f"scene: {', '.join(env.scene.keys())}."
        )
    return tensor(getattr(data, quantity))


def of_joints(env: Any, cfg: SceneEntityCfg, quantity: str) -> torch.Tensor:
    """A quantity of the joints a term is about, shape (num_envs, joints, ...)."""
    return of_entity(env, cfg, quantity)[:, cfg.joint_ids]


def of_bodies(env: Any, cfg: SceneEntityCfg, quantity: str) -> torch.Tensor:
    """A quantity of the bodies a term is about, shape (num_envs, bodies, ...)."""
    return of_entity(env, cfg, quantity)[:, cfg.body_ids]


def commanded_speed(env: Any, command_name: str) -> torch.Tensor:
    """Horizontal speed that a command asks for [m/s], shape (num_envs,)."""
    speed: torch.Tensor = env.command_manager.get_command(command_name)[:, :2].norm(dim=1)
    return speed


def articulated(asset: Any) -> Any:
    """An asset that has joints.

    Raises:
        InvalidValueError: it has none.
    """
    if not hasattr(asset, "find_joints"):
        what = f"asset at {asset.cfg.prim_path} of an action on joints"
        raise InvalidValueError(what, type(asset).__name__, "an articulation")
    return asset


def only(what: str, name: str, find: Callable[[str], Any]) -> tuple[int, str]:
    """Index and name of the one body or joint that an expression matches.

    Args:
        what: what the expression is, for messages.
        name: the expression.
        find: finds bodies or joints of an asset.

    Raises:
        InvalidValueError: it matches several.
    """
    ids, names = find(name)[:2]
    if len(ids) != 1:
        raise InvalidValueError(what, name, f"an expression for one, not for {list(names)}")
    return int(ids[0]), names[0]


def flat_patches(terrain: Any, name: str) -> torch.Tensor:
    """Flat patches of a terrain, shape (rows, columns, patches, 3) [m].

    Raises:
        StageError: the terrain has no such patches.
    """
    patches = {} if terrain is None else terrain.flat_patches
    if name not in patches:
        raise StageError(
            f"The terrain has no flat patches {name!r}. Give its pieces "
            f"flat_patch_sampling={{{name!r}: FlatPatchSamplingCfg(...)}}."
        )
    return tensor(patches[name])


def drawn_patch(env: Any, env_ids: torch.Tensor, patches: torch.Tensor) -> torch.Tensor:
    """Flat patches that are drawn from those of the environments' pieces [m], shape (n, 3)."""
    choice = env.streams.integers(0, patches.shape[2], env_ids=env_ids)
    terrain = env.scene.terrain
    levels, types = tensor(terrain.terrain_levels), tensor(terrain.terrain_types)
    return patches[levels[env_ids], types[env_ids], choice]


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
