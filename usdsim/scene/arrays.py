"""Checks on arrays that come in, and float32 results that go out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, ShapeError

__all__ = [
    "FloatArray",
    "flattened",
    "frozen",
    "numbers",
    "require_finite",
    "result",
    "unit_quaternion",
]

FloatArray = NDArray[np.float32]

# Quaternions stored as float32 miss unit length by 1e-7; typing errors miss it by far more.
_UNIT_TOLERANCE = 1e-3
_EXACT = 1e-12


def numbers(
    values: ArrayLike,
    batch: tuple[int, ...],
    tail: tuple[int, ...],
    what: str,
    *,
    exact: bool = True,
) -> NDArray[Any]:
    """Take values for one world or for every world.

    Args:
        values: shape `tail`, the same for all worlds, or ``(*batch, *tail)``.
        batch: shape of the data written to.
        tail: shape of one world's value.
        what: the element and quantity, for messages.
        exact: convert to float64; otherwise arrays of numbers are returned as they are.

    Returns:
        The values in the shape given.

    Raises:
        ShapeError: the shape is neither of the two.
        InvalidValueError: the values are not numbers.
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise TypeError("complex numbers")
        if exact or array.dtype.kind not in "fiu":
            array = array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise InvalidValueError(what, values, "real numbers") from error
    if array.shape != tail and array.shape != (*batch, *tail):
        expected = f"{tail}" if not batch else f"{tail} or {(*batch, *tail)}"
        raise ShapeError(what, array.shape, expected)
    return array


def require_finite(
    values: NDArray[Any],
    tail: tuple[int, ...],
    what: str | Callable[[int], str],
    worlds: Sequence[int] | NDArray[np.intp] | None = None,
) -> None:
    """Refuse NaN and infinity.

    Args:
        values: shape `tail` or ``(worlds, *tail)``.
        tail: shape of one world's value.
        what: the element, or a function from the last index to its name.
        worlds: world ids of the rows; None: consecutive from 0.

    Raises:
        InvalidValueError: naming the first bad element and its world.
    """
    flat = values.reshape(-1)
    # Any NaN or infinity survives the sum of squares; finite values overflow it only above 1e150
    # (float64), so the exact test almost never runs.
    if math.isfinite(np.dot(flat, flat)):
        return
    bad = np.argwhere(~np.isfinite(values))
    if not len(bad):
        return
    where = tuple(int(i) for i in bad[0])
    name = what if isinstance(what, str) else what(where[-1] if where else 0)
    if values.ndim > len(tail):
        world = where[0] if worlds is None else int(worlds[where[0]])
        name += f" of world {world}"
    raise InvalidValueError(name, float(values[where]), "finite numbers", "Nothing was written.")


def unit_quaternion(
    quat: NDArray[np.float64], what: str, worlds: NDArray[np.intp] | None = None
) -> NDArray[np.float64]:
    """Scale quaternions to unit length, shape (..., 4).

    Raises:
        InvalidValueError: a norm is not 1 within 1e-3.
    """
    norm = np.sqrt(np.einsum("...i,...i->...", quat, quat))[..., None]
    off = np.abs(norm - 1.0)
    if off.size == 0 or off.max() <= _EXACT:
        return quat
    if off.max() > _UNIT_TOLERANCE:
        row = int(np.argmax(off.reshape(-1)))
        name = what
        if quat.ndim > 1:
            name += f" of world {row if worlds is None else int(worlds[row])}"
        raise InvalidValueError(
            name,
            quat.reshape(-1, 4)[row].tolist(),
            "a unit quaternion (x, y, z, w)",
            "Divide it by its norm. Nothing was written.",
        )
    return np.where(off > _EXACT, quat / norm, quat)


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


def flattened(array: NDArray[Any]) -> NDArray[Any]:
    """What each world has in one row, shape (worlds, k), without a copy where possible."""
    return array.reshape(len(array), -1)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Mark a result read-only: writing to it would change nothing in the simulation."""
    array.flags.writeable = False
    return array
