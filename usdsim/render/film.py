"""Films: pictures of a simulation as an MP4 file."""

from __future__ import annotations

import base64
import os
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from usdsim.core.arguments import number
from usdsim.core.errors import InvalidValueError, ShapeError, StageError
from usdsim.core.extras import library
from usdsim.core.transaction import replacing

__all__ = ["Film", "require_encoder"]

_QUALITY = "20"
"""Constant rate factor of H.264: smaller is better, and larger files."""


def require_encoder() -> Any:
    """The encoder's module.

    Raises:
        UnsupportedError: it is not installed.
    """
    return library("imageio_ffmpeg", "A film")


class Film:
    """Writes pictures of one size as a film, which is complete at the end of a ``with`` block.

    If the block is left by an exception, no file is written and an older one stays. A notebook
    shows a film that a cell ends with.

    Args:
        path: the ``.mp4`` file; its folder is made if there is none.
        fps: pictures per second of the film.

    Raises:
        InvalidValueError: `path` does not end with ``.mp4``, or `fps` is not positive.
        UnsupportedError: there is no encoder.
    """

    def __init__(self, path: str | os.PathLike[str], fps: float = 30.0):
        self.path = Path(path)
        if self.path.suffix.lower() != ".mp4":
            raise InvalidValueError("path", str(path), "a file that ends with .mp4")
        self.fps = number("fps", fps, most=1e4)
        self._encoder = require_encoder()
        self._stack = ExitStack()
        self._staged: Path | None = None
        self._writer: Generator[None, Any, None] | None = None
        self._size: tuple[int, ...] = ()

    def __enter__(self) -> Self:
        self._staged = self._stack.enter_context(replacing(self.path))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        elif kind is None:
            value = StageError(f"The film {str(self.path)!r} has no pictures: `add` some.")
            kind = type(value)
            self._stack.__exit__(kind, value, None)
            raise value
        self._staged = None
        self._stack.__exit__(kind, value, trace)

    def add(self, image: NDArray[np.uint8]) -> None:
        """Add a picture.

        Args:
            image: red, green and blue, top row first, uint8, shape (height, width, 3).

        Raises:
            StageError: the film is not open.
            ShapeError: it is no picture, or of another size than those before.
        """
        if self._staged is None:
            raise StageError("The film is not open: use it in a `with` block.")
        pixels = np.asarray(image)
        if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or not pixels.size:
            raise ShapeError("image", pixels.shape, "(height, width, 3) of uint8")
        # Colours of films have half the resolution, so edges must be even.
        height, width = (edge + edge % 2 for edge in pixels.shape[:2])
        if self._writer is None:
            self._size = pixels.shape
            self._writer = self._open((width, height))
        if pixels.shape != self._size:
            raise ShapeError("image", pixels.shape, f"{self._size}, as the pictures before")
        rows, columns = height - pixels.shape[0], width - pixels.shape[1]
        padded = np.pad(pixels, ((0, rows), (0, columns), (0, 0)), mode="edge")
        self._writer.send(np.ascontiguousarray(padded))

    def _repr_html_(self) -> str | None:
        """The film in a notebook, where a cell ends with it; None until it is complete."""
        if self._staged is not None or not self._size:
            return None
        data = base64.b64encode(self.path.read_bytes()).decode()
        return f'<video controls loop src="data:video/mp4;base64,{data}"></video>'

    def _open(self, size: tuple[int, int]) -> Generator[None, Any, None]:
        writer: Generator[None, Any, None] = self._encoder.write_frames(
            str(self._staged),
            size,
            fps=self.fps,
            codec="libx264",
            macro_block_size=2,
            quality=None,
            output_params=["-crf", _QUALITY, "-f", "mp4", "-movflags", "+faststart"],
            ffmpeg_log_level="error",
        )
        writer.send(None)
        return writer
