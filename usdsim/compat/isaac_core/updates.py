"""Update events and timelines of applications: functions called with renderings, and time."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

from usdsim.compat.app import next_frame, started
from usdsim.compat.versions import SIM_VERSION
from usdsim.sim import SimulationContext
from usdsim.usd.stage import current_stage

from .worlds import World

__all__ = [
    "Application",
    "EventStream",
    "StageTimeline",
    "Subscription",
    "get_app",
    "get_app_interface",
    "get_timeline_interface",
]

_NUMBERS = itertools.count()


class Subscription:
    """Function that is called at events, as long as this is kept.

    Args:
        function: takes an event.
    """

    def __init__(self, function: Callable[[Any], object]):
        self._name = f"update event {next(_NUMBERS)}"
        self._simulation = SimulationContext.instance()
        if self._simulation is not None:
            event = SimpleNamespace(type=0, payload={})
            call = partial(function, event)
            SimulationContext.add_render_callback(self._simulation, self._name, call)

    def unsubscribe(self) -> None:
        """Call the function no more."""
        if self._simulation is not None:
            self._simulation.remove_render_callback(self._name)
            self._simulation = None

    def __del__(self) -> None:
        self.unsubscribe()


class EventStream:
    """Stream of update events."""

    def create_subscription_to_pop(
        self, function: Callable[[Any], object], order: int = 0, name: str = ""
    ) -> Subscription:
        """Call a function whenever the simulation renders; nothing where there is none."""
        return Subscription(function)

    create_subscription_to_push = create_subscription_to_pop


class Application:
    """Stands for an application: it has update events, and no windows."""

    def get_update_event_stream(self) -> EventStream:
        """Stream of update events."""
        return EventStream()

    get_pre_update_event_stream = get_post_update_event_stream = get_update_event_stream

    def update(self) -> None:
        """Let time go on by a frame; see `SimulationApp.update`."""
        next_frame()

    def get_app_version(self) -> str:
        """Version of Isaac Sim that programs are told."""
        return ".".join(str(part) for part in SIM_VERSION[:3])

    get_build_version = get_kit_version = get_app_version

    def is_running(self) -> bool:
        """Whether to go on; see `SimulationApp.is_running`."""
        return all(app.is_running() for app in started())


def get_app() -> Application:
    """The application."""
    return Application()


get_app_interface = get_app
"""The same under its other name."""


class StageTimeline:
    """Time of an application: that of the simulation there is, or of the one that `play` makes.

    Where there is none, `play` makes a world of the current stage as it is authored. It goes when
    another stage is the current one and is played.
    """

    def play(self) -> None:
        """Start the simulation, or go on with it."""
        for simulation in self._simulations():
            made = isinstance(simulation, World) and simulation.as_authored
            if made and simulation.stage is not current_stage():
                SimulationContext.clear_instance()
        (SimulationContext.instance() or World.of_stage()).play()

    def pause(self) -> None:
        """Let time stand still until `play`."""
        for simulation in self._simulations():
            simulation.pause()

    def stop(self) -> None:
        """End the run; the stage is as it was authored."""
        for simulation in self._simulations():
            simulation.stop()

    def is_playing(self) -> bool:
        """Whether time goes on with updates."""
        return any(simulation.is_playing() for simulation in self._simulations())

    def is_stopped(self) -> bool:
        """Whether nothing is simulated."""
        return all(simulation.is_stopped() for simulation in self._simulations())

    def get_current_time(self) -> float:
        """Simulated time since the start [s]; zero while nothing is simulated."""
        return 0.0 if self.is_stopped() else sum(s.current_time for s in self._simulations())

    def _simulations(self) -> list[SimulationContext]:
        simulation = SimulationContext.instance()
        return [] if simulation is None else [simulation]


def get_timeline_interface(timeline_name: str = "") -> StageTimeline:
    """Timeline of the application; there is one, whatever the name."""
    return StageTimeline()
