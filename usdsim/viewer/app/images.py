"""Images of applications, and the tasks that take them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import FileError
from usdsim.render import tile_images, write_png

from .errors import InvalidArgumentError, InvalidFileError, RenderClosedError

__all__ = ["CaptureTask", "Image"]


class Image:
    """Image in memory.

    Args:
        pixels: uint8, top row first, shape (height, width, 3 or 4), or of several worlds
            (worlds, height, width, 3 or 4).

    Raises:
        InvalidArgumentError: `pixels` are of another type or shape.
    """

    def __init__(self, pixels: Any):
        self.pixels = pixels

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """Pixels; setting them changes the widgets that show the image."""
        return self._pixels

    @pixels.setter
    def pixels(self, value: Any) -> None:
        array = np.asarray(value)
        if array.dtype != np.uint8 or array.ndim not in (3, 4) or array.shape[-1] not in (3, 4):
            found = f"{array.dtype} of shape {array.shape}"
            raise InvalidArgumentError("pixels", found, "uint8, (height, width, 3 or 4)")
        self._pixels = array

    @property
    def picture(self) -> NDArray[np.uint8]:
        """Red, green and blue, several worlds side by side, shape (height, width, 3)."""
        pixels = self._pixels[..., :3]
        return tile_images(list(pixels)) if pixels.ndim == 4 else pixels

    def save_to_disk(self, path: str) -> None:
        """Write a PNG file, several worlds side by side.

        Raises:
            InvalidFileError: the file cannot be written.
        """
        try:
            write_png(path, self.picture)
        except FileError as error:
            raise InvalidFileError(str(error)) from error


class CaptureTask:
    """Image that the next `RenderApp.sync` takes."""

    def __init__(self) -> None:
        self._image: Image | None = None
        self._state: Literal["pending", "done", "closed"] = "pending"

    @property
    def state(self) -> str:
        """``"pending"``, ``"done"``, or ``"closed"`` once the image was taken."""
        return self._state

    def finish(self, pixels: NDArray[np.uint8]) -> None:
        """Hold an image from now on."""
        self._image, self._state = Image(pixels), "done"

    def take_image(self) -> Image | None:
        """The image, which closes the task; None: there is none yet.

        Raises:
            RenderClosedError: it was taken before.
        """
        if self._state == "closed":
            raise RenderClosedError("The image of this task was taken already.")
        if self._state == "done":
            self._state = "closed"
        return self._image
