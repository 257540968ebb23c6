"""Goals of controllers, checked before they are kept."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from usdsim.core.errors import InvalidValueError, ShapeError

__all__ = ["checked_goals"]


def checked_goals(what: str, values: Any, shape: tuple[int, int], device: Any) -> Tensor:
    """Goals of all robots, shape (robots, numbers).

    Args:
        what: the argument, for messages.
        values: those of each robot, or of one for all of them.
        shape: the shape needed.
        device: where they are needed.

    Raises:
        ShapeError: they have another shape.
        InvalidValueError: they are no real numbers.
    """
    try:
        found = torch.as_tensor(values, device=device)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise InvalidValueError(what, values, f"numbers, shape {shape}") from error
    if found.is_complex() or found.dtype == torch.bool:
        raise InvalidValueError(what, found.dtype, "real numbers")
    if tuple(found.shape) not in (shape, (1, shape[1]), shape[1:]):
        raise ShapeError(what, tuple(found.shape), f"the shape {shape}")
    return found.expand(shape)
