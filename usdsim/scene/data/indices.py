"""World indices that a view of a `SceneData` shows."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, OutOfRangeError, ShapeError

__all__ = ["DisjointIndices", "select_worlds"]


class DisjointIndices:
    """An ordered set of world indices.

    Args:
        indices: world indices, or one truth value per world. Repeated indices count once.
    """

    def __init__(self, indices: Iterable[int] | Iterable[bool] | NDArray[Any]):
        try:
            values = np.asarray(indices if isinstance(indices, np.ndarray) else list(indices))
        except (TypeError, ValueError) as error:
            raise InvalidValueError("indices", indices, "integers or truth values") from error
        if values.dtype == bool:
            values = np.flatnonzero(values)
        if values.ndim != 1:
            raise ShapeError("indices", values.shape, "(k,)")
        if values.size and not np.issubdtype(values.dtype, np.integer):
            raise InvalidValueError("indices", values.dtype, "integers or truth values")
        if values.size and values.min() < 0:
            raise OutOfRangeError("indices", int(values.min()), "0 or more")
        _, first = np.unique(values, return_index=True)
        self.values: NDArray[np.intp] = values[np.sort(first)].astype(np.intp)
        self.values.flags.writeable = False

    @property
    def size(self) -> int:
        """Number of indices."""
        return len(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"DisjointIndices({self.values.tolist()})"


def select_worlds(
    key: Any, shape: tuple[int, ...]
) -> tuple[int | NDArray[np.intp], tuple[int, ...]]:
    """Rows and shape of the view ``data[key]`` of data with one batch axis.

    Args:
        key: a world index, a mask of shape (N,), an integer array, a slice or `DisjointIndices`.
            Negative integers count from the end.
        shape: shape of the data, (N,).

    Raises:
        OutOfRangeError: no such world, or the data has no batch axis.
        InvalidValueError: `key` is nothing of the kind.
        ShapeError: a mask of another length.
    """
    if not shape:
        raise OutOfRangeError("world index", key, "none: this data has no batch axis")
    count = shape[0]
    if isinstance(key, slice):
        rows = np.arange(count, dtype=np.intp)[key]
        return rows, (len(rows),)
    if not isinstance(key, DisjointIndices):
        try:
            index = operator.index(key)
        except TypeError:
            pass
        else:
            if isinstance(key, bool | np.bool_) or not -count <= index < count:
                raise OutOfRangeError("world index", key, f"{-count} to {count - 1}")
            return index % count, ()
        try:
            values = np.asarray(key)
        except ValueError:
            values = np.empty((), dtype=object)
        if not values.ndim:
            allowed = "an index, a slice, a mask, integers or DisjointIndices"
            raise InvalidValueError("world index", key, allowed)
        if values.dtype == bool:
            if values.shape != shape:
                raise ShapeError("world mask", values.shape, str(shape))
            chosen = np.flatnonzero(values)
            chosen.flags.writeable = False
            return chosen, chosen.shape
        if values.size and values.dtype.kind == "i":
            if values.min() < -count:
                raise OutOfRangeError("world index", int(values.min()), f"{-count} to {count - 1}")
            values = np.where(values < 0, values + count, values)
        key = DisjointIndices(values)
    rows = key.values
    if len(rows) and rows.max() >= count:
        raise OutOfRangeError("world index", int(rows.max()), f"{-count} to {count - 1}")
    return rows, (len(rows),)
