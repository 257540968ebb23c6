"""Result arrays: float32, new ones or those that the caller gave."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, ShapeError

__all__ = ["FloatArray", "bounded", "filled", "flattened", "frozen", "result"]

FloatArray = NDArray[np.float32]


def result(shape: tuple[int, ...], out: FloatArray | None, what: str) -> FloatArray:
    """A float32 array to fill: `out` after a check, or a new one.

    Raises:
        ShapeError: `out` has another shape.
        InvalidValueError: `out` is not a writable float32 array.
    """
    if out is None:
        return np.empty(shape, dtype=np.float32)
    if not isinstance(out, np.ndarray) or out.dtype != np.float32 or not out.flags.writeable:
        raise InvalidValueError(
            f"out of {what}", getattr(out, "dtype", type(out)), "a writable float32 NumPy array"
        )
    if out.shape != shape:
        raise ShapeError(f"out of {what}", out.shape, str(shape))
    return out


def filled(values: NDArray[Any], out: FloatArray | None, what: str) -> FloatArray:
    """Values as float32, in `out` after a check or in a new array; see `result`."""
    array = result(values.shape, out, what)
    array[...] = values
    return array


def flattened(array: NDArray[Any]) -> NDArray[Any]:
    """Flatten each world to one row, shape (worlds, k), without a copy where possible."""
    return array.reshape(len(array), -1)


def bounded(bounds: NDArray[Any], acts: ArrayLike) -> NDArray[Any]:
    """Lower and upper bounds, infinite where they do not act, shape (..., 2)."""
    return np.where(np.asarray(acts)[..., None] != 0, bounds, (-np.inf, np.inf))


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Mark an array that others hold too as read-only."""
    array.flags.writeable = False
    return array
