"""Pictures of a drawable scene by ray casting, on any machine."""

from __future__ import annotations

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.render.drawable import DrawableScene
from usdsim.render.framing import box_sphere
from usdsim.render.parts import hidden_marks, with_marks
from usdsim.render.views import View

from .images import Images
from .scene import LENS_KINDS
from .tracer import Tracer

__all__ = ["RayDrawing"]

_SAMPLES = 4
"""Lines of sight along each edge of a pixel where it is not smooth."""
_HAZE = 0.3
"""Part of the range of sight in which endless planes fade."""
_SUNLIT = 2.0
"""Radius that the sun lights, of that of what the picture is about."""


class RayDrawing:
    """Draws one scene, whose parts may move between pictures.

    Args:
        scene: what is drawn.
        size: width and height of pictures [pixels].
    """

    def __init__(self, scene: DrawableScene, size: tuple[int, int]):
        self._scene, self._size, self._room = scene, size, 0
        self._make_tracer()

    def draw(self, view: View, *, samples: int = _SAMPLES) -> NDArray[np.uint8]:
        """Take a picture.

        Args:
            view: where from, and how.
            samples: lines of sight along each edge of a pixel that is not smooth.

        Returns:
            Red, green and blue, top row first, shape (height, width, 3).
        """
        tracer = self._aimed(view)
        tracer.trace()
        tracer.paint(samples=samples)
        rgb = tracer.colour.numpy()[0, ..., :3]
        return np.ascontiguousarray((rgb * 255.0 + 0.5).clip(0.0, 255.0).astype(np.uint8))

    def depth(self, view: View) -> NDArray[np.float32]:
        """Distances to the image plane [m], infinite for nothing, shape (height, width).

        Args:
            view: where from, and how.
        """
        tracer = self._aimed(view)
        tracer.trace(everything=False)
        width, height = self._size
        out = wp.empty((1, height, width, 1), dtype=wp.float32, device=tracer.depth.device)
        rows = wp.zeros(1, dtype=wp.int32, device=tracer.depth.device)
        Images(tracer).depth(out, rows, to_plane=True, beyond=np.inf)
        return np.asarray(out.numpy()[0, ..., 0])

    def close(self) -> None:
        """Give back what it holds: nothing."""

    def _aimed(self, view: View) -> Tracer:
        """The tracer, of what is there now and with a view."""
        self._follow()
        tracer, lens = self._tracer, view.lens
        centre, radius = box_sphere(self._scene.points)
        tracer.light(centre, _SUNLIT * radius)
        tracer.lights.haze_from, tracer.lights.haze_to = (1.0 - _HAZE) * lens.far, lens.far
        kind = LENS_KINDS[lens.kind]
        pos, quat = view.pose[:3], view.pose[3:]
        tracer.aim(pos, quat, lens.focal, lens.centre, kind, lens.near, lens.far)
        return tracer

    def _make_tracer(self) -> None:
        parts = with_marks(self._scene.parts, self._room)
        self._parts, self._resized = self._scene.parts, parts.size
        self._tracer = Tracer(parts, 1, self._size, [0])
        self._tracer.illuminate(**self._scene.light)

    def _follow(self) -> None:
        """Put parts and marks where they are now."""
        scene, marks = self._scene, self._scene.marks
        crowded = len(marks) > self._room
        if crowded:
            # Twice as much room as needed, as their number changes with every picture.
            self._room = 2 * len(marks)
        if crowded or scene.parts.textures is not self._parts.textures:
            self._make_tracer()
        elif scene.parts is not self._parts:
            self._parts = scene.parts
            self._tracer.colour_parts(scene.parts.rgba[None])
            self._tracer.illuminate(**scene.light)
        tracer = self._tracer
        pos, quat, size = scene.poses()
        if self._room:
            first = len(scene.parts.kind)
            far = hidden_marks(self._room)
            pos, quat, size = (
                np.concatenate(pair) for pair in zip((pos, quat, size), far, strict=True)
            )
            kind, rgba = tracer.parts.kind.copy(), tracer.parts.rgba.copy()
            rgba[:first] = scene.parts.rgba
            rgba[:first, 3] *= scene.opacity
            own = slice(first, first + len(marks))
            kind[own], rgba[own] = marks.kind, marks.rgba
            pos[own], quat[own], size[own] = marks.pos, marks.quat, marks.size
            tracer.become(kind, rgba[None])
        tracer.put(pos[None], quat[None])
        if self._room or not np.array_equal(size, self._resized):
            tracer.resize(size[None])
            self._resized = size
        for mesh, points in scene.soft_points():
            tracer.deform(mesh, wp.array(points[None], dtype=wp.vec3f, device=tracer.device))
