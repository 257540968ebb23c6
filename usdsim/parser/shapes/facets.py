"""Triangle meshes that stand still, taken apart into what engines of convex shapes collide with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from usdsim.math.meshes.bounds import bounds
from usdsim.math.meshes.grids import HeightGrid, height_grid
from usdsim.math.meshes.shells import convex_shell, fewest_solids
from usdsim.math.rotations import quat_apply

__all__ = ["Part", "Surface", "take_apart"]

Array = NDArray[np.float64]
Faces = NDArray[np.int32]

THICKNESS = 0.01
"""Thickness of a surface without a back, in parts of its extent."""
COARSE = 2000
"""Triangles up to which a grid is solids too. A height field costs nothing per triangle, but makes
one contact with each: on a slope of 26 degrees a box of mu 0.5 that is smaller than the cells
creeps by 140 mm in 1 s, one of two cells by 10 mm, one of four cells by 0.1 mm. Solids hold it."""
TOUCHING = 1e-5
"""Overlap of parts that only touch, in parts of the extent: float32 points."""


class Part(Protocol):
    """Triangles that hang together."""

    points: Array
    faces: Faces

    def is_convex(self) -> bool:
        """Whether the hull adds nothing."""


@dataclass(slots=True, eq=False)
class Surface:
    """Solids whose fronts are the triangles of a mesh [m]."""

    thickness: float
    """Thickness of the material behind the surface [m]."""
    grids: list[HeightGrid] = field(default_factory=list)
    solids: list[tuple[Array, Faces]] = field(default_factory=list)
    """Points and faces of convex solids."""
    crowded: bool = False
    """Whether there are more of them than were asked for at most, and none was made."""


def take_apart(parts: Sequence[Part], most: float = np.inf) -> Surface:
    """Height fields and convex solids with the surface of a mesh.

    Large parts that are a regular grid of elevations are a height field: as exact and far cheaper.
    It is solid below, so nothing else may be there. Convex parts are themselves. The others get a
    convex solid behind each flat piece.

    Args:
        parts: of the mesh, in metres, each with the points it uses.
        most: solids from which on they are of no use.
    """
    boxes = np.array([bounds(part.points) for part in parts])
    extent = float((boxes[:, 1].max(axis=0) - boxes[:, 0].min(axis=0)).max())
    surface = Surface(THICKNESS * extent)
    left: list[Part] = []
    for index, part in enumerate(parts):
        grid = height_grid(part.points, part.faces) if len(part.faces) > COARSE else None
        if grid is not None and _is_ground(grid, index, boxes, surface.thickness, extent):
            surface.grids.append(grid)
        elif part.is_convex():
            surface.solids.append((part.points, part.faces))
        else:
            left.append(part)
    if left:
        # All at once: what is behind one part may be the front of another.
        starts = np.cumsum([0, *(len(part.points) for part in left)])
        points = np.vstack([part.points for part in left])
        faces = np.vstack([part.faces + start for part, start in zip(left, starts, strict=False)])
        surface.crowded = (
            most < np.inf and len(surface.solids) + fewest_solids(points, faces) > most
        )
        if not surface.crowded:
            surface.solids.extend(convex_shell(points, faces, surface.thickness))
    return surface


def _is_ground(grid: HeightGrid, index: int, boxes: Array, base: float, extent: float) -> bool:
    """Whether a grid is not level, and no other part reaches into the room that it would fill."""
    if grid.elevation.max() == 0.0:
        return False
    low, high = boxes[index]
    down = base * quat_apply(grid.pose.quat, np.array([0.0, 0.0, -1.0]))
    low, high = np.minimum(low, low + down), np.maximum(high, high + down)
    overlap = np.minimum(high, boxes[:, 1]) - np.maximum(low, boxes[:, 0])
    inside = (overlap > TOUCHING * extent).all(axis=1)
    return bool(inside.sum() == inside[index])
