"""Forms of values that fields of configurations take, by their annotations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from pxr import Sdf

from usdsim.core.configuration import Configuration

__all__ = ["misfit"]


def _kind(value: Any) -> str:
    """Kind of a value's numbers; empty where it has none."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return ""
    return array.dtype.kind


def _is_text(value: Any) -> bool:
    return isinstance(value, str | Sdf.Path) and not any(c < " " for c in str(value))


def _are_texts(value: Any) -> bool:
    return (
        isinstance(value, Iterable)
        and not isinstance(value, str | bytes | np.ndarray)
        and all(_is_text(one) for one in value)
    )


def _is_number(value: Any) -> bool:
    return type(value) is float or (_kind(value) in tuple("biuf") and np.size(value) == 1)


def _are_numbers(value: Any) -> bool:
    return _kind(value) in tuple("biuf") and np.ndim(value) == 1


_FORMS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "bool": (lambda value: isinstance(value, bool | np.bool_), "True or False"),
    "float": (_is_number, "a number"),
    "int": (_is_number, "a whole number"),
    "MeshCollisionBaseCfg": (lambda value: isinstance(value, Configuration), "a configuration"),
    "str": (_is_text, "a text"),
    "Sequence[float]": (_are_numbers, "a list of numbers"),
    "Sequence[str]": (_are_texts, "a list of texts"),
    "tuple[str, ...]": (_are_texts, "a tuple of texts"),
    "str | Sequence[str]": (
        lambda value: _is_text(value) or _are_texts(value),
        "a text, or a list",
    ),
}
"""Whether a value fits, and what does in words. Other annotations are not looked at."""


def misfit(annotation: str, value: Any) -> str:
    """Form that a field of that annotation takes instead of a value; empty if the value fits."""
    fits, wanted = _FORMS.get(annotation.removesuffix(" | None"), (None, ""))
    return "" if fits is None or fits(value) else wanted
