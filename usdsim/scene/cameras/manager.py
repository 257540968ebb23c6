"""Camera manager: the cameras of a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from usdsim.core.errors import InvalidValueError
from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import check_data
from usdsim.scene.model.catalog import Catalog

from .camera import Camera
from .render_target import RenderTarget

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["CameraMgr"]


class CameraMgr:
    """All cameras of a model, by name, prim path or index, in the model's order.

    Args:
        model: the model.
        catalog: its cameras.
    """

    __slots__ = ("_catalog", "_model", "_target")

    def __init__(self, model: SceneModel, catalog: Catalog[Camera]):
        self._model, self._catalog = model, catalog
        self._target = RenderTarget()

    @property
    def model(self) -> SceneModel:
        """The model the cameras belong to."""
        return self._model

    @property
    def cameras(self) -> list[Camera]:
        """All cameras."""
        return [*self._catalog.items]

    @property
    def names(self) -> list[str | None]:
        """Names of all cameras."""
        return [*self._catalog.names]

    def tolist(self) -> list[Camera]:
        """The same as `cameras`."""
        return self.cameras

    def get_index(self, name: str | int) -> int:
        """Index of a camera.

        Raises:
            UnknownNameError: there is no such camera.
        """
        return self._catalog.index(name)

    @overload
    def __getitem__(self, key: str | int, /) -> Camera: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[Camera]: ...
    def __getitem__(self, key: str | int | slice, /) -> Camera | list[Camera]:
        """A camera by name, path or index, negative ones from the end; or those of a slice."""
        if isinstance(key, slice):
            return self._catalog.items[key]
        if isinstance(key, int) and -len(self) <= key < 0:
            key += len(self)
        return self._catalog.get(key)

    def __len__(self) -> int:
        return len(self._catalog)

    def __iter__(self) -> Iterator[Camera]:
        return iter(self.cameras)

    # The viewer's own camera ---------------------------------------------------------------------

    @property
    def system_render_target(self) -> str:
        """Target of the picture of the viewer's own camera: ``"window"`` or ``"image"``."""
        return self._target.kind

    @property
    def system_render_size(self) -> tuple[int, int] | None:
        """Width and height of its image [pixels]; None in a window."""
        return self._target.size

    def set_system_render_target(self, target: str, w: int = 400, h: int = 300) -> None:
        """Set where the picture of the viewer's own camera goes.

        Args:
            target: ``"window"`` or ``"image"``.
            w: width of an image [pixels].
            h: height of an image [pixels].
        """
        self._target = RenderTarget.checked("system render target", target, w, h)

    @property
    def settings(self) -> tuple[RenderTarget, list[dict[str, Any]]]:
        """All that may be set, for the cameras of a copy of the model."""
        return self._target, [camera.settings for camera in self._catalog.items]

    @settings.setter
    def settings(self, values: tuple[RenderTarget, list[dict[str, Any]]]) -> None:
        if not isinstance(values, tuple) or len(values) != 2:
            raise InvalidValueError("settings", values, "those of the same model")
        self._target, cameras = values
        for camera, settings in zip(self._catalog.items, cameras, strict=True):
            camera.settings = settings

    def get_poses(self, data: SceneData) -> FloatArray:
        """World poses of all cameras, shape (*B, num_cameras, 7); see `Camera.get_pose`."""
        check_data(data, self._model)
        poses = [camera.get_pose(data) for camera in self._catalog.items]
        nothing = np.empty((*data.shape, 0, 7), dtype=np.float32)
        return np.concatenate([nothing, *(pose[..., None, :] for pose in poses)], axis=-2)

    def __repr__(self) -> str:
        return f"<CameraMgr {len(self)} cameras>"
