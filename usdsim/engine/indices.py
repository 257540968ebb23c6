"""Worlds and elements as the caller names them, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, ShapeError

__all__ = [
    "ALL",
    "Rows",
    "ascending",
    "assign",
    "cells",
    "checked_ids",
    "checked_worlds",
    "fill",
    "is_ascending",
]

Rows = slice | NDArray[np.intp]
"""Rows of worlds: their ids, or a slice where they lie side by side, which copies nothing."""
ALL = slice(None)
"""All worlds, or all elements."""


def checked_ids(what: str, ids: ArrayLike, count: int) -> NDArray[np.intp]:
    """Indices as an array, from integers or a boolean mask.

    Raises:
        InvalidValueError: an index is out of range or not an integer.
        ShapeError: a mask has the wrong length.
    """
    array = np.asarray(ids)
    if array.dtype == np.bool_:
        if array.shape != (count,):
            raise ShapeError(f"{what} mask", array.shape, f"({count},)")
        return np.flatnonzero(array)
    if not array.ndim:
        array = array.reshape(1)
    if array.size == 0:
        return np.zeros(0, np.intp)
    if array.dtype.kind not in "iu":
        named = array.dtype.kind in "US"
        remedy = "Look names up first: find_joints and find_bodies give indices." if named else ""
        raise InvalidValueError(what, array.tolist(), "integers or a boolean mask", remedy)
    if array.ndim != 1:
        raise ShapeError(what, array.shape, "(n,)")
    low, high = (int(array[0]),) * 2 if array.size == 1 else (int(array.min()), int(array.max()))
    if low < 0 or high >= count:
        raise InvalidValueError(what, low if low < 0 else high, f"0 to {count - 1}")
    return array.astype(np.intp)


def checked_worlds(env_ids: ArrayLike | None, num_envs: int) -> NDArray[np.intp] | None:
    """Worlds as ids, from integers or a boolean mask; None stays None: all.

    Raises:
        InvalidValueError: an index is out of range or not an integer.
        ShapeError: a mask has the wrong length.
    """
    return None if env_ids is None else checked_ids("env_ids", env_ids, num_envs)


def ascending(ids: NDArray[np.intp]) -> NDArray[np.intp]:
    """Indices in ascending order, each once; the same array if they are already."""
    return ids if is_ascending(ids) else np.unique(ids)


def is_ascending(ids: NDArray[np.intp]) -> bool:
    """Whether indices are in ascending order, each once."""
    return len(ids) < 2 or bool((ids[1:] > ids[:-1]).all())


def cells(
    what: str,
    target: NDArray[Any],
    env_ids: NDArray[np.intp] | None,
    ids: ArrayLike | None,
) -> Any:
    """Index of worlds and elements of an array (world, element, ...); of one element, a slice."""
    if ids is None:
        return Ellipsis if env_ids is None else env_ids
    if target.ndim < 2:
        raise InvalidValueError(f"ids of {what}", ids, "None: it has one value per world")
    columns = checked_ids(f"ids of {what}", ids, target.shape[1])
    if len(columns) == 1:
        # Neither gathers nor scatters.
        first = int(columns[0])
        return ALL if env_ids is None else env_ids, slice(first, first + 1)
    return ALL if env_ids is None else env_ids[:, None], columns


def fill(what: str, target: NDArray[Any], index: Any, values: ArrayLike) -> None:
    """Write `values`, which broadcast, into what `cells` found.

    Raises:
        ShapeError: the values do not fit.
    """
    try:
        target[index] = values
    except (ValueError, TypeError) as error:
        shape = target[index].shape
        raise ShapeError(
            what, np.shape(values), f"{shape} or one that broadcasts to it", "Reshape it."
        ) from error


def assign(
    what: str,
    target: NDArray[Any],
    values: ArrayLike,
    env_ids: NDArray[np.intp] | None,
    ids: ArrayLike | None,
) -> None:
    """Write `values`, which broadcast, into worlds and elements of an array (world, element, ...).

    Raises:
        ShapeError: the values do not fit.
    """
    fill(what, target, cells(what, target, env_ids, ids), values)
