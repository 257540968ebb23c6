"""Members of simulations that Isaac Lab 1.x and 2.x have from Isaac Sim's own class of them."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from pxr import Sdf, UsdPhysics

from usdsim.compat.app import takes_pictures
from usdsim.compat.stages import clear_stage, use_stage
from usdsim.compat.told import Told
from usdsim.compat.versions import SIM_VERSION
from usdsim.sim import SimulationContext
from usdsim.sim.callbacks import Callbacks

from .physics_views import PhysicsSimView

__all__ = ["PhysicsContext", "RenderMode", "Timeline", "application_members"]


class RenderMode(IntEnum):
    """Rendering of a step: nothing is drawn in any mode; cameras and annotators draw when read."""

    NO_GUI_OR_RENDERING = -1
    NO_RENDERING = 0
    PARTIAL_RENDERING = 1
    FULL_RENDERING = 2


class PhysicsContext:
    """The settings of a simulation's physics scene.

    Args:
        simulation: the simulation.
    """

    def __init__(self, simulation: SimulationContext):
        self._simulation = simulation

    @property
    def prim_path(self) -> str:
        """Prim path of the physics scene."""
        return self._simulation.cfg.physics_prim_path

    def get_physics_dt(self) -> float:
        """Time step [s]."""
        return self._simulation.get_physics_dt()

    def get_gravity(self) -> tuple[list[float], float]:
        """Direction in world, shape (3,), and magnitude [m/s^2] of the gravity authored."""
        scene = self._scene()
        direction, magnitude = scene.GetGravityDirectionAttr(), scene.GetGravityMagnitudeAttr()
        return [float(part) for part in direction.Get()], float(magnitude.Get())

    def set_gravity(self, value: float) -> None:
        """Author gravity along z in world [m/s^2]; environments that run have it at once."""
        scene = self._scene()
        scene.CreateGravityDirectionAttr((0.0, 0.0, 1.0 if value > 0.0 else -1.0))
        scene.CreateGravityMagnitudeAttr(abs(value))
        if not self._simulation.is_stopped():
            PhysicsSimView(self._simulation).set_gravity((0.0, 0.0, value))

    def _scene(self) -> UsdPhysics.Scene:
        return UsdPhysics.Scene.Get(self._simulation.stage, self.prim_path)


class Timeline:
    """Time of a simulation, as a timeline of an application has it.

    Args:
        simulation: the simulation.
    """

    def __init__(self, simulation: SimulationContext):
        self.play, self.pause, self.stop = simulation.play, simulation.pause, simulation.stop
        self.is_playing, self.is_stopped = simulation.is_playing, simulation.is_stopped
        self.get_current_time = lambda: simulation.current_time


def _clear(simulation: SimulationContext) -> None:
    """Remove what is on the stage, but for the world, the physics scene and what is below it."""
    kept = Sdf.Path(simulation.cfg.physics_prim_path)
    root = Sdf.Path("/World")

    def goes(prim: Any) -> bool:
        path = prim.GetPath()
        return not (path == root or kept.HasPrefix(path) or path.HasPrefix(kept))

    with use_stage(simulation.stage):
        clear_stage(goes)


def _render_mode(_: SimulationContext) -> RenderMode:
    """Mode of drawing: pictures where the application was asked for cameras."""
    return RenderMode.PARTIAL_RENDERING if takes_pictures() else RenderMode.NO_GUI_OR_RENDERING


def _set_render_mode(simulation: Any, mode: RenderMode) -> None:
    """Choose what is drawn with a step, for those who ask for it."""
    simulation.render_mode = RenderMode(mode)


_OCCASIONS = {
    "physics": ("on_physics",),
    "render": ("on_render",),
    "timeline": ("on_play", "on_stop"),
}
"""Kinds of callbacks, and those of a simulation that they are."""


def _kinds(simulation: Any, kinds: tuple[str, ...]) -> list[Callbacks]:
    return [getattr(simulation._callbacks, name) for kind in kinds for name in _OCCASIONS[kind]]


def _callback_members(kind: str) -> dict[str, Any]:
    """The members that ask for callbacks of a kind by name, and that remove all of it."""

    def exists(simulation: Any, callback_name: str) -> bool:
        return any(callback_name in callbacks for callbacks in _kinds(simulation, (kind,)))

    return {f"{kind}_callback_exists": exists, f"clear_{kind}_callbacks": _clearing(kind)}


def _clearing(*kinds: str) -> Any:
    def clear(simulation: Any) -> None:
        for callbacks in _kinds(simulation, kinds):
            callbacks.clear()

    return clear


def application_members() -> dict[type, dict[str, Any]]:
    """The class and the members it gets."""
    members: dict[str, Any] = {
        "RenderMode": RenderMode,
        "_timeline": Told(Timeline),
        "clear": _clear,
        "clear_all_callbacks": _clearing(*_OCCASIONS),
        "clear_stage": _clear,
        "current_time_step_index": Told(lambda simulation: simulation._steps),
        "get_initial_stage": lambda simulation: simulation.stage,
        "get_physics_context": lambda simulation: PhysicsContext(simulation),
        "get_version": lambda _: tuple(SIM_VERSION),
        "is_fabric_enabled": lambda simulation: (
            getattr(simulation.cfg, "use_fabric", True) is not False
        ),
        "is_simulating": lambda simulation: not simulation.is_stopped(),
        "render_mode": Told(_render_mode),
        "set_render_mode": _set_render_mode,
    }
    for kind in _OCCASIONS:
        members |= _callback_members(kind)
    return {SimulationContext: members}
