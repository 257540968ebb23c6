"""Tiles: several pictures side by side as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, ShapeError

__all__ = ["tile_images"]


def tile_images(
    images: Sequence[NDArray[np.uint8]], columns: int | None = None
) -> NDArray[np.uint8]:
    """Pictures of one size as a grid, row by row.

    Args:
        images: red, green and blue, uint8, shape (height, width, 3) each.
        columns: of the grid; None: as many as make it about square.

    Returns:
        One picture; where there are not enough, it is black.

    Raises:
        ShapeError: they have several sizes.
        InvalidValueError: there are none, or `columns` is not positive.
    """
    if not len(images):
        raise InvalidValueError("images", len(images), "at least one")
    count = len(images)
    across = int(np.ceil(np.sqrt(count))) if columns is None else columns
    if across <= 0:
        raise InvalidValueError("columns", columns, "a positive number")
    shape = np.asarray(images[0]).shape
    for image in images:
        if np.asarray(image).shape != shape or len(shape) != 3:
            raise ShapeError("images", np.asarray(image).shape, f"{shape}, as the first")
    across = min(across, count)
    rows = -(-count // across)
    height, width = shape[:2]
    made = np.zeros((rows * height, across * width, shape[2]), np.uint8)
    for index, image in enumerate(images):
        row, column = divmod(index, across)
        place = slice(row * height, (row + 1) * height), slice(column * width, (column + 1) * width)
        made[place] = image
    return made
