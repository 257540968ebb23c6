"""Height field assets."""

from __future__ import annotations

import numpy as np
from pxr import Sdf

from usdsim.converters.emit.shapes import define_surface
from usdsim.converters.mjcf.context import MjcfContext
from usdsim.converters.mjcf.rows import write_rows
from usdsim.core.dialects.mjc_arrays import elevations
from usdsim.math.meshes.height_fields import height_field_shell

__all__ = ["convert_hfields", "emit_terrain"]


def convert_hfields(context: MjcfContext) -> None:
    """Define every height field asset in the library."""
    for index, path, _ in context.defined("hfield"):
        write_rows(context, path, "hfield", index, skip=("userdata",))
        context.set(path, "mjc:elevation", "float[]", elevations(context.model, index).ravel())


def emit_terrain(context: MjcfContext, path: str, index: int) -> Sdf.PrimSpec:
    """Define the mesh of a height field: the terrain, and walls and a floor that close its base.

    A mesh without volume is no collider to tools that collide with solids, as a flat field is.

    Args:
        context: of the conversion.
        path: prim path.
        index: of the height field.
    """
    *half, top, base = context.model.hfield_size[index]
    heights = elevations(context.model, index)
    if not np.ptp(heights):
        # Flat, as fields are that a program fills later: its corners say it all.
        heights = heights[:2, :2]
    shell, sides = height_field_shell(heights * top, half, base)
    foot = np.arange(heights.size, len(shell), dtype=np.int32)
    floor = np.stack([np.roll(foot, -1), foot, np.full_like(foot, len(shell))], axis=-1)
    points = np.append(shell, [[0.0, 0.0, -base]], axis=0).astype(np.float32)
    return define_surface(context.layer, path, points, np.concatenate([sides, floor]))
