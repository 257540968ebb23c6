"""Randomised scales: rigid bodies of another size in each environment, from the start on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from usdsim.assets import RigidObject
from usdsim.assets.common.matching import first_environment
from usdsim.core.arguments import interval
from usdsim.core.errors import StageError, UnsupportedError
from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.parser.element import is_below
from usdsim.usd.xforms import local_pose, set_local_pose

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedEnv

__all__ = ["randomize_rigid_body_scale"]

_AXES = ("x", "y", "z")


def randomize_rigid_body_scale(
    env: ManagerBasedEnv,
    env_ids: torch.Tensor | None,
    scale_range: tuple[float, float] | dict[str, tuple[float, float]],
    asset_cfg: SceneEntityCfg,
    relative_child_path: str | None = None,
) -> None:
    """Scale a rigid object by factors that are drawn, as its prims say from then on.

    For events of the mode ``prestartup``, as sizes are compiled when the simulation starts. The
    scene needs ``replicate_physics=False``, so that environments may differ.

    Args:
        env: the environment.
        env_ids: environments; None: all.
        scale_range: smallest and largest factor of all axes together, or of each by ``x``, ``y``
            and ``z``, where one that is missing keeps its size.
        asset_cfg: the rigid object.
        relative_child_path: path below the object's prim of what is scaled; None: the prim itself.

    Raises:
        StageError: the simulation was started, or there is no such prim.
        UnsupportedError: it is no rigid object, whose parts do not move against each other, or
            lies outside the environments, or these are to be alike.
        InvalidValueError: a factor is not above 0, or limits are not in order.
    """
    paths, below = env.scene.env_prim_paths, _below_environment(env, asset_cfg.name)
    if relative_child_path:
        below += f"/{relative_child_path.strip('/')}"
    if env.scene.cfg.replicate_physics and env.num_envs > 1:
        raise UnsupportedError(
            "InteractiveSceneCfg.replicate_physics is True, so that environments are to be alike. "
            "Set it to False, as they are to differ in their scales."
        )
    if isinstance(scale_range, dict):
        ranges = [scale_range.get(axis, (1.0, 1.0)) for axis in _AXES]
    else:
        ranges = [scale_range]
    for limits in ranges:
        interval("scale_range", limits, 0.0, above=True)
    rows = torch.arange(env.num_envs) if env_ids is None else env_ids.cpu()
    bounds = torch.tensor(ranges, device=env.device)
    on_device = rows.to(env.device)
    drawn = env.streams.uniform(bounds[:, 0], bounds[:, 1], (len(ranges),), on_device)
    for row, factors in zip(rows.tolist(), drawn.cpu().tolist(), strict=True):
        prim = env.sim.stage.GetPrimAtPath(paths[row] + below)
        if not prim:
            raise StageError(
                f"No prim at {paths[row]}{below}, which randomize_rigid_body_scale is to scale."
            )
        set_local_pose(prim, local_pose(prim)[0], scale=factors * (3 // len(factors)))


def _below_environment(env: ManagerBasedEnv, name: str) -> str:
    """Path of a rigid object that has not been compiled yet, from that of its environment."""
    asset = env.scene[name]
    if not isinstance(asset, RigidObject):
        raise UnsupportedError(
            f"{name!r} is no rigid object: spawn several files of different sizes instead"
        )
    if asset.is_initialized:
        raise StageError(
            "Scales are compiled when the simulation starts. Use an event of mode 'prestartup'."
        )
    first = env.scene.env_prim_paths[0]
    local = first_environment(asset.cfg.prim_path, env.scene.env_prim_paths)
    if not is_below(local, first):
        raise UnsupportedError(
            f"{name!r} is at {local}, outside the environments, which share its one size. "
            "Spawn it below {ENV_REGEX_NS}."
        )
    return local[len(first) :]
