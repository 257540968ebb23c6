"""Height field assets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf

from usdsim.converters.emit.shapes import define_surface
from usdsim.converters.mjcf.context import MjcfContext
from usdsim.converters.mjcf.rows import write_rows
from usdsim.core.dialects.mjc_tables import TYPES

__all__ = ["convert_hfields", "emit_terrain"]


def convert_hfields(context: MjcfContext) -> None:
    """Define every height field asset in the library."""
    model = context.model
    for index, field in enumerate(context.elements("hfield")):
        path = context.paths["hfield"][index]
        context.define(path, TYPES["hfield"], field.name)
        write_rows(context, path, "hfield", index, skip=("userdata",))
        start = int(model.hfield_adr[index])
        count = int(model.hfield_nrow[index] * model.hfield_ncol[index])
        context.set(path, "mjc:elevation", "float[]", model.hfield_data[start : start + count])


def emit_terrain(context: MjcfContext, path: str, index: int) -> Sdf.PrimSpec:
    """Define the mesh of a height field: the terrain, and walls and a floor that close its base.

    A mesh without volume is no collider to tools that collide with solids, as a flat field is.

    Args:
        context: of the conversion.
        path: prim path.
        index: of the height field.
    """
    model = context.model
    rows, columns = int(model.hfield_nrow[index]), int(model.hfield_ncol[index])
    start = int(model.hfield_adr[index])
    half_x, half_y, top, base = model.hfield_size[index]
    heights = model.hfield_data[start : start + rows * columns].reshape(rows, columns)
    if not np.ptp(heights):
        # Flat, as fields are that a program fills later: its corners say it all.
        rows = columns = 2
        heights = heights[:rows, :columns]
    x, y = np.meshgrid(np.linspace(-half_x, half_x, columns), np.linspace(-half_y, half_y, rows))
    z = heights * top
    surface = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    rim = _rim(rows, columns)
    below = np.append(surface[rim, :2], [[0.0, 0.0]], axis=0)
    floor = np.column_stack([below, np.full(len(below), -base)])
    points = np.concatenate([surface, floor]).astype(np.float32)
    faces = np.concatenate([_surface(rows, columns), _base(rim, len(surface))])
    return define_surface(context.layer, path, points, faces.astype(np.int32))


def _rim(rows: int, columns: int) -> NDArray[np.int64]:
    """Points of the grid along its rim, counter-clockwise from above."""
    grid = np.arange(rows * columns).reshape(rows, columns)
    return np.concatenate([grid[0, :-1], grid[:-1, -1], grid[-1, :0:-1], grid[:0:-1, 0]])


def _surface(rows: int, columns: int) -> NDArray[np.int64]:
    """Triangles of the grid, facing up."""
    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    lower = np.stack([first, first + 1, first + columns + 1], axis=-1)
    upper = np.stack([first, first + columns + 1, first + columns], axis=-1)
    return np.stack([lower, upper], axis=1).reshape(-1, 3)


def _base(rim: NDArray[np.int64], start: int) -> NDArray[np.int64]:
    """Triangles of walls and floor, facing out; points of the floor begin at `start`."""
    foot = start + np.arange(len(rim))
    rim_next, foot_next = np.roll(rim, -1), np.roll(foot, -1)
    middle = np.full(len(rim), start + len(rim))
    sides = ((rim, foot, foot_next), (rim, foot_next, rim_next), (foot_next, foot, middle))
    return np.concatenate([np.stack(corners, axis=-1) for corners in sides])
