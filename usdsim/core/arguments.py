"""Checks on numbers, arrays, words and truth values that come in."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from types import NoneType
from typing import Any, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InvalidValueError, ShapeError

__all__ = [
    "choice",
    "entries",
    "interval",
    "number",
    "of_kind",
    "on_host",
    "real",
    "table",
    "truth",
    "whole",
]

T = TypeVar("T")

_MOST = 2**31 - 1
"""Largest of the engine's integers."""


def number(
    what: str,
    value: Any,
    least: float = 0.0,
    most: float = math.inf,
    *,
    above: bool = True,
    unit: str = "",
) -> float:
    """A finite number.

    Args:
        what: what it is, for messages.
        value: what was given.
        least: what it must not be below.
        most: what it must not be above.
        above: whether it must not be `least` either.
        unit: its unit, for messages.

    Raises:
        InvalidValueError: it is something else.
    """
    if not _is_finite(value) or not least <= value <= most or (above and value == least):
        bound = _bound(least, above) + (f" and <= {most:g}" if most < math.inf else "")
        raise InvalidValueError(what, value, f"a finite number{f' [{unit}]' * bool(unit)}{bound}")
    return float(value)


def interval(
    what: str, value: Any, least: float = -math.inf, *, above: bool = False
) -> tuple[float, float]:
    """Two finite numbers, the smallest and the largest of an interval.

    Args:
        what: what it is, for messages.
        value: what was given.
        least: what neither must be below.
        above: whether neither must be `least` either.

    Raises:
        InvalidValueError: it is something else.
        ShapeError: there are more numbers, or fewer.
    """
    pair = [*value] if isinstance(value, Sequence | np.ndarray) and np.ndim(value) == 1 else []
    if pair and len(pair) != 2:
        raise ShapeError(what, (len(pair),), "(2,)")
    if not (
        pair
        and all(map(_is_finite, pair))
        and least <= pair[0] <= pair[1]
        and not (above and pair[0] == least)
    ):
        allowed = f"two finite numbers{_bound(least, above)}, in order"
        raise InvalidValueError(what, value, allowed)
    return float(pair[0]), float(pair[1])


def _is_finite(value: Any) -> bool:
    """Whether a value is a finite number, or an array or tensor without axes that holds one."""
    if getattr(value, "ndim", None) == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float | np.floating):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float is
        return False


def _bound(least: float, above: bool) -> str:
    if least == -math.inf:
        return ""
    return f" above {least:g}" if above else f" >= {least:g}"


def whole(what: str, value: Any, least: int = 0, most: int = _MOST) -> int:
    """A whole number, as a Python integer.

    Args:
        what: what it is, for messages.
        value: what was given; truth values and floats that happen to be whole are refused.
        least: the smallest allowed.
        most: the largest allowed.

    Raises:
        InvalidValueError: it is something else.
    """
    try:
        index = operator.index(value)
    except TypeError:
        index = least - 1
    if not least <= index <= most or isinstance(value, bool):
        bounded = most != _MOST or index > most
        allowed = f"from {least} to {most}" if bounded else f">= {least}"
        raise InvalidValueError(what, value, f"a whole number {allowed}")
    return index


def choice(what: str, value: T, words: Iterable[str]) -> T:
    """One of some words.

    Raises:
        InvalidValueError: it is something else.
    """
    known = [*words]
    if not isinstance(value, str) or value not in known:
        raise InvalidValueError(what, value, ", ".join(map(repr, known)))
    return value


def truth(what: str, value: Any) -> bool:
    """A truth value.

    Raises:
        InvalidValueError: it is something else.
    """
    if not isinstance(value, bool | np.bool_):
        raise InvalidValueError(what, value, "True or False")
    return bool(value)


def of_kind(what: str, value: Any, kind: Any, allowed: str = "") -> Any:
    """An object of a class.

    Args:
        what: what it is, for messages.
        value: what was given.
        kind: the class, or a union of classes.
        allowed: what it must be, for messages, if not the names of these.

    Raises:
        InvalidValueError: it is something else.
    """
    if not isinstance(value, kind):
        words = dict.fromkeys(map(_article, get_args(kind) or (kind,)))
        raise InvalidValueError(what, value, allowed or " or ".join(words))
    return value


_WORDS: dict[type, str] = {
    Integral: "a whole number",
    Iterable: "a list",
    Mapping: "a mapping",
    NoneType: "None",
    Real: "a number",
    bool: "True or False",
    np.bool_: "True or False",
    str: "a text",
}
"""Words for classes that users know by others."""


def _article(kind: type) -> str:
    return _WORDS.get(kind, f"a{'n' * (kind.__name__[0] in 'AEIOU')} {kind.__qualname__}")


def entries(what: str, values: Any, allowed: str) -> list[Any]:
    """Entries of a list that is not empty.

    Args:
        what: what they are, for messages.
        values: what was given.
        allowed: what it must be, for messages.

    Raises:
        InvalidValueError: there are none, or it is something else, such as a text.
    """
    found = [*values] if isinstance(values, Iterable) and not isinstance(values, str) else []
    if not found:
        raise InvalidValueError(what, values, allowed)
    return found


def on_host(values: Any) -> Any:
    """Arrays of Warp and torch as NumPy's, sharing memory where they can; anything else as it is.

    Tensors may be part of a graph of gradients, or of the type ``bfloat16``, which NumPy lacks.
    """
    if hasattr(type(values), "detach"):  # torch, which need not be installed
        values = values.detach().cpu()
        if str(values.dtype) == "torch.bfloat16":
            values = values.float()
    numpy = getattr(values, "numpy", None)
    return values if numpy is None else numpy()


def real(what: str, values: Any, exact: bool = True) -> NDArray[Any]:
    """An array of real numbers, of float64 if it has to be exact.

    Raises:
        InvalidValueError: they are something else.
    """
    try:
        array = values if isinstance(values, np.ndarray) else np.asarray(on_host(values))
        # NumPy would read numbers out of texts and dates.
        if array.dtype.kind not in "fiubO":
            raise TypeError(f"values of type {array.dtype}")
        if array.dtype.kind == "O" and any(v is None or isinstance(v, str) for v in array.flat):
            raise TypeError("values that are no numbers")
        if exact or array.dtype.kind in "bO":
            array = array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidValueError(what, values, "real numbers") from error
    return array


def table(what: str, values: ArrayLike, *shapes: tuple[int, ...]) -> NDArray[np.float64]:
    """Finite numbers, in one of some shapes.

    Raises:
        InvalidValueError: they are something else.
        ShapeError: they have another shape.
    """
    array = real(what, values)
    if array.shape not in shapes:
        raise ShapeError(what, array.shape, " or ".join(map(str, shapes)))
    if not np.isfinite(array).all():
        raise InvalidValueError(what, array.tolist(), "finite numbers")
    return array
