"""Model parameters that differ from world to world: one way to read them, one way to set them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError

from .arrays import FloatArray, frozen, numbers
from .element import Element

if TYPE_CHECKING:
    from .data import SceneData

__all__ = [
    "FINITE",
    "NON_NEGATIVE",
    "POSITIVE",
    "Domain",
    "check_override",
    "get_override",
    "set_override",
    "write_override",
]


@dataclass(frozen=True)
class Domain:
    """The values a parameter may have."""

    words: str
    test: Callable[[NDArray[np.float64]], NDArray[np.bool_]]


FINITE = Domain("finite numbers", np.isfinite)
NON_NEGATIVE = Domain("finite numbers, 0 or more", lambda v: np.isfinite(v) & (v >= 0.0))
POSITIVE = Domain("finite numbers above 0", lambda v: np.isfinite(v) & (v > 0.0))


def get_override(
    element: Element, data: SceneData, field: str, row: int, columns: Any = ()
) -> FloatArray:
    """The effective parameter of each world, float32, shape (*B, ...).

    Args:
        element: the element it belongs to.
        data: the worlds.
        field: array of the engine's model.
        row: the element's row in it.
        columns: index or slice of the row, if not all of it.
    """
    data.check_model(element.model)
    values = data.param(field)
    at = (..., row, columns) if columns != () else None
    axis = len(data.shape)
    picked = values[at] if at is not None else np.take(values, row, axis=axis)
    return frozen(np.asarray(picked, dtype=np.float32))


def set_override(
    element: Element,
    data: SceneData,
    field: str,
    row: int,
    values: ArrayLike,
    domain: Domain,
    what: str,
    columns: Any = (),
    error: type[InvalidValueError] = InvalidValueError,
) -> None:
    """Set a parameter of each world.

    Args:
        element: the element it belongs to.
        data: the worlds.
        field: array of the engine's model.
        row: the element's row in it.
        values: for all worlds or one per world.
        domain: what is allowed.
        what: the quantity, for messages.
        columns: index or slice of the row, if not all of it.
        error: the exception to raise for values outside the domain.

    Raises:
        ShapeError: the values have another shape.
        InvalidValueError: a value is not allowed; nothing is set then.
    """
    data.check_model(element.model)
    tail = np.asarray(getattr(element.model.low, field)[row])[columns].shape
    array = check_override(element, data, values, tail, domain, what, error)
    write_override(data, field, row, array, columns)


def write_override(
    data: SceneData, field: str, row: int, values: NDArray[np.float64], columns: Any = ()
) -> None:
    """Set a parameter to checked values, shape of the entry or ``(*B, ...)``."""
    if columns != ():
        current = np.take(data.param(field), row, axis=len(data.shape)).astype(np.float64)
        current[(..., columns)] = values
        values = current
    data.set_param(field, row, values)


def check_override(
    element: Element,
    data: SceneData,
    values: ArrayLike,
    tail: tuple[int, ...],
    domain: Domain,
    what: str,
    error: type[InvalidValueError] = InvalidValueError,
) -> NDArray[np.float64]:
    """Values of shape `tail` or ``(*B, *tail)``, all in `domain`; errors as `set_override`."""
    name = f"{what} of {element.title}"
    array = numbers(values, data.shape, tail, name)
    bad = np.argwhere(~domain.test(array))
    if len(bad):
        where = tuple(int(i) for i in bad[0])
        if array.ndim > len(tail):
            row = where[0]
            name += f" in world {row if data.world_ids is None else int(data.world_ids[row])}"
        raise error(name, float(array[where]), domain.words, "Nothing was changed.")
    return array
