"""Debug drawing: lines and points, accepted and drawn by nobody."""

from __future__ import annotations

from typing import Any

__all__ = ["DebugDraw", "acquire_debug_draw_interface"]


class DebugDraw:
    """Takes lines and points; there is no window to draw them in."""

    def draw_lines(self, starts: Any, ends: Any, colors: Any, sizes: Any) -> None:
        """Nothing: lines from points to points [m]."""

    def draw_points(self, points: Any, colors: Any, sizes: Any) -> None:
        """Nothing: points [m]."""

    def clear_lines(self) -> None:
        """Nothing: there are none."""

    def clear_points(self) -> None:
        """Nothing: there are none."""


def acquire_debug_draw_interface() -> DebugDraw:
    """Return an interface that takes lines and points."""
    return DebugDraw()
