"""Update events and timelines of applications: functions called with renderings, and time."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from usdsim.compat.app import started
from usdsim.compat.classes.application_members import Timeline
from usdsim.core.errors import StageError
from usdsim.sim import SimulationContext

__all__ = [
    "Application",
    "EventStream",
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
            self._simulation.add_render_callback(self._name, lambda: function(event))

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
        """Nothing: there is no window whose events would have to be handled."""

    def is_running(self) -> bool:
        """Whether to go on; see `SimulationApp.is_running`."""
        return all(app.is_running() for app in started())


def get_app() -> Application:
    """The application."""
    return Application()


get_app_interface = get_app
"""The same under its other name."""


def get_timeline_interface() -> Timeline:
    """Timeline of the simulation there is, which starts, pauses and ends it.

    Raises:
        StageError: there is none.
    """
    simulation = SimulationContext.instance()
    if simulation is None:
        raise StageError("There is no simulation whose time could run. Make one first.")
    return Timeline(simulation)
