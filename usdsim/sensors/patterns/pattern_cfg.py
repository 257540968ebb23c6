"""Ray pattern base configuration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field
from inspect import signature
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.views.usable import usable

__all__ = [
    "Array",
    "PatternBaseCfg",
    "PatternFunction",
    "Rays",
    "ray_arrays",
]

Array = NDArray[np.float64]
Rays = tuple[Any, Any]
"""Starts [m] and directions of rays, shape (R, 3) each."""
PatternFunction = Callable[..., tuple[ArrayLike, ArrayLike]]
"""Function of a configuration, and maybe a device, to starts [m] and directions of rays."""


def ray_arrays(starts: Array, directions: Array, device: Any) -> Rays:
    """Rays as torch tensors on a device, or as they are.

    Args:
        starts: starts [m].
        directions: directions.
        device: where the tensors live; None: arrays in NumPy.
    """
    if device is None:
        return starts, directions
    first, second = (
        usable(wp.array(part.astype(np.float32), dtype=wp.float32, device="cpu")).torch
        for part in (starts, directions)
    )
    return first.to(device), second.to(device)


@dataclass(kw_only=True)
class PatternBaseCfg(Configuration):
    """Base of patterns; give it a function to make one of your own."""

    func: PatternFunction = field(default_factory=lambda: MISSING)  # type: ignore[assignment]
    """Computes the starts and the directions of the rays in the frame of the sensor."""

    def validate(self) -> None:
        """Check every value.

        Raises:
            InvalidValueError: a value is outside what is allowed.
        """
        if not callable(self.func):
            raise InvalidValueError(
                f"{type(self).__name__}.func", self.func, "a function of the configuration"
            )

    def rays(self) -> tuple[Array, Array]:
        """Starts [m] and unit directions of the rays in the frame of the sensor, (R, 3) each.

        Raises:
            InvalidValueError: a value is not allowed, or a direction is zero or not finite.
            ShapeError: the pattern's function returns other shapes.
        """
        self.validate()
        where = ("cpu",) if _needs_device(self.func) else ()
        found = self.func(self, *where)
        starts, directions = (np.asarray(a, dtype=np.float64) for a in found)
        title = f"rays of {type(self).__name__}"
        for what, array in (("starts", starts), ("directions", directions)):
            if array.ndim != 2 or array.shape[1] != 3 or array.shape != starts.shape:
                raise ShapeError(f"{what} of the {title}", array.shape, "(R, 3)")
        length = np.linalg.norm(directions, axis=1, keepdims=True)
        good = np.isfinite(starts).all(axis=1) & np.isfinite(length[:, 0]) & (length[:, 0] > 0.0)
        if not len(starts) or not good.all():
            worst = int(np.argmin(good)) if len(starts) else 0
            shown = directions[worst].tolist() if len(starts) else []
            raise InvalidValueError(
                f"direction {worst} of the {title}", shown, "at least one ray that points somewhere"
            )
        return starts, directions / length


def _needs_device(function: PatternFunction) -> bool:
    """Whether a function cannot be called with the configuration alone."""
    given = [p for p in signature(function).parameters.values() if p.default is p.empty]
    return len([p for p in given if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]) > 1
