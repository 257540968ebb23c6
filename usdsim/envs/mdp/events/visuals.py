"""Randomised looks: colours, textures and light that cameras see, and where they see it from.

Looks are those of worlds, see `usdsim.render.WorldLooks`: all cameras see them, and the stage stays
as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from usdsim.assets.common.matching import matching_prims
from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.envs.managers.base import ManagerTermBase
from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.math.tensors import quat_from_euler_xyz
from usdsim.render.png import read_image
from usdsim.render.worlds.looks import WorldLooks, world_looks
from usdsim.sensors import Camera

from .resets import AXES, Ranges, drawn

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedEnv

__all__ = [
    "randomize_camera_intrinsics",
    "randomize_camera_pose",
    "randomize_light",
    "randomize_visual_color",
    "randomize_visual_texture_material",
]

Colours = Sequence[Sequence[float]] | Mapping[str, tuple[float, float]]
"""Colours to choose from, or lowest and highest ``r``, ``g`` and ``b``."""


class _PaintedAsset(ManagerTermBase):
    """A term that paints prims of an asset."""

    draws_worlds = True
    """Whether it needs worlds, so that events of mode ``prestartup`` wait for the start."""

    def __init__(self, cfg: Any, env: Any):
        super().__init__(cfg, env)
        below = cfg.params.get("mesh_name", "").strip("/")
        expression = env.scene[cfg.params["asset_cfg"].name].cfg.prim_path
        found = matching_prims(env.sim.engine.compiled.scene, expression, env.sim.env_paths)
        self._paths = [f"{path}/{below}" if below else path for path in found]


class randomize_visual_color(_PaintedAsset):
    """Give an asset, or a prim of it, a colour in each environment."""

    def __call__(
        self,
        env: ManagerBasedEnv,
        env_ids: torch.Tensor,
        asset_cfg: SceneEntityCfg,
        colors: Colours,
        mesh_name: str = "",
        event_name: str = "",
    ) -> None:
        """Draw colours.

        Args:
            env: the environment.
            env_ids: environments.
            asset_cfg: the asset.
            colors: what is drawn from, from 0 to 1.
            mesh_name: prim below the asset, as a relative path; empty: all of it.
            event_name: has no effect.
        """
        if isinstance(colors, Mapping):
            rgb = drawn(env, env_ids, colors, ("r", "g", "b"))
        else:
            table = torch.tensor([list(colour) for colour in colors], device=env.device)
            rgb = table[env.streams.integers(0, len(table), 1, env_ids)[:, 0]]
        rgba = np.ones((len(env_ids), 4))
        rgba[:, :3] = rgb.cpu().numpy()
        for path in self._paths:
            _looks(env).set_colours(path, rgba, env_ids.cpu().numpy())


class randomize_visual_texture_material(_PaintedAsset):
    """Give an asset a texture in each environment, once over each of its shapes."""

    def __init__(self, cfg: Any, env: Any):
        super().__init__(cfg, env)
        params = cfg.params
        files: Sequence[str | Path] = params["texture_paths"]
        if not files:
            raise InvalidValueError("texture_paths", files, "at least one picture")
        if any(params.get("texture_rotation", ())):
            raise InvalidValueError(
                "texture_rotation", params["texture_rotation"], "(0, 0): textures are not turned"
            )
        self._images = [read_image(file) for file in files]

    def __call__(
        self,
        env: ManagerBasedEnv,
        env_ids: torch.Tensor,
        asset_cfg: SceneEntityCfg,
        texture_paths: Sequence[str | Path],
        texture_rotation: tuple[float, float] = (0.0, 0.0),
        mesh_name: str = "",
        event_name: str = "",
    ) -> None:
        """Draw textures.

        Args:
            env: the environment.
            env_ids: environments.
            asset_cfg: the asset.
            texture_paths: PNG files.
            texture_rotation: (0, 0).
            mesh_name: prim below the asset, as a relative path; empty: all of it.
            event_name: has no effect.
        """
        choice = env.streams.integers(0, len(self._images), 1, env_ids)[:, 0].cpu().numpy()
        for path in self._paths:
            _looks(env).set_textures(path, self._images, choice, env_ids.cpu().numpy())


def randomize_light(
    env: ManagerBasedEnv,
    env_ids: torch.Tensor,
    elevation_range: tuple[float, float] | None = None,
    azimuth_range: tuple[float, float] = (-np.pi, np.pi),
    sun_range: Mapping[str, tuple[float, float]] | None = None,
    ambient_range: Mapping[str, tuple[float, float]] | None = None,
    brightness_range: tuple[float, float] | None = None,
) -> None:
    """Draw the light of environments; what has no range stays as it is.

    Args:
        env: the environment.
        env_ids: environments.
        elevation_range: of the sun over the horizon [rad]; None: it does not move.
        azimuth_range: of the sun, from +x towards +y [rad].
        sun_range: lowest and highest ``r``, ``g`` and ``b`` of the sun.
        ambient_range: the same of the light from everywhere.
        brightness_range: of a factor of all light.
    """
    light: dict[str, NDArray[np.float64]] = {}
    if elevation_range is not None:
        limits = {"elevation": elevation_range, "azimuth": azimuth_range}
        up, around = _numbers(drawn(env, env_ids, limits, ("elevation", "azimuth"))).T
        light["direction"] = np.stack(
            [np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)], axis=1
        )
    for name, ranges in (("sun", sun_range), ("ambient", ambient_range)):
        if ranges is not None:
            light[name] = _numbers(drawn(env, env_ids, ranges, ("r", "g", "b")))
    if brightness_range is not None:
        factor = _numbers(env.streams.between(brightness_range, 1, env_ids))
        light["brightness"] = np.repeat(factor, 3, axis=1)
    _looks(env).set_light(**light, worlds=env_ids.cpu().numpy())


def randomize_camera_pose(
    env: ManagerBasedEnv,
    env_ids: torch.Tensor,
    pose_range: Ranges,
    sensor_cfg: SceneEntityCfg,
) -> None:
    """Move cameras from where the stage has them.

    Args:
        env: the environment.
        env_ids: environments.
        pose_range: intervals for x, y, z [m], roll, pitch, yaw [rad], in the camera's frame, which
            looks along -z with +y up.
        sensor_cfg: the camera.
    """
    camera = _camera(env, sensor_cfg)
    shift = drawn(env, env_ids, pose_range, AXES)
    turn = _numbers(quat_from_euler_xyz(*shift[:, 3:].unbind(1)))
    rows, each = _instances(env, camera, env_ids)
    camera.set_offsets(_numbers(shift[:, :3])[each], turn[each], rows)


def randomize_camera_intrinsics(
    env: ManagerBasedEnv,
    env_ids: torch.Tensor,
    sensor_cfg: SceneEntityCfg,
    focal_range: tuple[float, float] = (1.0, 1.0),
    centre_range: tuple[float, float] = (0.0, 0.0),
) -> None:
    """Give cameras lenses drawn about those of the stage.

    Args:
        env: the environment.
        env_ids: environments.
        sensor_cfg: the camera.
        focal_range: of a factor on both focal lengths.
        centre_range: of shifts of the optical axis, column and row [pixels].
    """
    camera = _camera(env, sensor_cfg)
    limits = {"focal": focal_range, "column": centre_range, "row": centre_range}
    change = _numbers(drawn(env, env_ids, limits, ("focal", "column", "row")))
    rows, each = _instances(env, camera, env_ids)
    matrices = camera.default_intrinsic_matrices[rows]
    matrices[:, [0, 1], [0, 1]] *= change[each, :1]
    matrices[:, :2, 2] += change[each, 1:]
    camera.set_intrinsic_matrices(matrices, env_ids=rows)


def _looks(env: Any) -> WorldLooks:
    return world_looks(env.sim.stage, env.sim.engine)


def _camera(env: Any, cfg: SceneEntityCfg) -> Camera:
    found = env.scene[cfg.name]
    if not isinstance(found, Camera):
        cameras = [name for name in env.scene.keys() if isinstance(env.scene[name], Camera)]  # noqa: SIM118
        raise UnknownNameError("camera", cfg.name, cameras, "the scene")
    return found


def _instances(
    env: Any, camera: Camera, env_ids: torch.Tensor
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Instances of a camera in environments, and which of the environments each is in."""
    per_env = camera.num_instances // env.num_envs
    ids = env_ids.cpu().numpy()
    rows = (ids[:, None] * per_env + np.arange(per_env)).reshape(-1)
    return rows, np.repeat(np.arange(len(ids)), per_env)


def _numbers(values: torch.Tensor) -> NDArray[np.float64]:
    found: NDArray[np.float64] = values.cpu().numpy().astype(np.float64)
    return found
