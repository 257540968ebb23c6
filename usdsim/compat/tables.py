"""Dictionaries of configurations: made, printed, changed; names matched by expressions."""

from __future__ import annotations

import importlib
import pprint
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import warp as wp

from usdsim.core.configuration import Configuration
from usdsim.core.errors import UnknownNameError
from usdsim.core.names import match_names

__all__ = [
    "class_to_dict",
    "convert_dict_to_backend",
    "print_dict",
    "resolve_matching_names",
    "resolve_matching_names_values",
    "update_class_from_dict",
    "update_dict",
]


def class_to_dict(obj: Any) -> dict[str, Any]:
    """Fields of a configuration by name; see `Configuration.to_dict`."""
    result: dict[str, Any] = Configuration.to_dict(obj)
    return result


def update_class_from_dict(obj: Any, data: Mapping[str, Any]) -> None:
    """Set fields of a configuration, and of those within it.

    Args:
        obj: the configuration.
        data: values by name of the field; mappings for configurations within.

    Raises:
        UnknownNameError: there is no such field.
    """
    for name, value in data.items():
        held = obj if isinstance(obj, dict) else vars(obj)
        if name not in held and not hasattr(obj, name):
            raise UnknownNameError("field", name, list(held), type(obj).__name__)
        inner = held.get(name)
        if isinstance(value, Mapping) and (isinstance(inner, dict) or hasattr(inner, "__dict__")):
            update_class_from_dict(inner, value)
        elif isinstance(obj, dict):
            obj[name] = value
        else:
            setattr(obj, name, value)


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
    data: Mapping[str, Any], backend: str = "numpy", array_types: Sequence[str] = ()
) -> dict[str, Any]:
    """A dictionary whose arrays are all of one kind.

    Args:
        data: arrays of NumPy, torch or Warp by name, also within mappings.
        backend: ``numpy``, ``torch`` or ``warp``.
        array_types: accepted; all kinds of arrays are converted.

    Raises:
        UnknownNameError: there is no such kind.
    """
    if backend not in ("numpy", "torch", "warp"):
        raise UnknownNameError("backend", backend, ["numpy", "torch", "warp"], "")
    return {name: _converted(value, backend) for name, value in data.items()}


def _converted(value: Any, backend: str) -> Any:
    if isinstance(value, Mapping):
        return convert_dict_to_backend(value, backend)
    if not (hasattr(value, "numpy") or isinstance(value, np.ndarray)):
        return value
    if backend == "numpy":
        return value.detach().cpu().numpy() if hasattr(value, "detach") else np.asarray(value)
    if backend == "warp":
        return wp.array(_converted(value, "numpy"))
    torch = importlib.import_module("torch")
    return value if isinstance(value, torch.Tensor) else torch.as_tensor(_converted(value, "numpy"))


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
        UnknownNameError: an expression matches nothing.
        InvalidValueError: a name matches two expressions.
    """
    try:
        return match_names(keys, list_of_strings, preserve_order=preserve_order)
    except UnknownNameError:
        if raise_when_no_match:
            raise
        return [], []


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
        UnknownNameError: an expression matches nothing.
        InvalidValueError: a name matches two expressions.
    """
    values: dict[int, Any] = {}
    used = []
    for pattern, value in data.items():
        ids, _ = resolve_matching_names(pattern, list_of_strings, raise_when_no_match=strict)
        used += [pattern] if ids else []
        values.update(dict.fromkeys(ids, value))
    ids, names = match_names(used, list_of_strings, preserve_order=preserve_order)
    return ids, names, [values[i] for i in ids]
