"""Running scenes: simulations, many environments, recordings, pictures, poses written back.

Names are imported on first use: recording needs nothing of what assets need.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from usdsim.render import EngineReader as EngineReader
    from usdsim.render import Renderer as Renderer
    from usdsim.render import frame_points as frame_points
    from usdsim.render import look_at as look_at
    from usdsim.render import render_picture as render_picture
    from usdsim.render import write_png as write_png

    from .cfg import SimulationCfg as SimulationCfg
    from .context import SimulationContext as SimulationContext
    from .context import build_simulation_context as build_simulation_context
    from .environments import Environments as Environments
    from .environments import find_environments as find_environments
    from .interactive_scene import Extra as Extra
    from .interactive_scene import InteractiveScene as InteractiveScene
    from .interactive_scene_cfg import InteractiveSceneCfg as InteractiveSceneCfg
    from .recorder import PoseReader as PoseReader
    from .recorder import Recorder as Recorder
    from .worlds import Worlds as Worlds
    from .worlds import build_worlds as build_worlds
    from .worlds import create_engine as create_engine
    from .writeback import PoseWriter as PoseWriter
    from .writeback import write_poses as write_poses

_LAZY = {
    "EngineReader": "usdsim.render",
    "Environments": "environments",
    "Extra": "interactive_scene",
    "InteractiveScene": "interactive_scene",
    "InteractiveSceneCfg": "interactive_scene_cfg",
    "PoseReader": "recorder",
    "PoseWriter": "writeback",
    "Recorder": "recorder",
    "Renderer": "usdsim.render",
    "SimulationCfg": "cfg",
    "SimulationContext": "context",
    "Worlds": "worlds",
    "build_simulation_context": "context",
    "build_worlds": "worlds",
    "create_engine": "worlds",
    "find_environments": "environments",
    "frame_points": "usdsim.render",
    "look_at": "usdsim.render",
    "render_picture": "usdsim.render",
    "write_png": "usdsim.render",
    "write_poses": "writeback",
}

__all__ = [*_LAZY]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _LAZY[name] if "." in _LAZY[name] else f".{_LAZY[name]}"
    value = getattr(importlib.import_module(module, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
