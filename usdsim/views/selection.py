"""Selections of instances and elements: indices, masks, slices or everything."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.engine.indices import checked_ids, is_ascending

from .values import to_numpy

__all__ = ["Indices", "Mask", "selected", "selected_by_mask", "selected_either"]

Indices = Any
"""Integers as a list, NumPy, Warp or torch array, a slice, a boolean mask, or None: all."""
Mask = Any
"""Booleans as a list, NumPy, Warp or torch array, or None: all."""


def selected(
    what: str, ids: Indices, count: int, *, repeats: bool = False
) -> NDArray[np.intp] | None:
    """Indices in the caller's order; None: all, in order.

    Args:
        what: what they are, for messages.
        ids: the indices.
        count: how many there are.
        repeats: whether one may be there more than once.

    Raises:
        InvalidValueError: an index is out of range, not an integer, or given twice.
        ShapeError: a mask has the wrong length, or indices have more than one axis.
    """
    if ids is None or (isinstance(ids, slice) and ids == slice(None)):
        return None
    if isinstance(ids, slice):
        return np.arange(count)[ids]
    chosen = checked_ids(what, to_numpy(ids), count)
    if not repeats and not is_ascending(chosen) and (counts := np.bincount(chosen)).max() > 1:
        twice = int(np.argmax(counts > 1))
        raise InvalidValueError(what, twice, "each index once", "It is there more than once.")
    return chosen


def selected_by_mask(what: str, mask: Mask, count: int) -> NDArray[np.intp] | None:
    """Indices of what a mask selects; None: all.

    Raises:
        ShapeError: the mask has the wrong length.
        InvalidValueError: it is not boolean.
    """
    if mask is None:
        return None
    flags = to_numpy(mask)
    if flags.dtype != np.bool_:
        raise InvalidValueError(what, flags.dtype, "booleans", "Convert it, or pass indices.")
    if flags.shape != (count,):
        raise ShapeError(what, flags.shape, f"({count},)")
    return None if flags.all() else np.flatnonzero(flags)


def selected_either(noun: str, ids: Indices, mask: Mask, count: int) -> NDArray[np.intp] | None:
    """Indices of what a mask selects where there is one, else indices as given; None: all.

    Args:
        noun: beginning of the names of both, such as ``env`` of ``env_ids`` and ``env_mask``.
        ids: the indices.
        mask: the mask; None: there is none.
        count: how many there are.

    Raises:
        InvalidValueError: an index or the mask is not allowed.
        ShapeError: indices or the mask have another shape.
    """
    if mask is not None:
        return selected_by_mask(f"{noun}_mask", mask, count)
    return selected(f"{noun}_ids", ids, count)
