"""Widgets of applications: images and views of cameras in the panel of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from usdsim.render.views import camera_lens
from usdsim.scene import Camera, SceneData
from usdsim.scene.cameras.images import images_in

from .errors import OtherRenderError
from .images import Image
from .values import Layout

if TYPE_CHECKING:
    from .application import RenderApp

__all__ = ["CameraViewport", "ImageWidget", "RenderWidgets"]

_VIEWPORT = (200, 200)
"""Width and height of a viewport where the layout says nothing [pixels]."""
_PAGE = (1280, 720)
"""Size that percentages are parts of: pages differ [pixels]."""


class _Widget:
    """Picture in the panel.

    Args:
        app: the application.
        size: width and height [pixels].
        label: above it.
    """

    def __init__(self, app: RenderApp, size: tuple[int, int], label: str):
        self._app, self._handle, self._exists = app, None, True
        if app.server is not None:
            blank = np.zeros((size[1], size[0], 3), np.uint8)
            self._handle = app.server.gui.add_image(blank, label=label, format="jpeg")

    def remove(self) -> None:
        """Take it from the page."""
        self._check()
        self._exists = False
        self._app.widgets.forget(self)
        if self._handle is not None:
            self._handle.remove()

    def refresh(self, data: SceneData | None) -> None:
        """Show the present."""

    def _show(self, pixels: NDArray[np.uint8]) -> None:
        if self._handle is not None:
            self._handle.image = pixels

    def _check(self) -> None:
        if not self._exists:
            raise OtherRenderError("The widget was removed. Make another one.")


class CameraViewport(_Widget):
    """View of a camera of the model in one world."""

    def __init__(self, app: RenderApp, camera: Camera, layout: Layout | None, world: int):
        self._camera, self._world = camera, world
        self._layout = layout or Layout()
        super().__init__(app, self._size, camera.name or camera.path)

    @property
    def camera(self) -> Camera:
        """The camera."""
        return self._camera

    def update(
        self,
        camera: Camera | None = None,
        layout: Layout | None = None,
        sim_world_index: int | None = None,
    ) -> None:
        """Show another camera, size or world; what is None stays.

        Raises:
            OtherRenderError: it was removed.
        """
        self._check()
        self._camera = camera or self._camera
        self._layout = layout or self._layout
        self._world = self._world if sim_world_index is None else sim_world_index

    def refresh(self, data: SceneData | None) -> None:
        """Take the picture, if anybody looks at it."""
        if data is not None and self._app.watched:
            self._show(self.render(data))

    def render(self, data: SceneData) -> NDArray[np.uint8]:
        """The picture, uint8, shape (height, width, 3)."""
        camera, size, low = self._camera, self._size, self._app.model.low
        own = data[self._world] if data.shape else data
        lens = camera_lens(low, camera.engine_id, size, camera.near_plane, camera.far_plane)
        pose = camera.get_pose(own)
        return np.asarray(images_in(self._app.model, own, size, "colour", pose, lens))

    @property
    def _size(self) -> tuple[int, int]:
        return self._layout.size(_VIEWPORT, _PAGE)


class ImageWidget(_Widget):
    """Image that a program made."""

    def __init__(self, app: RenderApp, image: Image, layout: Layout | None):
        self.image = image
        self._sent: Any = None
        height, width = image.pixels.shape[-3:-1]
        super().__init__(app, (layout or Layout()).size((width, height), _PAGE), "image")
        self.refresh(None)

    def update(self, image: Image | None = None, layout: Layout | None = None) -> None:
        """Show another image; the panel chooses the place.

        Raises:
            OtherRenderError: it was removed.
        """
        self._check()
        self.image = image or self.image
        self.refresh(None)

    def refresh(self, data: SceneData | None) -> None:
        """Send the image, if it changed."""
        pixels = self.image.pixels
        if self._sent is None or not np.array_equal(self._sent, pixels):
            self._sent = pixels.copy()
            self._show(self.image.picture)


class RenderWidgets:
    """Widgets of an application.

    Args:
        app: the application.
    """

    def __init__(self, app: RenderApp):
        self._app = app
        self._all: list[_Widget] = []

    def clear(self) -> None:
        """Remove all."""
        for widget in list(self._all):
            widget.remove()

    def create_camera_viewport(
        self, camera: Camera, layout: Layout | None = None, sim_world_index: int = 0
    ) -> CameraViewport:
        """Show what a camera of the model sees in a world, while a browser shows the page."""
        viewport = CameraViewport(self._app, camera, layout, sim_world_index)
        self._all.append(viewport)
        return viewport

    def create_image_widget(self, image: Image, layout: Layout | None = None) -> ImageWidget:
        """Show an image, and follow its changes."""
        widget = ImageWidget(self._app, image, layout)
        self._all.append(widget)
        return widget

    def forget(self, widget: Any) -> None:
        """Follow a widget no more."""
        self._all.remove(widget)

    def refresh(self, data: SceneData | None) -> None:
        """Bring all to the present."""
        for widget in self._all:
            widget.refresh(data)
