"""Array checks before writing, and errors of assets that do not fit or are not ready."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import warp as wp

from usdsim.core.errors import InvalidValueError, ShapeError, StageError

__all__ = ["NotInitializedError", "UnfitAssetError", "require_array"]


class NotInitializedError(StageError):
    """Use of an asset while there is no engine.

    Args:
        title: the asset in messages.
    """

    def __init__(self, title: str):
        super().__init__(
            f"The {title} is not initialized, because the simulation was not started or was "
            "stopped. Call sim.reset() first."
        )


class UnfitAssetError(StageError, RuntimeError):
    """Prim that a configuration matches and that is not what its class of asset is made for."""


def require_array(array: Any, shape: tuple[int, ...], dtype: Any, what: str) -> None:
    """Raise unless an array has a shape and a type; numbers pass.

    Args:
        array: Warp, NumPy or torch array, or a number.
        shape: leading sizes.
        dtype: Warp type of an element; arrays of its components have another axis for them.
        what: the array in messages.

    Raises:
        ShapeError: the shape is another.
        InvalidValueError: the type is another, or it is no array.
    """
    if isinstance(array, int | float | np.number):
        return
    if not hasattr(array, "shape") or not hasattr(array, "dtype"):
        raise InvalidValueError(what, array, "an array or a number")
    inner = tuple(getattr(dtype, "_shape_", ()))
    scalar = getattr(dtype, "_wp_scalar_type_", dtype)
    given, found = tuple(array.shape), array.dtype
    if isinstance(array, wp.array) and found == dtype:
        given, found = (*given, *inner), scalar
    wanted = (*shape, *inner)
    flat = (*shape, math.prod(inner)) if inner else wanted
    if given not in (wanted, flat):
        raise ShapeError(what, given, f"{wanted}")
    if _kind(found) != _kind(scalar):
        raise InvalidValueError(f"type of {what}", found, getattr(dtype, "__name__", str(dtype)))


def _kind(dtype: Any) -> str:
    """``float32`` of a Warp, NumPy or torch type."""
    name = getattr(dtype, "__name__", None) or str(dtype)
    return "bool" if "bool" in name else name.removeprefix("torch.")
