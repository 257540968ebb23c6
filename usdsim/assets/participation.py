"""Simulation entities: the protocol between assets or sensors and the running simulation."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import StageError
from usdsim.engine.base import Engine
from usdsim.parser.description import SceneDescription

__all__ = ["Participant", "Simulation", "StepPart", "current_simulation", "set_current_simulation"]


class Participant(Protocol):
    """Participant of a simulation: an asset or a sensor."""

    def prepare(self, scene: SceneDescription) -> SceneDescription:
        """Add what this participant needs to the scene, before it is compiled."""
        ...

    def initialize(self, simulation: Simulation) -> None:
        """Bind to the engine, which exists now."""
        ...

    def invalidate(self) -> None:
        """Forget the engine: the simulation stopped."""
        ...


@runtime_checkable
class StepPart(Protocol):
    """Step of a part of a scene, split so that a recording can repeat it.

    An asset brings its inputs to the engine before the physics of a step, a sensor measures after
    it. Called one after the other, the three do what ``write_data_to_sim()`` of an asset or
    ``update(dt)`` of a sensor does; a recording repeats what `launch_step` launches.
    """

    def prepare_step(self, dt: float) -> Hashable | None:
        """Get ready for a step, before its physics.

        Args:
            dt: time step [s].

        Returns:
            What tells this step from those that take other launches, or the same on other arrays.
            None: the step cannot be recorded; the method above is called in its place.
        """
        ...

    def launch_step(self) -> None:
        """Launch it on the device; the host takes note of nothing that it would not repeat."""
        ...

    def note_step(self, dt: float) -> None:
        """Record a step whose launches were made, or repeated by a recording.

        Args:
            dt: time step [s].
        """
        ...


class Simulation(StepPart, Protocol):
    """Worlds of one stage, running or about to; in recordings of steps, their physics."""

    device: str
    """Device of the arrays: ``cpu`` or ``cuda:0``."""

    @property
    def stage(self) -> Any:
        """The stage."""
        ...

    @property
    def engine(self) -> Engine:
        """The engine.

        Raises:
            StageError: the simulation was not started.
        """
        ...

    @property
    def num_envs(self) -> int:
        """Number of worlds: one per environment, or one."""
        ...

    @property
    def env_paths(self) -> tuple[str, ...]:
        """Prim paths of the environments; empty if the stage has none."""
        ...

    @property
    def env_origins(self) -> NDArray[np.float64]:
        """Origins of the environments in world [m], shape (num_envs, 3)."""
        ...

    @property
    def physics_dt(self) -> float:
        """Time step [s]."""
        ...

    def is_playing(self) -> bool:
        """Whether the engine exists and steps advance time."""
        ...

    @property
    def calls_back(self) -> bool:
        """Whether somebody's functions are called before each step."""
        ...

    def step(self) -> None:
        """Advance all worlds by one time step."""
        ...

    def step_n(self, n: int, *, starts: Mapping[str, NDArray[np.float64]] | None = None) -> None:
        """Advance all worlds by `n` time steps, with what the engine was given before them.

        Args:
            n: number of steps.
            starts: arrays that get fields of the engine's state as the last step starts from them,
                by name.
        """
        ...

    def register(self, participant: Participant) -> None:
        """Register a participant; the order of registration is kept."""
        ...

    def unregister(self, participant: Participant) -> None:
        """Remove a participant."""
        ...


_current: list[Simulation] = []


def current_simulation() -> Simulation:
    """The simulation that assets created now take part in.

    Raises:
        StageError: there is none.
    """
    if not _current:
        raise StageError(
            "There is no simulation to take part in. Create a SimulationContext before assets and "
            "sensors."
        )
    return _current[-1]


def set_current_simulation(simulation: Simulation | None) -> None:
    """Make a simulation the current one; None: there is none any more."""
    _current[:] = [] if simulation is None else [simulation]
