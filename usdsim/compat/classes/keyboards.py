"""Keyboards: asked for by programs with keys, which nobody presses here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["acquire_input_interface", "get_default_app_window"]


class _Input:
    """Input devices without any input."""

    def subscribe_to_keyboard_events(self, keyboard: Any, callback: Callable[..., Any]) -> int:
        """Number of a subscription; the function is never called."""
        return 0

    def unsubscribe_to_keyboard_events(self, keyboard: Any, subscription: int) -> None:
        """Nothing."""

    unsubscribe_from_keyboard_events = unsubscribe_to_keyboard_events


class _Window:
    """The application's window, which has a keyboard and is not there."""

    def get_keyboard(self) -> Any:
        """Keyboard of the window."""
        return None

    def get_mouse(self) -> Any:
        """Mouse of the window."""
        return None

    def get_gamepad(self, index: int = 0) -> Any:
        """A gamepad."""
        return None


def acquire_input_interface() -> _Input:
    """Input devices of the application."""
    return _Input()


def get_default_app_window() -> _Window:
    """Window of the application."""
    return _Window()
