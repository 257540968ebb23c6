"""Array argument checks: shapes, finite numbers and unit quaternions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import real
from usdsim.core.errors import InvalidValueError, OutOfRangeError, ShapeError
from usdsim.math.rotations import UNIT_TOLERANCE

__all__ = [
    "all_finite",
    "as_they_are",
    "element_index",
    "finite_numbers",
    "finite_pose",
    "numbers",
    "points",
    "require_finite",
    "require_single",
    "unit_quaternion",
]

Worlds = Sequence[int] | NDArray[np.intp] | None
"""World ids of rows, for messages; None: consecutive from 0."""

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
    array = real(what, values, exact)
    if array.shape != tail and array.shape != (*batch, *tail):
        expected = f"{tail}" if not batch else f"{tail} or {(*batch, *tail)}"
        raise ShapeError(what, array.shape, expected)
    return array


def as_they_are(
    values: ArrayLike, batch: tuple[int, ...], tail: tuple[int, ...]
) -> NDArray[np.float64] | None:
    """Values in float64 if they are an array that `numbers` takes; None: it has to look closer."""
    if type(values) is not np.ndarray or values.dtype.kind != "f":
        return None
    fits = values.shape == tail or values.shape == (*batch, *tail)
    return values.astype(np.float64, copy=False) if fits else None


def finite_numbers(
    values: ArrayLike,
    batch: tuple[int, ...],
    tail: tuple[int, ...],
    what: str,
    worlds: Worlds = None,
    *,
    title: Callable[[int], str] | None = None,
    exact: bool = True,
) -> NDArray[Any]:
    """Take finite values for one world or for every world; see `numbers`.

    Args:
        values: shape `tail` or ``(*batch, *tail)``.
        batch: shape of the data written to.
        tail: shape of one world's value.
        what: the element and quantity, for messages.
        worlds: world ids of the rows.
        title: from the last index to what messages call it, if not `what`.
        exact: convert to float64.

    Raises:
        ShapeError: the values have another shape.
        InvalidValueError: they are not numbers, or not finite.
    """
    array = numbers(values, batch, tail, what, exact=exact)
    require_finite(array, tail, title or what, worlds)
    return array


def points(values: ArrayLike, batch: tuple[int, ...], width: int, what: str) -> NDArray[np.float64]:
    """Take points or vectors, as many as are given.

    Args:
        values: shape (width,), (n, width) for all worlds, or (*batch, n, width).
        batch: shape of the data.
        width: numbers of each.
        what: what they are, for messages.

    Returns:
        Shape (n, width) or (*batch, n, width).

    Raises:
        ShapeError: the values have another shape.
        InvalidValueError: they are not numbers.
    """
    array = real(what, values)
    if array.shape == (width,):
        array = array[None]
    if array.ndim < 2 or array.shape[-1] != width or array.shape[:-2] not in ((), batch):
        expected = f"({width},), (n, {width})"
        raise ShapeError(
            what, array.shape, f"{expected} or {(*batch, 'n', width)}" if batch else expected
        )
    return array


def all_finite(values: NDArray[Any]) -> bool:
    """Whether there is neither NaN nor infinity."""
    # Counting takes as long as a dot product, which would start threads for long arrays, and
    # unlike a sum it does not overflow.
    return bool(np.count_nonzero(np.isfinite(values)) == values.size)


def require_finite(
    values: NDArray[Any],
    tail: tuple[int, ...],
    what: str | Callable[[int], str],
    worlds: Worlds = None,
) -> None:
    """Refuse NaN and infinity.

    Args:
        values: shape `tail` or ``(worlds, *tail)``.
        tail: shape of one world's value.
        what: the element, or a function from the last index to its name.
        worlds: world ids of the rows.

    Raises:
        InvalidValueError: naming the first bad element and its world.
    """
    if all_finite(values):
        return
    where = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
    name = what if isinstance(what, str) else what(where[-1] if where else 0)
    if values.ndim > len(tail):
        name += f" of world {_world(where[0], worlds)}"
    raise InvalidValueError(name, float(values[where]), "finite numbers", "Nothing was written.")


def require_single(values: NDArray[Any], what: str) -> None:
    """Refuse numbers that float32 cannot hold."""
    largest = np.finfo(np.float32).max
    if values.dtype.itemsize > 4 and np.abs(values).max(initial=0.0) > largest:
        raise InvalidValueError(
            what,
            float(np.abs(values).max()),
            f"numbers up to {largest:.3g}",
            "Nothing was written.",
        )


def unit_quaternion(
    quat: NDArray[np.float64], what: str, worlds: Worlds = None, order: str = "x, y, z, w"
) -> NDArray[np.float64]:
    """Scale quaternions to unit length, shape (..., 4).

    Args:
        quat: finite numbers.
        what: the element, for messages.
        worlds: world ids of the rows.
        order: of the four numbers, for messages.

    Raises:
        InvalidValueError: a norm is not 1 within `UNIT_TOLERANCE`.
    """
    norm = np.sqrt(np.einsum("...i,...i->...", quat, quat))[..., None]
    off = np.abs(norm - 1.0)
    if off.size == 0 or off.max() <= _EXACT:
        return quat
    if off.max() > UNIT_TOLERANCE:
        row = int(np.argmax(off.reshape(-1)))
        name = what if quat.ndim == 1 else f"{what} of world {_world(row, worlds)}"
        raise InvalidValueError(
            name,
            quat.reshape(-1, 4)[row].tolist(),
            f"a unit quaternion ({order})",
            "Divide it by its norm. Nothing was written.",
        )
    return np.where(off > _EXACT, quat / norm, quat)


def element_index(kind: str, key: Any, count: int, what: str = "") -> int:
    """Take the index of one of some elements.

    Args:
        kind: kind of the elements, such as ``"link"``.
        key: what was given, and is no name.
        count: how many there are.
        what: what messages call an index, if not ``"link index"``.

    Raises:
        InvalidValueError: it is no integer.
        OutOfRangeError: there is no such element.
    """
    try:
        if isinstance(key, bool):
            raise TypeError
        index = operator.index(key)
    except TypeError:
        raise InvalidValueError(f"{kind} key", key, "a name, a path or an index") from None
    if not 0 <= index < count:
        allowed = f"0 to {count - 1}" if count else f"none: no {kind} here"
        raise OutOfRangeError(what or f"{kind} index", index, allowed)
    return index


def finite_pose(
    values: ArrayLike, batch: tuple[int, ...], what: str, worlds: Worlds = None
) -> NDArray[np.float64]:
    """Take poses for one world or for every world, see `numbers`: [m] and unit quaternions xyzw.

    Args:
        values: shape (7,) or ``(*batch, 7)``.
        batch: shape of the data.
        what: the element, for messages.
        worlds: world ids of the rows.

    Raises:
        ShapeError: the values have another shape.
        InvalidValueError: they are not finite numbers, or a norm is not 1.
    """
    array = finite_numbers(values, batch, (7,), what, worlds)
    quat = unit_quaternion(array[..., 3:], what, worlds)
    return np.concatenate([array[..., :3], quat], axis=-1)


def _world(row: int, worlds: Worlds) -> int:
    return row if worlds is None else int(worlds[row])
