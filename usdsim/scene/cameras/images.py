"""Camera images: those of the scene door's cameras, by ray casting in all worlds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.base import Engine
from usdsim.math.transforms import IDENTITY_POSE
from usdsim.render.raycast.scene import LENS_KINDS
from usdsim.render.sources import stage_of
from usdsim.render.views import Lens
from usdsim.render.worlds.views import WorldViews

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["CameraImages", "Kind", "images_in", "images_of"]

Kind = Literal["colour", "depth", "labels"]

_made: WeakKeyDictionary[Engine, dict[tuple[int, int], CameraImages]] = WeakKeyDictionary()


class CameraImages:
    """Images of one size in all worlds of an engine.

    Args:
        stage: what is seen.
        engine: the worlds.
        size: width and height [pixels].
    """

    def __init__(self, stage: Any, engine: Engine, size: tuple[int, int]):
        count, (width, height) = engine.num_envs, size
        self._views = WorldViews(stage, engine, size, range(count))
        parts = self._views.tracer.parts
        device = engine.device
        self.paths = parts.paths
        self._rows = wp.array(np.arange(count, dtype=np.int32), device=device)
        table = np.arange(-1, len(self.paths), dtype=np.int32)
        self._table = wp.array(table, device=device)
        shape = (count, height, width)
        self._out = {
            "colour": wp.zeros((*shape, 3), dtype=wp.uint8, device=device),
            "depth": wp.zeros((*shape, 1), dtype=wp.float32, device=device),
            "labels": wp.zeros((*shape, 1), dtype=wp.int32, device=device),
        }

    def take(self, kind: Kind, poses: NDArray[Any], lens: Lens) -> NDArray[Any]:
        """Take images in all worlds.

        Args:
            kind: of image.
            poses: of the camera in each world [m, xyzw], shape (num_envs, 7).
            lens: how it sees.

        Returns:
            Shape (num_envs, height, width), and (..., 3) of colours.
        """
        views, out = self._views, self._out[kind]
        views.tracer.aim(
            poses[:, :3],
            poses[:, 3:],
            lens.focal,
            lens.centre,
            LENS_KINDS[lens.kind],
            lens.near,
            lens.far,
        )
        views.render(colours=kind == "colour", everything=kind != "depth")
        if kind == "colour":
            views.images.colour(out, self._rows)
            return np.array(out.numpy())
        if kind == "depth":
            views.images.depth(out, self._rows, to_plane=True, beyond=np.inf)
        else:
            views.images.labels(out, self._rows, self._table)
        return np.array(out.numpy()[..., 0])


def images_of(model: SceneModel, data: SceneData, size: tuple[int, int]) -> CameraImages:
    """The images of a size in the worlds of data, made once.

    Raises:
        StageError: the model has no stage.
    """
    stage = stage_of(model)
    sizes = _made.setdefault(data.engine, {})
    if size not in sizes:
        sizes[size] = CameraImages(stage, data.engine, size)
    return sizes[size]


def images_in(
    model: SceneModel,
    data: SceneData,
    size: tuple[int, int],
    kind: Kind,
    poses: NDArray[Any],
    lens: Lens,
) -> NDArray[Any]:
    """Images of a camera in the worlds of data, shape (*B, height, width, ...).

    Args:
        model: the model.
        data: its worlds.
        size: width and height [pixels].
        kind: of image.
        poses: of the camera [m, xyzw], shape (*B, 7).
        lens: how it sees.
    """
    images = images_of(model, data, size)
    worlds = data.all_worlds.reshape(data.shape)
    every = np.tile(IDENTITY_POSE, (data.engine.num_envs, 1))
    every[worlds] = poses
    taken: NDArray[Any] = images.take(kind, every, lens)[worlds]
    return taken
