"""Values that callers pass in, checked and as arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.arguments import on_host
from usdsim.core.domains import FINITE, Domain
from usdsim.core.errors import InvalidValueError, ShapeError

__all__ = ["Values", "broadcast", "reshaped", "to_numpy"]

Values = Any
"""Numbers as a Warp, NumPy or torch array, a list, or one number for all."""


def to_numpy(values: Values) -> NDArray[Any]:
    """Any array as NumPy, without a copy where memory can be shared.

    Raises:
        InvalidValueError: it is none, but lists of different lengths, for example.
    """
    if isinstance(values, np.ndarray):
        return values
    try:
        return np.asarray(on_host(values))
    except (TypeError, ValueError) as error:
        raise InvalidValueError("values", values, "an array of numbers") from error


def reshaped(what: str, values: Values, shape: Sequence[int]) -> NDArray[Any]:
    """Values in a shape of which they have the numbers.

    Args:
        what: the quantity, for messages.
        values: what has as many numbers as `shape`.
        shape: the shape needed; -1 for one length that follows.

    Raises:
        ShapeError: they have more or fewer.
    """
    array = to_numpy(values)
    try:
        return array.reshape(tuple(shape))
    except ValueError as error:
        raise ShapeError(what, array.shape, f"numbers of the shape {tuple(shape)}") from error


def broadcast(
    what: str,
    values: Values,
    shape: Sequence[int],
    *,
    domain: Domain | None = FINITE,
    entry: Callable[[tuple[int, ...]], str] | None = None,
) -> NDArray[Any]:
    """Values in a shape, of the floating type they came in.

    Args:
        what: the quantity, for messages.
        values: what broadcasts to `shape`.
        shape: the shape needed.
        domain: what is allowed; None: any number, NaN and infinity too.
        entry: from an index into the result to words that name the element.

    Raises:
        ShapeError: they do not broadcast.
        InvalidValueError: they are not numbers, or outside the domain.
    """
    try:
        array = values if isinstance(values, np.ndarray) else to_numpy(values)
        if array.dtype.kind not in "fiu":
            raise TypeError(str(array.dtype))
        if array.dtype not in (np.float32, np.float64):
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidValueError(what, values, "real numbers") from error
    shape = tuple(shape)
    if array.shape != shape:
        try:
            array = np.broadcast_to(array, shape)
        except ValueError as error:
            raise ShapeError(what, array.shape, f"{shape} or one that broadcasts to it") from error
    if domain is not None and not (domain is FINITE and _surely_finite(array)):
        _require(what, array, domain, entry)
    return array


def _surely_finite(array: NDArray[Any]) -> bool:
    """A test that never says yes wrongly and is fast: NaN and infinity survive a sum."""
    return array.size > 0 and math.isfinite(np.add.reduce(array, axis=None, dtype=np.float64))


def _require(
    what: str,
    array: NDArray[Any],
    domain: Domain,
    entry: Callable[[tuple[int, ...]], str] | None,
) -> None:
    with np.errstate(invalid="ignore"):
        good = domain.test(array)
    if good.all():
        return
    index = tuple(int(i) for i in np.argwhere(~good)[0])
    name = f"{what} of {entry(index)}" if entry else what
    value = array[(*index[:-1],)].tolist() if not domain.single else float(array[index])
    raise InvalidValueError(name, value, domain.words, "Nothing was written.")
