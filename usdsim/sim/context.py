"""Simulation context: the running simulation of a stage."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from enum import Enum
from typing import Self
from weakref import ref

import numpy as np
from numpy.typing import NDArray
from pxr import Usd

from usdsim.assets.participation import Participant, set_current_simulation
from usdsim.core.arguments import whole
from usdsim.core.errors import StageError
from usdsim.engine import Engine
from usdsim.engine.base import device_engine
from usdsim.engine.create import array_device
from usdsim.parser.description import SceneDescription
from usdsim.parser.report import Report
from usdsim.sim.environments.finding import Environments, find_environments
from usdsim.sim.environments.worlds import Worlds, build_worlds
from usdsim.sim.poses.recorder import Recorder
from usdsim.usd.stage import create_stage, current_stage, stage_name, use_stage

from .cfg import SimulationCfg
from .display import Display
from .members import SimulationMembers
from .physics_scene import author_physics_scene, with_settings
from .unreferenced_options import options_left_behind

__all__ = ["SimulationContext"]


_AS_AUTHORED = SimulationCfg(dt=None, gravity=None)


class _State(Enum):
    STOPPED = "stopped"
    PLAYING = "playing"
    PAUSED = "paused"


class SimulationContext(SimulationMembers):
    """Simulates a stage: every environment in a world of its own.

    There is one at a time, which `SimulationContext()` without arguments returns again. Assets and
    sensors created while there is one take part in it; `reset` reads the stage, starts the engine
    and binds them to it. It ends with `clear_instance`, or with the ``with`` block it is used in.

    Args:
        cfg: how to simulate; None: all as authored on the stage.
        stage: the stage; None: the current one, or a new one if there is none. It is the current
            stage from now on.

    Raises:
        StageError: there is a simulation already, and arguments for another are given.
        InvalidValueError: a value of the configuration is not allowed.

    Attributes:
        cfg: how it simulates.
        device: where arrays live.
        render_env: index of the environment that `render` shows.
    """

    holds_participants = True
    """Whether assets and sensors live as long as it does, if nobody else has them."""
    _instance: SimulationContext | None = None

    def __new__(
        cls, cfg: SimulationCfg | None = None, stage: Usd.Stage | None = None
    ) -> SimulationContext:
        """The simulation there is, if it is asked for without arguments, or a new one."""
        return SimulationContext._instance or super().__new__(cls)

    def __init__(self, cfg: SimulationCfg | None = None, stage: Usd.Stage | None = None):
        if SimulationContext._instance is not None:
            if cfg is None and stage is None:
                return
            raise StageError(
                "There is a simulation already. End it with SimulationContext.clear_instance(), or "
                "use `with SimulationContext(...) as sim:`."
            )
        self.cfg = replace(cfg if cfg is not None else _AS_AUTHORED)
        self.cfg.validate()
        self.cfg.tell_unused()
        self.device: str = array_device(self.cfg.device)
        self.render_env = 0
        self._leave = ExitStack()
        self._stage = _enter(stage, self._leave)
        self._references: list[Callable[[], Participant | None]] = []
        self._worlds: Worlds | None = None
        self._state = _State.STOPPED
        self._notes: list[tuple[str, str]] = []
        self._left_behind: list[tuple[str, str]] = []
        self._steps = 0
        self._dt = 0.0
        self._display = Display(self._stage)
        try:
            author_physics_scene(self._stage, self.cfg, find_environments(self._stage))
        except Exception:
            self._leave.close()
            raise
        SimulationContext._instance = self
        set_current_simulation(self)

    # -- life ----------------------------------------------------------------------------------

    @classmethod
    def instance(cls) -> SimulationContext | None:
        """The simulation there is, or None."""
        return SimulationContext._instance

    @classmethod
    def clear_instance(cls) -> None:
        """End the simulation there is, if any: stop it and forget who took part."""
        current = SimulationContext._instance
        if current is None:
            return
        try:
            current.stop()
        finally:
            current._references.clear()
            current._leave.close()
            SimulationContext._instance = None
            set_current_simulation(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if SimulationContext._instance is self:
            SimulationContext.clear_instance()

    def register(self, participant: Participant) -> None:
        """Register an asset or sensor, which takes part from the next `reset` on."""
        if not any(known is participant for known in self._participants()):
            held = self.holds_participants
            self._references.append((lambda: participant) if held else ref(participant))

    def unregister(self, participant: Participant) -> None:
        """Remove an asset or sensor; what is compiled stays until `reset`."""
        self._references = [r for r in self._references if r() is not participant]

    # -- what is simulated ---------------------------------------------------------------------

    @property
    def stage(self) -> Usd.Stage:
        """The stage."""
        return self._stage

    @property
    def engine(self) -> Engine:
        """The engine.

        Raises:
            StageError: the simulation was not started.
        """
        return self._running().engine

    @property
    def report(self) -> Report:
        """Report of parsing the stage.

        Raises:
            StageError: the simulation was not started.
        """
        return self._running().report

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """Prim path or file and message of what is simulated differently than authored.

        Raises:
            StageError: the simulation was not started.
        """
        return (*self._notes, *self._left_behind, *self._running().engine.compiled.notes)

    @property
    def environments(self) -> Environments:
        """The environments: those simulated, or before the start those on the stage."""
        if self._worlds is not None:
            return self._worlds.environments
        return find_environments(self._stage)

    @property
    def num_envs(self) -> int:
        """Number of worlds: one per environment, or one."""
        return max(len(self.environments), 1)

    @property
    def env_paths(self) -> tuple[str, ...]:
        """Prim paths of the environments; empty if the stage has none."""
        return self.environments.paths

    @property
    def env_origins(self) -> NDArray[np.float64]:
        """Origins of the environments in world [m], shape (num_envs, 3)."""
        environments = self.environments
        return environments.origins.copy() if len(environments) else np.zeros((1, 3))

    @property
    def physics_dt(self) -> float:
        """Time step [s].

        Raises:
            StageError: it is not configured, and the simulation was not started.
        """
        if self._worlds is None and self.cfg.dt is not None:
            return float(self.cfg.dt)
        self._running()
        return self._dt

    def get_physics_dt(self) -> float:
        """Time step [s]; see `physics_dt`."""
        return self.physics_dt

    @property
    def current_time(self) -> float:
        """Simulated time since the last `reset` of everything [s]."""
        return self._steps * self._dt

    # -- time ----------------------------------------------------------------------------------

    def reset(self, soft: bool = False) -> None:
        """Start from the beginning.

        Args:
            soft: only return to the initial state; otherwise the stage is read again, and assets
                and sensors are bound to a new engine.

        Raises:
            StageError: the stage cannot be simulated, `soft` and the simulation was not started, or
                it was ended.
            ParseError: the stage is physically invalid, or has no physics.
            CompileError: the engine refuses the scene.
        """
        if soft:
            self._running().engine.reset()
            self._steps = 0
            return
        if SimulationContext._instance is not self:
            raise self._refusal()
        self.stop()
        self._worlds = self._build()
        self._worlds.report.log(stage_name(self._stage), "SimulationContext.report")
        engine = self._worlds.engine
        self._left_behind = options_left_behind(self._stage, self.environments, engine.compiled.mj)
        self._dt = float(engine.param("opt.timestep")[0])
        self._steps = 0
        try:
            for participant in self._participants():
                participant.initialize(self)
        except Exception:
            self._forget()
            raise
        self._state = _State.PLAYING
        self._callbacks.on_play.call()

    def play(self) -> None:
        """Resume after `pause`, or start with `reset`."""
        if self._state is _State.STOPPED:
            self.reset()
        elif self._state is _State.PAUSED:
            self._state = _State.PLAYING
            self._callbacks.on_play.call()

    def pause(self) -> None:
        """Stop the time until `play`; everything can be read and written meanwhile."""
        if self._state is _State.PLAYING:
            self._state = _State.PAUSED

    def stop(self) -> None:
        """End the run: the engine goes, and assets and sensors with it, until the next `reset`."""
        if self._worlds is None:
            return
        self._forget()
        self._callbacks.on_stop.call()

    def is_playing(self) -> bool:
        """Whether the engine exists and steps advance time."""
        return self._state is _State.PLAYING

    def is_paused(self) -> bool:
        """Whether the engine exists, but time stands still."""
        return self._state is _State.PAUSED

    def is_stopped(self) -> bool:
        """Whether there is no engine."""
        return self._state is _State.STOPPED

    @property
    def calls_back(self) -> bool:
        """Whether there are physics callbacks, which are called before each step."""
        return bool(self._callbacks.on_physics)

    def step(self, render: bool = False) -> None:
        """Advance all worlds by one time step.

        Args:
            render: whether to `render` every `SimulationCfg.render_interval` steps.

        Raises:
            StageError: the simulation was not started, or is paused.
            SimulationError: worlds failed, and the configuration says to raise.
        """
        self.step_n(1, render=render)

    def step_n(
        self,
        n: int,
        render: bool = False,
        *,
        starts: Mapping[str, NDArray[np.float64]] | None = None,
    ) -> None:
        """Advance all worlds by `n` time steps, in one go unless there are callbacks.

        Inputs are held: the engine does what `n` calls of `step` would do with nothing between
        them, bit for bit. Where worlds fail, the others make all steps before it is raised.

        Args:
            n: number of steps.
            render: whether to `render` every `SimulationCfg.render_interval` steps.
            starts: arrays that get fields of the engine's state as the last step starts from them,
                by name.

        Raises:
            StageError: the simulation was not started, or is paused.
            SimulationError: worlds failed, and the configuration says to raise.
        """
        engine = self._stepping()
        n, callbacks = whole("n", n), self._callbacks.on_physics
        one_by_one = render or bool(callbacks)
        count = 1 if one_by_one else n
        for _ in range(n // count if count else 0):
            if one_by_one:
                callbacks.call(self._dt)
            # Worlds that fail do not keep the others from having moved on.
            self._steps += count
            engine.step(count, starts=starts)
            if render and self._steps % self.cfg.render_interval == 0:
                self.render()

    def prepare_step(self, dt: float) -> Hashable | None:
        """Get ready for a step that a recording makes; see `InteractiveScene.simulate`.

        Returns:
            What the physics of a step depends on. None: it cannot be recorded, as the engine does
            not record, or there are callbacks before steps.

        Raises:
            StageError: the simulation was not started, or is paused.
        """
        engine = self._stepping().on_device
        if self._callbacks.on_physics or engine is None:
            return None
        return engine.prepare_step()

    def launch_step(self) -> None:
        """Launch the physics of a step on a device; see `StepPart`."""
        device_engine(self._running().engine).launch_step()

    def note_step(self, dt: float) -> None:
        """Record a step that was launched; see `StepPart`.

        Raises:
            SimulationError: worlds failed, and the configuration says to raise.
        """
        self._steps += 1
        device_engine(self._running().engine).note_step()

    def forward(self) -> None:
        """Compute all that follows from the current state, without advancing time."""
        self._running().engine.forward()

    # -- looking on ----------------------------------------------------------------------------

    def render(self) -> None:
        """Show the world of `render_env` on the stage, and call the render callbacks."""
        self.write_back(self.render_env)
        self._callbacks.on_render.call()

    def write_back(self, env_id: int = 0) -> None:
        """Move the bodies of an environment's prims to where they are in its world.

        The poses lie in a layer of their own over the session layer, so that viewers of the stage
        show them and nothing authored changes. Clones that refer to the first environment follow
        it. `stop` and `reset` remove them.

        Raises:
            InvalidValueError: there is no such environment.
        """
        worlds = self._running()
        self._display.show(worlds.engine, self._scene_of(env_id), env_id)

    def recorder(
        self, path: str | os.PathLike[str], env_id: int = 0, fps: float | None = None
    ) -> Recorder:
        """A recorder of one world; call its `record` after each step.

        A stage in memory is written beside it with that environment and what all share.

        Args:
            path: the recording, a ``.usd``, ``.usda`` or ``.usdc`` file.
            env_id: index of the environment.
            fps: frames per second; None: the stage's own rate, or 60 if it states none.

        Raises:
            InvalidValueError: there is no such environment, or `fps` is not positive.
        """
        worlds = self._running()
        return self._display.recorder(worlds.engine, worlds.environments.paths, env_id, path, fps)

    def _scene_of(self, env_id: int) -> SceneDescription:
        worlds = self._running()
        return self._display.scene_of(worlds.engine, worlds.environments.paths, env_id)

    # -- inside --------------------------------------------------------------------------------

    def _running(self) -> Worlds:
        if self._worlds is None:
            raise self._refusal()
        return self._worlds

    def _refusal(self) -> StageError:
        """The error for what needs a simulation that runs."""
        if SimulationContext._instance is self:
            return StageError("The simulation was not started. Call reset() first.")
        return StageError("The simulation was ended. Make a new one, and assets and sensors anew.")

    def _stepping(self) -> Engine:
        """The engine, if time may go on."""
        worlds = self._worlds or self._running()
        if self._state is not _State.PLAYING:
            raise StageError("The simulation is paused. Call play() before step().")
        return worlds.engine

    def _build(self) -> Worlds:
        self._notes = []
        return build_worlds(
            self._stage,
            prepare=self._prepare,
            device=self.cfg.device,
            device_options=self.cfg.device_options,
            threads=self.cfg.threads,
            on_failure=self.cfg.on_failure,
            strict=self.cfg.strict,
            precedence=self.cfg.precedence,
        )

    def _participants(self) -> list[Participant]:
        """Assets and sensors in the order they were registered."""
        return [
            each for each in (reference() for reference in self._references) if each is not None
        ]

    def _prepare(self, scene: SceneDescription) -> SceneDescription:
        scene, self._notes = with_settings(scene, self.cfg)
        for participant in self._participants():
            scene = participant.prepare(scene)
        return scene

    def _forget(self) -> None:
        self._worlds, self._state = None, _State.STOPPED
        self._display.hide()
        for participant in self._participants():
            participant.invalidate()


def _enter(stage: Usd.Stage | None, leave: ExitStack) -> Usd.Stage:
    """The stage to simulate, which is the current one until `leave` closes."""
    try:
        current = current_stage()
    except StageError:
        current = None
    chosen = stage or current or create_stage()
    if chosen is not current:
        leave.enter_context(use_stage(chosen))
    return chosen
