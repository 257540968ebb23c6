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
    from usdsim.sim.environments.finding import Environments as Environments
    from usdsim.sim.environments.finding import find_environments as find_environments
    from usdsim.sim.environments.worlds import Worlds as Worlds
    from usdsim.sim.environments.worlds import build_worlds as build_worlds
    from usdsim.sim.environments.worlds import create_engine as create_engine
    from usdsim.sim.interactive_scene.cfg import InteractiveSceneCfg as InteractiveSceneCfg
    from usdsim.sim.interactive_scene.interactive_scene import Extra as Extra
    from usdsim.sim.interactive_scene.interactive_scene import InteractiveScene as InteractiveScene
    from usdsim.sim.poses.recorder import PoseReader as PoseReader
    from usdsim.sim.poses.recorder import Recorder as Recorder
    from usdsim.sim.poses.writeback import PoseWriter as PoseWriter
    from usdsim.sim.poses.writeback import write_poses as write_poses

    from .building import build_simulation_context as build_simulation_context
    from .cfg import SimulationCfg as SimulationCfg
    from .context import SimulationContext as SimulationContext
    from .markers import VisualizationMarkers as VisualizationMarkers
    from .markers import VisualizationMarkersCfg as VisualizationMarkersCfg

_LAZY = {
    "EngineReader": "usdsim.render",
    "Environments": "environments.finding",
    "Extra": "interactive_scene.interactive_scene",
    "InteractiveScene": "interactive_scene.interactive_scene",
    "InteractiveSceneCfg": "interactive_scene.cfg",
    "PoseReader": "poses.recorder",
    "PoseWriter": "poses.writeback",
    "Recorder": "poses.recorder",
    "Renderer": "usdsim.render",
    "SimulationCfg": "cfg",
    "SimulationContext": "context",
    "VisualizationMarkers": "markers",
    "VisualizationMarkersCfg": "markers",
    "Worlds": "environments.worlds",
    "build_simulation_context": "building",
    "build_worlds": "environments.worlds",
    "create_engine": "environments.worlds",
    "find_environments": "environments.finding",
    "write_poses": "poses.writeback",
    "frame_points": "usdsim.render",
    "look_at": "usdsim.render",
    "render_picture": "usdsim.render",
    "write_png": "usdsim.render",
}

__all__ = [*_LAZY]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _LAZY[name] if _LAZY[name].startswith("usdsim.") else f".{_LAZY[name]}"
    value = getattr(importlib.import_module(module, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
