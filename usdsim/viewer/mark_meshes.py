"""Marks of a view: balls, lines and boxes as instanced meshes on the page."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.math.meshes import primitives
from usdsim.math.rotations import quat_to_wxyz
from usdsim.render import Marks

from .serving import colour_bytes

__all__ = ["MarkMeshes"]

_BALLS, _LINES, _BOXES = (2, 4), (3, 5), (6,)
"""Types of marks, numbered as the engine's geoms."""
_GONE = 1e-9


class MarkMeshes:
    """Draws marks, as many as there are at one time.

    Args:
        api: the page's scene.
        name: of the marks among others.
    """

    def __init__(self, api: Any, name: str):
        self._api, self._name = api, name
        self._shapes = {
            _BALLS: primitives.sphere(1.0),
            _LINES: primitives.cylinder(1.0, 2.0),
            _BOXES: primitives.cuboid(np.full(3, 2.0)),
        }
        self._handles: dict[Any, Any] = {}
        self._room: dict[Any, int] = {}

    def show(self, marks: Marks) -> None:
        """Draw marks in place of those before."""
        if not (len(marks.kind) or self._room):
            return
        for kinds in self._shapes:
            self._show(kinds, np.flatnonzero(np.isin(marks.kind, kinds)), marks)

    def _show(self, kinds: tuple[int, ...], rows: NDArray[np.intp], marks: Marks) -> None:
        room = self._room.get(kinds, 0)
        if not len(rows) and not room:
            return
        if len(rows) > room:
            room = self._room[kinds] = 2 * len(rows)
            if kinds in self._handles:
                self._handles.pop(kinds).remove()
        pos, turn = np.zeros((room, 3), np.float32), np.zeros((room, 4), np.float32)
        scale, colour = np.full((room, 3), _GONE, np.float32), np.zeros((room, 3), np.uint8)
        opacity, own = np.zeros(room, np.float32), slice(0, len(rows))
        turn[:, 0] = 1.0
        pos[own], turn[own] = marks.pos[rows], quat_to_wxyz(marks.quat[rows])
        size = marks.size[rows]
        lines = np.isin(marks.kind[rows], _LINES)[:, None]
        scale[own] = np.where(lines, size[:, [0, 0, 1]], size)
        rgba = marks.rgba[rows]
        colour[own], opacity[own] = colour_bytes(rgba[:, :3]), rgba[:, 3].clip(0.0, 1.0)
        values = {
            "batched_positions": pos,
            "batched_wxyzs": turn,
            "batched_scales": scale,
            "batched_colors": colour,
            "batched_opacities": opacity,
        }
        if kinds not in self._handles:
            points, faces = self._shapes[kinds]
            self._handles[kinds] = self._api.add_batched_meshes_simple(
                f"/marks/{self._name}/{kinds[0]}", points.astype(np.float32),
                faces.astype(np.uint32), lod="off", cast_shadow=False, **values,
            )  # fmt: skip
            return
        for name, value in values.items():
            setattr(self._handles[kinds], name, value)
