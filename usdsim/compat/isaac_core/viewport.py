"""Viewport camera of environments: where pictures are taken from, as a configuration says."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from usdsim.core.arguments import whole
from usdsim.envs.simulated import view_origin

__all__ = ["ViewportCameraController"]


class ViewportCameraController:
    """Camera of the viewport: `set_camera_view` of the simulation, from what `ViewerCfg` says.

    Args:
        env: the environment.
        cfg: where the camera is, what it looks at, and from which origin; it is copied.

    Attributes:
        default_cam_eye: position from the origin [m], shape (3,).
        default_cam_lookat: point it looks at, from the origin [m], shape (3,).
        viewer_origin: the origin in world [m], shape (3,).
    """

    def __init__(self, env: Any, cfg: Any):
        self._env, self._cfg = env, copy.deepcopy(cfg)
        self.default_cam_eye = np.array(cfg.eye, float)
        self.default_cam_lookat = np.array(cfg.lookat, float)
        # Assets are not there yet; pictures follow them by `update_view_to_asset_root`.
        if self._cfg.origin_type == "world":
            self.update_view_to_world()
        else:
            self._aim(self._cfg.replace(origin_type="env"))

    @property
    def cfg(self) -> Any:
        """Configuration: where the camera is."""
        return self._cfg

    def set_view_env_index(self, env_index: int) -> None:
        """Choose the environment; the next update of the view shows it.

        Raises:
            InvalidValueError: there is none of this index.
        """
        self.cfg.env_index = whole("env_index", env_index, most=self._env.num_envs - 1)
        if self.cfg.origin_type == "env":
            self.update_view_to_env()

    def update_view_to_world(self) -> None:
        """Look from the origin of the world."""
        self.cfg.origin_type = "world"
        self._aim(self.cfg)

    def update_view_to_env(self) -> None:
        """Look from the origin of the environment."""
        self.cfg.origin_type = "env"
        self._aim(self.cfg)

    def update_view_to_asset_root(self, asset_name: str) -> None:
        """Look from the root of an asset, where it is now."""
        self.cfg.origin_type, self.cfg.asset_name = "asset_root", asset_name
        self._aim(self.cfg)

    def update_view_to_asset_body(self, asset_name: str, body_name: str) -> None:
        """Look from a body of an asset, where it is now."""
        self.cfg.origin_type, self.cfg.asset_name = "asset_body", asset_name
        self.cfg.body_name = body_name
        self._aim(self.cfg)

    def update_view_location(
        self, eye: ArrayLike | None = None, lookat: ArrayLike | None = None
    ) -> None:
        """Aim the camera.

        Args:
            eye: position from the origin [m]; None: as it is.
            lookat: point it looks at, from the origin [m]; None: as it is.
        """
        if eye is not None:
            self.default_cam_eye = np.array(eye, float)
        if lookat is not None:
            self.default_cam_lookat = np.array(lookat, float)
        simulation, origin = self._env.sim, self.viewer_origin
        simulation.render_env = self.cfg.env_index
        simulation.set_camera_view(origin + self.default_cam_eye, origin + self.default_cam_lookat)

    def _aim(self, cfg: Any) -> None:
        self.viewer_origin = view_origin(cfg, self._env.scene)
        self.update_view_location()
