"""Dictionaries of configurations: made, printed, changed; names matched by expressions."""

from __future__ import annotations

import hashlib
import importlib
import pprint
import re
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from usdsim.core.configuration import Configuration, plain
from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.core.names import match_names
from usdsim.views.values import to_numpy

from .refusals import MissingValuesError, NoMatchError, UnknownFieldError
from .tools.strings import ResolvableString

__all__ = [
    "class_to_dict",
    "clear_resolve_matching_names_cache",
    "convert_dict_to_backend",
    "dict_to_md5_hash",
    "print_dict",
    "resolve_matching_names",
    "resolve_matching_names_values",
    "update_class_from_dict",
    "update_dict",
]


def class_to_dict(obj: Any) -> Any:
    """Attributes of a configuration, or of any other object, by name, as plain values.

    Args:
        obj: the object; one without attributes is returned as it is. See `Configuration.to_dict`.
    """
    if isinstance(obj, Configuration | Mapping) or not hasattr(obj, "__dict__"):
        return plain(obj)
    return {name: plain(v) for name, v in vars(obj).items() if not name.startswith("__")}


def update_class_from_dict(obj: Any, data: Mapping[str, Any]) -> None:
    """Set fields of a configuration, and of those within it.

    Args:
        obj: the configuration, or a mapping in one.
        data: values by name of the field; mappings for configurations within, and names such as
            ``module:function`` for what can be called.

    Raises:
        UnknownFieldError: there is no such field.
        InvalidValueError: a text is to take the place of a number.
    """
    for name, value in data.items():
        held = obj if isinstance(obj, dict) else vars(obj)
        if name not in held and (isinstance(obj, dict) or not hasattr(obj, name)):
            raise UnknownFieldError("field", name, list(held), type(obj).__name__)
        present = held.get(name, getattr(obj, name, None))
        if isinstance(present, int | float) and isinstance(value, str):
            kind = type(present).__name__
            raise InvalidValueError(f"{type(obj).__name__}.{name}", value, f"{kind}, as {present}")
        changed = _updated(present, value)
        if isinstance(obj, dict):
            obj[name] = changed
        else:
            setattr(obj, name, changed)


def _updated(held: Any, value: Any) -> Any:
    """Value that takes the place of one held; configurations and mappings held are changed."""
    if isinstance(value, Mapping) and (isinstance(held, dict) or hasattr(held, "__dict__")):
        update_class_from_dict(held, value)
        return held
    if isinstance(value, list | tuple) and isinstance(held, list | tuple):
        mappings = all(isinstance(entry, Mapping) for entry in value)
        if value and mappings and len(value) == len(held):
            return type(held)(_updated(*pair) for pair in zip(held, value, strict=True))
    if isinstance(value, str) and not isinstance(value, ResolvableString) and callable(held):
        return ResolvableString(value)
    return value


def dict_to_md5_hash(data: object) -> str:
    """MD5 of a value's text, which tells configurations apart."""
    return hashlib.md5(repr(data).encode(), usedforsecurity=False).hexdigest()


def update_dict(orig_dict: dict[str, Any], new_dict: Mapping[str, Any]) -> dict[str, Any]:
    """A dictionary with the entries of another, also within dictionaries in it.

    Args:
        orig_dict: what is changed and returned.
        new_dict: what it gets.
    """
    for name, value in new_dict.items():
        inner = orig_dict.get(name)
        both = isinstance(value, Mapping) and isinstance(inner, dict)
        orig_dict[name] = update_dict(inner, value) if both else value  # type: ignore[arg-type]
    return orig_dict


def print_dict(val: Any, nesting: int = -4, start: bool = True) -> None:
    """Print a dictionary or a configuration, an entry per line."""
    shown = val if isinstance(val, Mapping) or not hasattr(val, "to_dict") else val.to_dict()
    sys.stdout.write(pprint.pformat(shown, sort_dicts=False) + "\n")


def convert_dict_to_backend(
    data: Mapping[str, Any],
    backend: str = "numpy",
    array_types: Sequence[str] = ("numpy", "torch", "warp"),
) -> dict[str, Any]:
    """A dictionary whose arrays are all of one kind.

    Args:
        data: arrays of NumPy, torch or Warp by name, also within mappings.
        backend: ``numpy``, ``torch`` or ``warp``.
        array_types: kinds of arrays that are converted; others stay.

    Raises:
        UnknownNameError: there is no such kind.
    """
    if backend not in ("numpy", "torch", "warp"):
        raise UnknownNameError("backend", backend, ["numpy", "torch", "warp"], "")
    return {name: _converted(value, backend, array_types) for name, value in data.items()}


def _converted(value: Any, backend: str, kinds: Sequence[str]) -> Any:
    if isinstance(value, Mapping):
        return convert_dict_to_backend(value, backend, kinds)
    if not (hasattr(value, "numpy") or isinstance(value, np.ndarray)):
        return value
    numpy, warp = isinstance(value, np.ndarray), isinstance(value, wp.array)
    if ("numpy" if numpy else "warp" if warp else "torch") not in kinds:
        return value
    if backend == "numpy":
        return to_numpy(value)
    if backend == "warp":
        if isinstance(value, wp.array):
            return value
        return wp.array(to_numpy(value), device=str(getattr(value, "device", "cpu")))
    torch = importlib.import_module("torch")
    if isinstance(value, wp.array):
        return wp.to_torch(value, requires_grad=False)
    return torch.as_tensor(value)


def resolve_matching_names(
    keys: str | Sequence[str],
    list_of_strings: Sequence[str],
    preserve_order: bool = False,
    *,
    raise_when_no_match: bool = True,
) -> tuple[list[int], list[str]]:
    """Ids and names that match expressions; see `match_names`.

    Args:
        keys: expressions that match whole names.
        list_of_strings: the names.
        preserve_order: whether the result follows the expressions rather than the names.
        raise_when_no_match: whether an expression must match; otherwise the result is empty.

    Raises:
        NoMatchError: an expression matches nothing.
        InvalidValueError: a name matches two expressions.
    """
    patterns = (keys,) if isinstance(keys, str) else tuple(keys)
    try:
        ids, names = _resolve_matching_names_impl(patterns, tuple(list_of_strings), preserve_order)
    except NoMatchError:
        if raise_when_no_match:
            raise
        return [], []
    return list(ids), list(names)


@lru_cache(maxsize=256)
def _resolve_matching_names_impl(
    patterns: tuple[str, ...], names: tuple[str, ...], preserve_order: bool
) -> tuple[list[int], list[str]]:
    """Ids and names that match, kept for the next time they are asked for.

    Raises:
        NoMatchError: an expression matches nothing.
        InvalidValueError: a name matches two expressions, or one expression is there twice.
    """
    twice = [pattern for pattern in patterns if patterns.count(pattern) > 1]
    if twice:
        raise InvalidValueError("keys", list(patterns), "each expression once")
    try:
        return match_names(patterns, names, preserve_order=preserve_order)
    except UnknownNameError:
        wrong = next(p for p in patterns if not any(re.fullmatch(p, name) for name in names))
        raise NoMatchError("name", wrong, names) from None


def clear_resolve_matching_names_cache() -> None:
    """Forget which names matched."""
    _resolve_matching_names_impl.cache_clear()


def resolve_matching_names_values(
    data: Mapping[str, Any],
    list_of_strings: Sequence[str],
    preserve_order: bool = False,
    strict: bool = True,
) -> tuple[list[int], list[str], list[Any]]:
    """Ids, names and values of names that match expressions.

    Args:
        data: values by expression.
        list_of_strings: the names.
        preserve_order: whether the result follows the expressions rather than the names.
        strict: whether every expression must match.

    Raises:
        NoMatchError: an expression matches nothing.
        InvalidValueError: a name matches two expressions.
        MissingValuesError: `data` is no mapping.
    """
    if not isinstance(data, Mapping):
        raise MissingValuesError(f"Input argument `data` should be a dictionary; it is {data!r}.")
    values: dict[int, Any] = {}
    used = []
    for pattern, value in data.items():
        ids, names = resolve_matching_names(pattern, list_of_strings, raise_when_no_match=strict)
        for i, name in zip(ids, names, strict=True):
            if i in values:
                raise InvalidValueError(
                    f"Multiple matches for {name!r}: patterns", list(data), "one for each name"
                )
            values[i] = value
        used += [pattern] if ids else []
    ids, names = match_names(used, list_of_strings, preserve_order=preserve_order)
    return ids, names, [values[i] for i in ids]
