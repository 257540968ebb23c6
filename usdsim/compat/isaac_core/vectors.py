"""Vectors of carb: numbers by the names of axes, which are sequences as well."""

from __future__ import annotations

from collections import namedtuple

__all__ = ["ColorRgba", "Double2", "Double3", "Double4", "Float2", "Float3", "Float4"]

Float2 = Double2 = namedtuple("Float2", "x y", defaults=(0.0, 0.0))
"""Two numbers."""
Float3 = Double3 = namedtuple("Float3", "x y z", defaults=(0.0, 0.0, 0.0))
"""Three numbers."""
Float4 = Double4 = namedtuple("Float4", "x y z w", defaults=(0.0, 0.0, 0.0, 0.0))
"""Four numbers."""
ColorRgba = namedtuple("ColorRgba", "r g b a", defaults=(0.0, 0.0, 0.0, 0.0))
"""Red, green, blue and opacity."""
