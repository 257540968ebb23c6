"""Scans of the terrain around a link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.math.rotations import quat_to_matrix

from .arrays import FloatArray, frozen, require_finite, result
from .geom import Geom
from .heights import sample_heights
from .link import Link

if TYPE_CHECKING:
    from .data import SceneData

__all__ = ["TerrainScanner"]

Alignment = Literal["yaw", "base", "world"]
Output = Literal["height", "clearance"]


class TerrainScanner:
    """Samples terrain heights at points that move with a link.

    Args:
        terrain: a geom with a height field.
        frame: the link the points move with.
        offsets: the points in the link's frame [m], shape (n, 2).
        alignment: how they turn with it: ``"yaw"``, with its heading only; ``"base"``, fully;
            ``"world"``, not at all.
        output: ``"height"``, world z of the terrain, or ``"clearance"``, height of the link's
            origin above it.
    """

    def __init__(
        self,
        terrain: Geom,
        frame: Link,
        offsets: ArrayLike,
        alignment: Alignment = "yaw",
        output: Output = "height",
    ):
        if terrain.hfield is None:
            raise InvalidValueError("terrain", terrain.title, "a geom with a height field")
        if terrain.model is not frame.model:
            raise InvalidValueError("frame", frame.title, "a link of the terrain's model")
        for what, value, choices in (
            ("alignment", alignment, get_args(Alignment)),
            ("output", output, get_args(Output)),
        ):
            if value not in choices:
                raise InvalidValueError(what, value, " or ".join(map(repr, choices)))
        points = np.array(offsets, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 2:
            raise ShapeError("offsets", points.shape, "(n, 2)")
        require_finite(points, (2,), "offset")
        self._terrain, self._field, self._frame = terrain, terrain.hfield, frame
        self._offsets, self._alignment, self._output = points, alignment, output

    def scan(self, data: SceneData, out: FloatArray | None = None) -> FloatArray:
        """Heights or clearances at the points now [m], shape (*B, n).

        Args:
            data: the worlds.
            out: array to fill, float32 of shape (*B, n).
        """
        pose = self._frame.get_pose(data).astype(np.float64)
        points = pose[..., None, :2] + self._turned(pose[..., 3:])
        ground = self._terrain.get_pose(data).astype(np.float64)
        heights = sample_heights(self._field, ground, points, data.shape, out)
        if self._output == "height":
            return heights
        values = result(heights.shape, out, "clearances")
        np.subtract(pose[..., 2][..., None], heights, out=values, casting="same_kind")
        return values if out is values else frozen(values)

    def _turned(self, quat: NDArray[np.float64]) -> NDArray[np.float64]:
        """Offsets in world axes [m], shape (*B, n, 2)."""
        if self._alignment == "world":
            return self._offsets
        plane = quat_to_matrix(quat)[..., :2, :2]
        if self._alignment == "yaw":
            heading = plane[..., :, 0]
            heading = heading / np.maximum(np.linalg.norm(heading, axis=-1, keepdims=True), 1e-12)
            left = np.stack([-heading[..., 1], heading[..., 0]], axis=-1)
            plane = np.stack([heading, left], axis=-1)
        return self._offsets @ np.swapaxes(plane, -1, -2)
