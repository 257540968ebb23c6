"""Scene entities of terms: the robot by default, and the data of an entity."""

from __future__ import annotations

from typing import Any

from usdsim.envs.managers.scene_entity import SceneEntityCfg

__all__ = ["CAMERA", "IMU", "OBJECT", "ROBOT", "data_of"]

ROBOT = SceneEntityCfg("robot")
"""The asset terms are about, unless told otherwise."""
OBJECT = SceneEntityCfg("object")
"""Object that is manipulated, unless told otherwise."""
IMU = SceneEntityCfg("imu")
"""The inertial unit of terms, unless told otherwise."""
CAMERA = SceneEntityCfg("tiled_camera")
"""The camera of terms, unless told otherwise."""


def data_of(env: Any, cfg: SceneEntityCfg) -> Any:
    """Data of an asset or sensor of the environment's scene."""
    return env.scene[cfg.name].data
