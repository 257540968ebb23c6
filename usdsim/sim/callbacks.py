"""Named functions to call when something happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from usdsim.core.errors import InvalidValueError, UnknownNameError

__all__ = ["Callbacks"]


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

    def call(self, *arguments: Any) -> None:
        """Call all of them; they may add and remove functions."""
        for function in tuple(self._functions.values()):
            function(*arguments)
