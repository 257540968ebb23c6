"""Gizmos: shapes that a program draws anew for each picture of an application."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from usdsim.math.rotations import quat_apply
from usdsim.render import Marks

from .values import Color

__all__ = ["RenderGizmos"]

Colour: TypeAlias = "Color | None"

_PIXEL = 0.002
"""Radius of a line of width 1 [m]."""
_CORNERS = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) / 2.0
_UNTURNED = (0.0, 0.0, 0.0, 1.0)


class RenderGizmos:
    """Shapes in world for the next picture alone, and marks of a model's parts.

    Positions are in metres, orientations xyzw, and colours white where none is given.

    Attributes:
        line_width: of lines; 1 is 4 mm.
        draw_collider: whether what collides is shown instead of what is seen.
        draw_joint: whether axes of joints are shown.
        draw_site: whether frames of sites are shown.
        collider_color: kept for programs that read it.
        joint_color: likewise.
        joint_size: likewise.
    """

    def __init__(self) -> None:
        self.line_width = 1.0
        self.draw_collider = self.draw_joint = self.draw_site = False
        self.collider_color = self.joint_color = Color.white()
        self.joint_size = 1.0
        self._drawn: list[Marks] = []

    def draw_sphere(self, radius: float, pos: ArrayLike, color: Colour = None) -> None:
        """Draw a ball."""
        self._drawn.append(Marks.balls(pos, radius, _rgba(color)))

    def draw_cuboid(
        self, size: ArrayLike, pos: ArrayLike, rot: ArrayLike, color: Colour = None
    ) -> None:
        """Draw a box of edges `size` [m], shape (3,)."""
        half = np.asarray(size, np.float64) / 2.0
        self._drawn.append(Marks.boxes(pos, rot, half, _rgba(color)))

    def draw_cylinder(
        self,
        half_height: float,
        radius: float,
        pos: ArrayLike,
        rot: ArrayLike,
        color: Colour = None,
    ) -> None:
        """Draw a cylinder along its z axis."""
        ends = self._ends(half_height, pos, rot)
        self._drawn.append(Marks.segments(*ends, radius, _rgba(color)))

    def draw_capsule(
        self,
        half_height: float,
        radius: float,
        pos: ArrayLike,
        rot: ArrayLike,
        color: Colour = None,
    ) -> None:
        """Draw a capsule along its z axis; `half_height` is that of its straight part."""
        ends = self._ends(half_height, pos, rot)
        self._drawn.append(Marks.segments(*ends, radius, _rgba(color)))
        self._drawn.append(Marks.balls(np.stack(ends), radius, _rgba(color)))

    def draw_ray(self, start: ArrayLike, vector: ArrayLike, color: Colour = None) -> None:
        """Draw a line from a point along a vector."""
        self.draw_line(start, np.asarray(start, np.float64) + np.asarray(vector), color)

    def draw_line(self, start: ArrayLike, end: ArrayLike, color: Colour = None) -> None:
        """Draw a line from one point to another."""
        self._drawn.append(Marks.segments(start, end, self._thick, _rgba(color)))

    def draw_arrow(self, start: ArrayLike, end: ArrayLike, color: Colour = None) -> None:
        """Draw an arrow from one point to another."""
        vector = np.asarray(end, np.float64) - np.asarray(start)
        self._drawn.append(Marks.arrows(start, vector, 2.0 * self._thick, _rgba(color)))

    def draw_rect(
        self,
        width: float,
        height: float,
        pos: ArrayLike,
        rot: ArrayLike,
        color: Colour = None,
    ) -> None:
        """Draw the outline of a rectangle in its xy plane."""
        local = _CORNERS * (width, height, 0.0)
        corners = np.asarray(pos, np.float64) + quat_apply(rot, local)
        following = np.roll(corners, -1, axis=0)
        self._drawn.append(Marks.segments(corners, following, self._thick, _rgba(color)))

    def draw_grid(
        self,
        pos: ArrayLike,
        rot: ArrayLike,
        x_count: int = 2,
        y_count: int = 2,
        z_count: int = 2,
        spacing: ArrayLike | None = None,
        color: Colour = None,
    ) -> None:
        """Draw the lines of a grid around a point, of cells of `spacing` [m], shape (3,)."""
        counts = np.array([x_count, y_count, z_count])
        cells = np.ones(3) if spacing is None else np.broadcast_to(np.asarray(spacing), (3,))
        lines = [_lines(axis, counts) for axis in range(3)]
        local = (np.concatenate(lines, axis=1) - counts / 2.0) * cells
        start, end = np.asarray(pos, np.float64) + quat_apply(rot, local)
        self._drawn.append(Marks.segments(start, end, self._thick, _rgba(color)))

    def draw_axes(
        self, pos: ArrayLike | None = None, rot: ArrayLike | None = None, length: float = 1.0
    ) -> None:
        """Draw the axes of a frame: x red, y green, z blue; of the world where none is given."""
        place = np.zeros(3) if pos is None else pos
        self._drawn.append(Marks.frames(place, _UNTURNED if rot is None else rot, length))

    def take(self) -> Marks:
        """All that was drawn since the last picture."""
        drawn, self._drawn = self._drawn, []
        return Marks.joined(drawn)

    @property
    def _thick(self) -> float:
        return _PIXEL * self.line_width

    def _ends(self, half: float, pos: ArrayLike, rot: ArrayLike) -> tuple[Any, Any]:
        along = half * quat_apply(rot, np.array([0.0, 0.0, 1.0]))
        return np.asarray(pos, np.float64) - along, np.asarray(pos, np.float64) + along


def _rgba(color: Colour) -> tuple[float, float, float, float]:
    return (Color.white() if color is None else color).rgba


def _lines(axis: int, counts: Any) -> Any:
    """Both ends of a grid's lines along an axis, in cells, shape (2, n, 3)."""
    ranges = [np.arange(count + 1) for count in counts]
    ranges[axis] = np.zeros(1, int)
    start = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, 3)
    return np.stack([start, start + counts * np.eye(3, dtype=int)[axis]])
