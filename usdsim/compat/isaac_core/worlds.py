"""Worlds of Isaac Sim: simulations that have a scene, and steps that render."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from pxr import UsdGeom

from usdsim.actuators.drive_replacement import prepare_drives
from usdsim.compat.app import on_frame
from usdsim.compat.carb_settings import get_settings
from usdsim.compat.simulation_cfg import SimulationCfg
from usdsim.core.errors import StageError
from usdsim.parser.description import SceneDescription
from usdsim.sim import SimulationCfg as _SimulationCfg
from usdsim.sim import SimulationContext as _SimulationContext

from .scenes import Scene

__all__ = ["SimulationContext", "World"]


_FRAME = 1.0 / 60.0
"""Time of a frame, and time step where nothing says another [s]."""


class World(_SimulationContext):
    """A simulation with a `scene`; there is one at a time.

    All joints of articulations have drives in it, so that robots may be wrapped after the start.

    Args:
        physics_dt: time step [s]; None: 1/60.
        rendering_dt: time of a `step` that renders [s]; None: 1/60.
        stage_units_in_meters: length of the stage's unit [m]; None: as it is.
        physics_prim_path: path of the physics scene.
        backend: ``numpy`` or ``torch``, the kind of arrays that views tell.
        device: where to simulate; None: the CPU.
        **others: accepted without effect.

    Attributes:
        scene: what is in it.
        backend: the kind of arrays.
        as_authored: whether a timeline has made it, of the stage as it is.

    Raises:
        StageError: there is a simulation already that is no world.
    """

    backend = "numpy"
    as_authored = False

    def __new__(cls, *args: Any, **kwargs: Any) -> World:
        """The world there is, or a new one."""
        known = _SimulationContext.instance()
        if known is not None and not isinstance(known, World):
            raise StageError(
                "There is a simulation already, which is no World. Use it, or end it with "
                "SimulationContext.clear_instance() first."
            )
        return known or object.__new__(cls)

    def __init__(
        self,
        physics_dt: float | None = None,
        rendering_dt: float | None = None,
        stage_units_in_meters: float | None = None,
        physics_prim_path: str = "/physicsScene",
        sim_params: Any = None,
        set_defaults: bool = True,
        backend: str = "numpy",
        device: str | None = None,
        **others: Any,
    ):
        if _SimulationContext.instance() is self:
            return
        cfg = SimulationCfg(
            dt=float(physics_dt or _FRAME),
            device=device or "cpu",
            physics_prim_path=physics_prim_path,
        )
        self._begin(cfg, float(rendering_dt or _FRAME))
        if stage_units_in_meters is not None:
            UsdGeom.SetStageMetersPerUnit(self.stage, float(stage_units_in_meters))
        self.backend = backend

    @classmethod
    def of_stage(cls) -> World:
        """A new world of the current stage, with gravity and time step as they are authored.

        Raises:
            StageError: there is a simulation already.
        """
        world = object.__new__(cls)
        world.as_authored = True
        world._begin(_SimulationCfg(dt=None, gravity=None), _FRAME)
        return world

    def _begin(self, cfg: _SimulationCfg, rendering_dt: float) -> None:
        super().__init__(cfg)
        self.scene, self._rendering_dt = Scene(), rendering_dt
        self._settings = get_settings()  # type: ignore[assignment]
        # Held by nobody else; takes part before all views.
        self._preparation = _Preparation()
        self.register(self._preparation)

    # -- time ----------------------------------------------------------------------------------

    def reset(self, soft: bool = False) -> None:
        """Start from the beginning, with objects of the scene in their default states."""
        super().reset(soft)
        self.scene.start()

    def initialize_physics(self) -> None:
        """Start, if it has not."""
        if self.is_stopped():
            super().reset()

    def step(self, render: bool = True, step_sim: bool = True) -> None:
        """Advance time: by a time step, or by `rendering_dt` with `render`; not while paused.

        The stage shows the poses then.

        Args:
            render: whether render callbacks are called.
            step_sim: whether time goes on.

        Raises:
            StageError: it was not started.
        """
        goes_on = step_sim and self.is_playing()
        if goes_on:
            self.step_n(max(1, round(self._rendering_dt / self.physics_dt)) if render else 1)
        if render:
            self.render()
        elif goes_on:
            self.write_back(self.render_env)

    def render(self) -> None:
        """Show the poses on the stage, if there are any yet, and call the render callbacks."""
        if self.is_stopped():
            self._callbacks.on_render.call()
        else:
            super().render()

    def get_rendering_dt(self) -> float:
        """Time of a `step` that renders [s]."""
        return self._rendering_dt

    def set_simulation_dt(
        self, physics_dt: float | None = None, rendering_dt: float | None = None
    ) -> None:
        """Set the time step of the next start, and the time of a `step` that renders [s]."""
        if physics_dt is not None:
            self.cfg.dt = float(physics_dt)
        if rendering_dt is not None:
            self._rendering_dt = float(rendering_dt)

    def add_physics_callback(  # type: ignore[override]
        self,
        physics_callback_name: str,
        callback_fn: Callable[[float], object] | None = None,
        **others: Any,
    ) -> None:
        """Call a function before every time step, with its length [s]."""
        function = callback_fn or others["function"]
        super().add_physics_callback(physics_callback_name, function)

    def add_render_callback(  # type: ignore[override]
        self, callback_name: str, callback_fn: Callable[[Any], object]
    ) -> None:
        """Call a function at every rendering, with an event whose payload tells its time [s]."""

        def call() -> None:
            callback_fn(SimpleNamespace(type=0, payload={"dt": self._rendering_dt}))

        super().add_render_callback(callback_name, call)


class _Preparation:
    """Gives every joint of articulations a drive, and stages without time step that of PhysX."""

    def prepare(self, scene: SceneDescription) -> SceneDescription:
        if scene.timestep is None and "option.timestep" not in scene.options:
            scene = replace(scene, timestep=_FRAME)
        paths = [
            dof.path
            for articulation in scene.articulations
            for joint in articulation.joints
            for dof in scene.joints[joint].dofs
            if dof.kind in ("hinge", "slide")
        ]
        return prepare_drives(scene, paths)[0]

    def initialize(self, simulation: Any) -> None:
        """Nothing."""

    def invalidate(self) -> None:
        """Nothing."""


def _next_frame() -> None:
    """Let the world there is go on by `rendering_dt`, if it plays."""
    world = _SimulationContext.instance()
    if isinstance(world, World) and world.is_playing():
        world.step()


on_frame(_next_frame)

SimulationContext = World
"""The same without a scene, which nobody need use."""
