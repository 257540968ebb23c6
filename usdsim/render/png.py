"""Picture files, written as PNG and read."""

from __future__ import annotations

import io
import os
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.boundary import boundary
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.core.extras import library
from usdsim.core.png import encode_png
from usdsim.core.transaction import replace_file

__all__ = ["decode_image", "png_bytes", "read_image", "write_png"]


def write_png(path: str | os.PathLike[str], image: NDArray[np.uint8]) -> Path:
    """Write a picture.

    Args:
        path: the ``.png`` file; its folder is made if there is none.
        image: red, green and blue, top row first, uint8, shape (height, width, 3).

    Returns:
        The path.

    Raises:
        InvalidValueError: `path` does not end with ``.png``, or `image` is not of uint8.
        ShapeError: `image` has another shape, or no pixels.
        FileError: the file cannot be written.
    """
    target = Path(path)
    if target.suffix.lower() != ".png":
        raise InvalidValueError("path", str(path), "a file that ends with .png")
    data = png_bytes(image)
    replace_file(target, data)
    return target


def png_bytes(image: NDArray[np.uint8]) -> bytes:
    """The contents of a file with a picture; see `write_png`."""
    pixels = np.asarray(image)
    if pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        raise ShapeError("image", pixels.shape, "(height, width, 3)")
    if pixels.dtype != np.uint8:
        raise InvalidValueError("type of image", str(pixels.dtype), "uint8")
    return encode_png(pixels, small=True)


def read_image(path: str | Path) -> NDArray[np.uint8]:
    """Read a picture.

    Args:
        path: a PNG file, or with Pillow any that it reads.

    Returns:
        Red, green and blue, top row first, shape (height, width, 3).

    Raises:
        FileError: it cannot be read.
        UnsupportedError: it is no PNG, and Pillow is not installed.
    """
    with boundary(f"Cannot read picture {str(path)!r}"):
        return decode_image(Path(path).read_bytes(), str(path))


def decode_image(data: bytes, name: str) -> NDArray[np.uint8]:
    """Pixels of a picture file in memory.

    Args:
        data: the contents: PNG, or with Pillow anything that it reads.
        name: of the file, whose ending tells what it is.

    Returns:
        Red, green and blue, top row first, shape (height, width, 3).

    Raises:
        FileError: it is damaged.
        UnsupportedError: it is no PNG, and Pillow is not installed.
    """
    suffix = Path(name).suffix.lower()
    with boundary(f"Cannot read picture {name!r}"):
        if suffix != ".png":
            image = library("PIL.Image", f"Picture {name!r}")
            return np.array(image.open(io.BytesIO(data)).convert("RGB"))
        spec = mujoco.MjSpec()
        spec.assets["picture.png"] = data
        spec.add_texture(name="picture", type=mujoco.mjtTexture.mjTEXTURE_2D, file="picture.png")
        model = spec.compile()
    shape = (int(model.tex_height[0]), int(model.tex_width[0]), int(model.tex_nchannel[0]))
    pixels = model.tex_data.reshape(shape)[..., :3]
    return np.array(np.broadcast_to(pixels, (*shape[:2], 3)))
