"""Crowd: bodies of worlds by the thousand, as one cloud of points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.render import DrawableScene

from .serving import colour_bytes

__all__ = ["Crowd"]

_SIZE = 0.01
"""Size of a point, by the extent of the scene."""
_MOST = 200_000
"""Points that are sent at a time; of larger crowds, fewer bodies of each world."""
_NAME = "/crowd"


class Crowd:
    """A point for each body of each world, in the colour that most of the body has.

    Args:
        api: the page's scene.
        scene: what is drawn of a world.
    """

    def __init__(self, api: Any, scene: DrawableScene):
        self._api, self._scene = api, scene
        self._handle: Any = None
        self._bodies: NDArray[np.integer] = np.zeros(0, np.int32)

    def show(self, count: int) -> None:
        """Make points for a number of worlds; they appear with the next `follow`."""
        self.remove()
        parts = self._scene.parts
        seen = np.unique(parts.frame[parts.frame > 0])
        if not count or not len(seen):
            return
        kept = max(1, min(len(seen), _MOST // count))
        self._bodies = seen[np.linspace(0, len(seen) - 1, kept).astype(np.intp)]
        first = [int(np.flatnonzero(parts.frame == body)[0]) for body in self._bodies]
        colours = colour_bytes(parts.rgba[first, :3])
        self._handle = self._api.add_point_cloud(
            _NAME,
            np.zeros((count * kept, 3), np.float32),
            np.tile(colours, (count, 1)),
            point_size=_SIZE * float(self._scene.model.stat.extent),
            point_shape="circle",
            precision="float32",
        )

    def follow(self, poses: NDArray[np.float64], offsets: NDArray[np.float64]) -> None:
        """Move the points.

        Args:
            poses: of frames, position [m] and more, shape (worlds, frames, at least 3).
            offsets: of the worlds [m], shape (worlds, 3).
        """
        if self._handle is not None:
            places = poses[:, self._bodies, :3] + offsets[:, None]
            self._handle.points = places.reshape(-1, 3).astype(np.float32)

    def remove(self) -> None:
        """Take the points from the page."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None
