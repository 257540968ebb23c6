"""Attributes of Isaac Lab's configurations that have no effect here, or another name."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

from usdsim.compat.markers import (
    BLUE_ARROW_X_MARKER_CFG,
    FRAME_MARKER_CFG,
    GREEN_ARROW_X_MARKER_CFG,
)

__all__ = ["accepted_attributes", "complete_cfg", "rename_spaces"]

_SPACES = {
    "num_actions": "action_space",
    "num_observations": "observation_space",
    "num_states": "state_space",
}
"""Names of spaces by those that they had."""


def accepted_attributes(envs: Any, mdp: Any) -> dict[type, dict[str, Any]]:
    """Classes of configurations, and the attributes they get, with their values.

    Args:
        envs: the package of environments, which needs torch.
        mdp: that of their terms.
    """
    goal = {"goal_vel_visualizer_cfg": GREEN_ARROW_X_MARKER_CFG}
    current = {"current_vel_visualizer_cfg": BLUE_ARROW_X_MARKER_CFG}
    frames = ("goal_pose_visualizer_cfg", "current_pose_visualizer_cfg")
    viewed = {
        "cam_prim_path": "/OmniverseKit_Persp",
        "origin_type": "world",
        "resolution": (1280, 720),
    }
    of_env = {
        "viewer": envs.ViewerCfg(**viewed),
        "log_dir": None,
        "ui_window_class_type": None,
        "video_recorder": None,
        "xr": None,
    }
    rendered = {
        "num_rerenders_on_reset": 0,
        "rerender_on_reset": False,
        "wait_for_textures": True,
    }
    managed = {"export_io_descriptors": False, "isaac_teleop": None, "teleop_devices": None}
    return {
        envs.ViewerCfg: viewed,
        envs.ManagerBasedEnvCfg: {**of_env, **rendered, **managed},
        envs.DirectRLEnvCfg: {**of_env, **rendered, **dict.fromkeys(_SPACES)},
        envs.DirectMARLEnvCfg: dict(of_env),
        mdp.UniformVelocityCommandCfg: {**goal, **current},
        mdp.UniformPoseCommandCfg: dict.fromkeys(frames, FRAME_MARKER_CFG),
        mdp.UniformPose2dCommandCfg: {frames[0]: GREEN_ARROW_X_MARKER_CFG},
    }


def rename_spaces(cfg: Any) -> None:
    """Give spaces of a configuration, where they were not set, what it has under former names."""
    for former, name in _SPACES.items():
        value = getattr(cfg, former, None)
        unset = getattr(cfg, name, None) is None or isinstance(getattr(cfg, name), type(MISSING))
        if isinstance(value, int) and unset:
            setattr(cfg, name, value)


def complete_cfg(cfg: Any, kind: type) -> None:
    """Give a configuration the defaults of a class it is not derived from, where it has no value.

    Args:
        cfg: the configuration, which may say all that a task needs and be of a plainer class.
        kind: the class.
    """
    for name in dir(kind):
        value = getattr(kind, name)
        plain = not (name.startswith("_") or callable(value) or isinstance(value, type(MISSING)))
        if plain and not hasattr(cfg, name):
            setattr(cfg, name, value)
