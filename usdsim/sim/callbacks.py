"""Callbacks of a simulation: named functions to call when something happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from usdsim.core.errors import InvalidValueError, UnknownNameError

__all__ = ["Callbacks", "SimulationCallbacks"]


class Callbacks:
    """Functions by name, called in the order they were added.

    Args:
        kind: what they are, for messages.
    """

    def __init__(self, kind: str):
        self._kind = kind
        self._functions: dict[str, Callable[..., object]] = {}

    def __bool__(self) -> bool:
        return bool(self._functions)

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def add(self, name: str, function: Callable[..., object]) -> None:
        """Add a function.

        Raises:
            InvalidValueError: there is one of this name already, or it cannot be called.
        """
        if name in self._functions:
            raise InvalidValueError(
                f"name of {self._kind}", name, "one that is not in use", "Remove the other first."
            )
        if not callable(function):
            raise InvalidValueError(f"{self._kind} {name!r}", function, "a function")
        self._functions[name] = function

    def remove(self, name: str) -> None:
        """Remove a function.

        Raises:
            UnknownNameError: there is none of this name.
        """
        if name not in self._functions:
            raise UnknownNameError(self._kind, name, self._functions)
        del self._functions[name]

    def clear(self) -> None:
        """Remove all of them."""
        self._functions.clear()

    def call(self, *arguments: Any) -> None:
        """Call all of them; they may add and remove functions."""
        for function in tuple(self._functions.values()):
            function(*arguments)


class SimulationCallbacks:
    """Callbacks of a simulation, by the occasion.

    Args:
        owner: the simulation.

    Attributes:
        on_physics: called before every time step.
        on_play: called whenever time starts to run.
        on_stop: called after the engine is gone.
        on_render: called at every `SimulationContext.render`.
    """

    def __init__(self, owner: object):
        self.on_physics = Callbacks("physics callback")
        self.on_play = Callbacks("play callback")
        self.on_stop = Callbacks("stop callback")
        self.on_render = Callbacks("render callback")

    def add_physics_callback(self, name: str, function: Callable[[float], object]) -> None:
        """Call a function before every time step, with its length [s].

        Raises:
            InvalidValueError: there is one of this name already.
        """
        self.on_physics.add(name, function)

    def remove_physics_callback(self, name: str) -> None:
        """Call it no more.

        Raises:
            UnknownNameError: there is none of this name.
        """
        self.on_physics.remove(name)

    def add_play_callback(self, name: str, function: Callable[[], object]) -> None:
        """Call a function whenever time starts to run; see `add_physics_callback`."""
        self.on_play.add(name, function)

    def remove_play_callback(self, name: str) -> None:
        """Call it no more; see `remove_physics_callback`."""
        self.on_play.remove(name)

    def add_stop_callback(self, name: str, function: Callable[[], object]) -> None:
        """Call a function after the engine is gone; see `add_physics_callback`."""
        self.on_stop.add(name, function)

    def remove_stop_callback(self, name: str) -> None:
        """Call it no more; see `remove_physics_callback`."""
        self.on_stop.remove(name)

    def add_render_callback(self, name: str, function: Callable[[], object]) -> None:
        """Call a function at every `render`; see `add_physics_callback`."""
        self.on_render.add(name, function)

    def remove_render_callback(self, name: str) -> None:
        """Call it no more; see `remove_physics_callback`."""
        self.on_render.remove(name)
