"""Arguments of engines, checked alike for all of them."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np

from usdsim.core.errors import InvalidValueError

__all__ = ["choice", "whole"]


def whole(what: str, value: Any, least: int) -> int:
    """A whole number, as a Python integer.

    Args:
        what: what messages call it.
        value: what was given; truth values and floats that happen to be whole are refused.
        least: the smallest one allowed.

    Raises:
        InvalidValueError: it is none, or too small.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidValueError(what, value, f"an integer >= {least}")
    return int(value)


def choice(what: str, value: Any, allowed: Any) -> Any:
    """One of the words of a `typing.Literal`.

    Raises:
        InvalidValueError: it is another one.
    """
    words = get_args(allowed)
    if value not in words:
        raise InvalidValueError(what, value, ", ".join(words))
    return value
