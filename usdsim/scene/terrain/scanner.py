"""Terrain scans: heights around a link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import choice
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.math.rotations import quat_to_matrix
from usdsim.math.transforms import pose_rows
from usdsim.parser.element import path_of_prim
from usdsim.scene.arrays import FloatArray, filled
from usdsim.scene.checks import points, require_finite
from usdsim.scene.data.given import engine_array
from usdsim.scene.elements.frame_element import FrameElement
from usdsim.scene.elements.geom import Geom
from usdsim.scene.elements.link import Link

from .heights import sample_heights, sample_normals
from .surface import TerrainSurface

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

__all__ = ["TerrainScanner"]

Alignment = Literal["yaw", "base", "world"]
Output = Literal["height", "clearance", "normal"]


class TerrainScanner:
    """Samples the terrain below or above points that move with a link.

    A height field is interpolated between the four elevations around a point, and continues beyond
    its border as at the border. Other shapes are hit by rays from above: the topmost surface
    counts, and points with nothing below give NaN. Nothing but the terrain is in the way. Shapes
    other than a single height field are copied at the first scan.

    Args:
        terrain: a geom of any shape, which stands for all geoms of its prim, such as the parts of
            a mesh; or several geoms, all of one link or of the world.
        frame: the link, site or geom the points move with.
        offsets: the points in its frame [m], shape (n, 2).
        alignment: how they turn with it: ``"yaw"``, with its heading only; ``"base"``, fully;
            ``"world"``, not at all.
        output: ``"height"``, world z of the terrain; ``"clearance"``, height of the frame's origin
            above it; ``"normal"``, its normals in world.

    Raises:
        InvalidValueError: an unknown choice, or geoms that do not belong together.
        ShapeError: `offsets` has another shape.
    """

    def __init__(
        self,
        terrain: Geom | Sequence[Geom],
        frame: Link | FrameElement,
        offsets: ArrayLike,
        alignment: Alignment = "yaw",
        output: Output = "height",
    ):
        self._geoms = _checked(terrain)
        if not isinstance(frame, FrameElement) or frame.model is not self._geoms[0].model:
            shown = frame.title if isinstance(frame, FrameElement) else frame
            raise InvalidValueError("frame", shown, "a link of the terrain's model")
        choice("alignment", alignment, get_args(Alignment))
        choice("output", output, get_args(Output))
        array = points(offsets, (), 2, "offsets").copy()
        if np.ndim(offsets) != 2:
            raise ShapeError("offsets", np.shape(offsets), "(n, 2)")
        require_finite(array, array.shape, "offsets")
        self._frame, self._offsets = frame, array
        self._alignment, self._output = alignment, output
        self._surface: TerrainSurface | None = None

    def scan(self, data: SceneData, out: FloatArray | None = None) -> FloatArray:
        """Heights or clearances at the points now [m], shape (*B, n), or normals, (*B, n, 3).

        Args:
            data: the worlds.
            out: array to fill, float32 of the result's shape.
        """
        pose = self._frame.get_pose(data).astype(np.float64)
        places = pose[..., None, :2] + self._turned(pose[..., 3:])
        ground = self._ground(data)
        field = self._geoms[0].hfield if len(self._geoms) == 1 else None
        if self._output == "normal":
            if field is not None:
                return filled(sample_normals(field, ground, places), out, "normals")
            return filled(self._drop(data, ground, places)[1], out, "normals")
        if field is not None and self._output == "height":
            return sample_heights(field, ground, places, data.shape, out)
        if field is not None:
            heights = sample_heights(field, ground, places, data.shape, None).astype(np.float64)
        else:
            heights = self._drop(data, ground, places)[0]
        if self._output == "height":
            return filled(heights, out, "heights")
        return filled(pose[..., 2][..., None] - heights, out, "clearances")

    def _ground(self, data: SceneData) -> NDArray[np.float64]:
        """World pose of the frame in which the engine keeps the first shape, shape (*B, 7)."""
        first = self._geoms[0]
        pos = engine_array(data, first.model, "geom_xpos")[..., first.engine_id, :]
        quat = engine_array(data, first.model, "geom_xquat")[..., first.engine_id, :]
        return pose_rows(pos, quat)

    def _drop(
        self, data: SceneData, ground: NDArray[np.float64], places: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self._surface is None:
            self._surface = TerrainSurface(self._geoms, data.low.threads)
        return self._surface.drop(ground, places)

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


def _checked(terrain: Geom | Sequence[Geom]) -> list[Geom]:
    """The geoms of a terrain, all parts of one prim if a single one is given."""
    if isinstance(terrain, Geom):
        prim = path_of_prim(terrain.path)
        parts = [geom for geom in terrain.model.geoms if path_of_prim(geom.path) == prim]
        geoms = parts if prim else [terrain]
    else:
        geoms = [*terrain] if isinstance(terrain, Sequence) else []
    if not geoms or not all(isinstance(geom, Geom) for geom in geoms):
        raise InvalidValueError("terrain", terrain, "a geom or several")
    first = geoms[0]
    for geom in geoms:
        if geom.model is not first.model or geom.link is not first.link:
            raise InvalidValueError("terrain", geom.title, f"geoms of one link, as {first.title}")
        if geom.engine_id < 0:
            remedy = "It is only looked at; load_model(..., exact=True) has the engine hold it."
            raise InvalidValueError("terrain", geom.title, "geoms that the engine holds", remedy)
    return geoms
