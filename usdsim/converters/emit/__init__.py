"""Authoring of physical prims from plain values, shared by all converters."""

from __future__ import annotations

from . import joints, materials
from .joints import *
from .mass import emit_mass
from .materials import *
from .meshes import emit_mesh, set_approximation
from .shapes import UNPAINTED, emit_colour, emit_purpose, emit_shape, enable_collision

__all__ = [
    *joints.__all__,
    *materials.__all__,
    "UNPAINTED",
    "emit_colour",
    "emit_mass",
    "emit_mesh",
    "emit_purpose",
    "emit_shape",
    "enable_collision",
    "set_approximation",
]
