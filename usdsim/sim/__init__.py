"""Running scenes: simulations, many environments, recordings, pictures, poses written back.

Names are imported on first use: recording needs nothing of what assets need.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from usdsim.sim.environments.finding import Environments as Environments
    from usdsim.sim.environments.finding import find_environments as find_environments
    from usdsim.sim.environments.worlds import Worlds as Worlds
    from usdsim.sim.environments.worlds import build_worlds as build_worlds
    from usdsim.sim.environments.worlds import create_engine as create_engine
    from usdsim.sim.interactive_scene.cfg import InteractiveSceneCfg as InteractiveSceneCfg
    from usdsim.sim.interactive_scene.interactive_scene import Extra as Extra
    from usdsim.sim.interactive_scene.interactive_scene import InteractiveScene as InteractiveScene
    from usdsim.sim.poses.engine_reader import EngineReader as EngineReader
    from usdsim.sim.poses.recorder import PoseReader as PoseReader
    from usdsim.sim.poses.recorder import Recorder as Recorder
    from usdsim.sim.poses.writeback import PoseWriter as PoseWriter
    from usdsim.sim.poses.writeback import write_poses as write_poses

    from .cfg import SimulationCfg as SimulationCfg
    from .context import SimulationContext as SimulationContext
    from .context import build_simulation_context as build_simulation_context
    from .picture import Renderer as Renderer
    from .picture import render_picture as render_picture
    from .picture_framing import frame_points as frame_points
    from .picture_framing import look_at as look_at
    from .png import write_png as write_png

_LAZY = {
    "EngineReader": "poses.engine_reader",
    "Environments": "environments.finding",
    "Extra": "interactive_scene.interactive_scene",
    "InteractiveScene": "interactive_scene.interactive_scene",
    "InteractiveSceneCfg": "interactive_scene.cfg",
    "PoseReader": "poses.recorder",
    "PoseWriter": "poses.writeback",
    "Recorder": "poses.recorder",
    "Renderer": "picture",
    "SimulationCfg": "cfg",
    "SimulationContext": "context",
    "Worlds": "environments.worlds",
    "build_simulation_context": "context",
    "build_worlds": "environments.worlds",
    "create_engine": "environments.worlds",
    "find_environments": "environments.finding",
    "frame_points": "picture_framing",
    "look_at": "picture_framing",
    "render_picture": "picture",
    "write_png": "png",
    "write_poses": "poses.writeback",
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
