"""Authoring of physical prims from plain values, shared by all converters."""

from __future__ import annotations

from .joints import align_frames, emit_drive, emit_joint, emit_limit
from .mass import emit_mass
from .materials import bind_material, emit_physics_material, emit_preview_material
from .meshes import emit_mesh, set_approximation
from .shapes import UNPAINTED, emit_colour, emit_purpose, emit_shape, enable_collision

__all__ = [
    "UNPAINTED",
    "align_frames",
    "bind_material",
    "emit_colour",
    "emit_drive",
    "emit_joint",
    "emit_limit",
    "emit_mass",
    "emit_mesh",
    "emit_physics_material",
    "emit_preview_material",
    "emit_purpose",
    "emit_shape",
    "enable_collision",
    "set_approximation",
]
