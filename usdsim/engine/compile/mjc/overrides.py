"""Overrides of spec fields from the MuJoCo dialect."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from usdsim.core.dialects.mjc import MjcRow
from usdsim.core.dialects.mjc_tables import ROWS
from usdsim.core.errors import CompileError

__all__ = ["apply_overrides", "set_field"]

_WORLD = "world"
_BODIES = {
    "bodyname", "bodyname1", "bodyname2", "name1", "name2", "objname", "refname", "target",
    "targetbody",
}  # fmt: skip
"""References that may point at the world."""
_DEFERRED = ("content", "file")
"""Fields of meshes that `add_elements` sets, because they need the spec."""


@cache
def _rows(kind: str) -> dict[str, MjcRow]:
    return {row.spec: row for row in ROWS[kind]}


def apply_overrides(
    element: Any, kind: str, overrides: Mapping[str, Any], names: Mapping[str, str]
) -> None:
    """Set a spec element's fields.

    Args:
        element: the spec element.
        kind: its kind, a key of `usdsim.core.dialects.mjc_tables.ROWS`.
        overrides: values by spec field, as the parser's MuJoCo reader gives them.
        names: spec names by prim path, for references.

    Raises:
        CompileError: the engine does not take a value.
    """
    rows = _rows(kind)
    for field, value in overrides.items():
        row = rows.get(field)
        if row is not None and row.type == "rel":
            _refer(element, field, value, names)
        elif field in _DEFERRED and kind == "mesh":
            continue
        else:
            set_field(element, field, value)


def set_field(element: Any, field: str, value: Any) -> None:
    """Set a field, or a part of one: ``solref``, ``damping[0]``, ``damping[1:]``."""
    name, _, inside = field.partition("[")
    try:
        if not inside:
            _set_whole(element, name, value)
            return
        start, colon, stop = inside.rstrip("]").partition(":")
        array = getattr(element, name)
        if colon:
            array[int(start or 0) : int(stop) if stop else None] = value
        else:
            array[int(start)] = value
    except (AttributeError, TypeError, ValueError, IndexError) as error:
        what = getattr(element, "name", "") or type(element).__name__
        current: Any = getattr(element, name, None)
        allowed = f"{np.size(current)} numbers" if np.ndim(current) else type(current).__name__
        shown = value.tolist() if isinstance(value, np.ndarray) else value
        raise CompileError(
            f"{what!r}: {field} is {shown!r}; allowed: {allowed}. Correct the mjc: attribute on "
            "the stage."
        ) from error


def _set_whole(element: Any, name: str, value: Any) -> None:
    """Set a field; of one with more numbers than are given, the first ones, as MJCF does."""
    if isinstance(value, np.ndarray):
        value, current = value.ravel(), getattr(element, name)
        if isinstance(current, np.ndarray) and 0 < value.size < current.size:
            current[: value.size] = value
            return
    # Fields of variable length take sequences, fields of fixed length arrays: both take lists.
    setattr(element, name, value)


def _refer(element: Any, field: str, value: Any, names: Mapping[str, str]) -> None:
    if field == "plugin":
        element.plugin.name = _name(element, field, value, names)
        element.plugin.active = True
    elif isinstance(value, str):
        setattr(element, field, _name(element, field, value, names))
    else:
        setattr(element, field, [_name(element, field, path, names) for path in value])


def _name(element: Any, field: str, path: str, names: Mapping[str, str]) -> str:
    if path in names:
        return names[path]
    # A prim that is no element is the place of the world's things: the model's root.
    if field in _BODIES:
        return _WORLD
    raise CompileError(
        f"{field!r} of {element.name!r} refers to {path!r}, which is no element of the model. "
        "Correct the relationship on the stage."
    )
