"""Images saved: several as one picture, and what cameras see as a file per frame."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import ShapeError
from usdsim.core.transaction import replace_file, replacing
from usdsim.render.png import write_png
from usdsim.views.values import to_numpy

__all__ = ["BasicWriter", "save_images_to_file", "vp_manager"]

_GAP = 2
"""Width of the lines between images [pixels]."""


def save_images_to_file(images: Any, file_path: str) -> None:
    """Save images side by side, in about as many rows as columns, as one PNG.

    Args:
        images: from 0 to 1, shape (N, H, W, C) with 1, 3 or 4 channels.
        file_path: the file.

    Raises:
        ShapeError: they have another shape.
    """
    given = to_numpy(images)
    if given.ndim != 4 or given.shape[3] not in (1, 3, 4):
        raise ShapeError("images", given.shape, "(N, H, W, 1, 3 or 4)")
    pixels = _pixels(given)
    count, height, width, channels = pixels.shape
    columns = max(round(math.sqrt(count)), 1)
    rows = math.ceil(count / columns)
    size = (rows * (height + _GAP) + _GAP, columns * (width + _GAP) + _GAP, channels)
    picture = np.zeros(size, np.uint8)
    for k, image in enumerate(pixels):
        y = _GAP + k // columns * (height + _GAP)
        x = _GAP + k % columns * (width + _GAP)
        picture[y : y + height, x : x + width] = image
    write_png(file_path, picture)


def _pixels(images: NDArray[Any]) -> NDArray[np.uint8]:
    """Images as three or four channels of bytes."""
    if images.dtype != np.uint8:
        images = np.round(255.0 * np.clip(np.nan_to_num(images), 0.0, 1.0)).astype(np.uint8)
    return np.repeat(images, 3, axis=-1) if images.shape[-1] == 1 else images


class BasicWriter:
    """Writes what cameras see: colours as PNG, other images as NumPy files, what is known as JSON.

    Args:
        output_dir: the folder, made when something is written.
        frame_padding: least number of digits of a frame in names of files.
        **settings: accepted, without effect.
    """

    def __init__(self, output_dir: str, frame_padding: int = 4, **settings: Any):
        self._folder, self._digits, self._frame = Path(output_dir), frame_padding, 0

    def write(self, data: Mapping[str, Any]) -> None:
        """Write a frame.

        Args:
            data: images under ``annotators``, by type and name of the product, each an array or a
                mapping with an array as ``data``.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        number = f"{self._frame:0{self._digits}d}"
        for kind, products in data.get("annotators", {}).items():
            for product in products.values():
                known = dict(product) if isinstance(product, Mapping) else {"data": product}
                self._write(f"{kind}_{number}", to_numpy(known.pop("data")), known)
        self._frame += 1

    def _write(self, name: str, image: NDArray[Any], known: Mapping[str, Any]) -> None:
        if image.dtype == np.uint8 and image.ndim == 3:
            write_png(self._folder / f"{name}.png", _pixels(image))
        else:
            with replacing(self._folder / f"{name}.npy") as staged, staged.open("wb") as file:
                np.save(file, image)
        if known:
            replace_file(self._folder / f"{name}.json", json.dumps(known, default=str))


class _Viewports:
    """Viewports of an application, which holds no textures here."""

    def destroy_hydra_textures(self, name: str = "") -> None:
        """Nothing: cameras hold no textures between their images."""


vp_manager = _Viewports()
"""Viewports; programs tidy them up at their end."""
