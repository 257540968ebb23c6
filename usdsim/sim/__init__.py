"""Running scenes: simulations, many environments, recordings, pictures, poses written back.

Names are imported on first use: recording needs nothing of what assets need.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cfg import SimulationCfg as SimulationCfg
    from .context import SimulationContext as SimulationContext
    from .context import build_simulation_context as build_simulation_context
    from .engine_reader import EngineReader as EngineReader
    from .environments import Environments as Environments
    from .environments import find_environments as find_environments
    from .interactive_scene import Extra as Extra
    from .interactive_scene import InteractiveScene as InteractiveScene
    from .interactive_scene_cfg import InteractiveSceneCfg as InteractiveSceneCfg
    from .picture import Renderer as Renderer
    from .picture import render_picture as render_picture
    from .picture_framing import frame_points as frame_points
    from .picture_framing import look_at as look_at
    from .png import write_png as write_png
    from .recorder import PoseReader as PoseReader
    from .recorder import Recorder as Recorder
    from .worlds import Worlds as Worlds
    from .worlds import build_worlds as build_worlds
    from .worlds import create_engine as create_engine
    from .writeback import PoseWriter as PoseWriter
    from .writeback import write_poses as write_poses

_LAZY = {
    "EngineReader": "engine_reader",
    "Environments": "environments",
    "Extra": "interactive_scene",
    "InteractiveScene": "interactive_scene",
    "InteractiveSceneCfg": "interactive_scene_cfg",
    "PoseReader": "recorder",
    "PoseWriter": "writeback",
    "Recorder": "recorder",
    "Renderer": "picture",
    "SimulationCfg": "cfg",
    "SimulationContext": "context",
    "Worlds": "worlds",
    "build_simulation_context": "context",
    "build_worlds": "worlds",
    "create_engine": "worlds",
    "find_environments": "environments",
    "frame_points": "picture_framing",
    "look_at": "picture_framing",
    "render_picture": "picture",
    "write_png": "png",
    "write_poses": "writeback",
}

__all__ = [*_LAZY]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
