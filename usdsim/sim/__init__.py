"""Running scenes: simulations, many environments, recordings, pictures, poses written back.

Names are imported on first use: recording needs nothing of what assets need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usdsim.core.lazy import lazy_names

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

__getattr__, __dir__, __all__ = lazy_names(__name__)
