"""Values as text of layers, in all their digits."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

import numpy as np
from pxr import Sdf

from .attributes import numbers, to_usd, value_form

__all__ = ["details_text", "metadata_text", "paths_text", "quoted", "value_text"]

_SHORT = 16
"""Most entries of an array that is text; longer ones OpenUSD takes faster from memory."""
_ELSEWHERE = ("asset", "opaque", "timecode", "group", "pathExpression")
"""Element types whose text has rules of its own."""
_ESCAPED = re.compile(r'[\x00-\x1f\x7f"\\]')


def quoted(text: str) -> str:
    """Text as a string of a layer."""
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _truth(value: bool) -> str:
    return "true" if value else "false"


_TEXT: dict[type, Callable[[Any], str]] = {bool: _truth, float: repr, str: quoted}
_KINDS: dict[str, type] = {"bool": bool, "string": str, "token": str}


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    return f"\\{character}" if character in '"\\' else f"\\x{ord(character):02x}"


def value_text(value: Any, type_name: Sdf.ValueTypeName, path: str, name: str) -> tuple[str, Any]:
    """A value of an attribute as text, or as OpenUSD's where that would be long or peculiar.

    Args:
        value: see `to_usd`.
        type_name: type of the attribute.
        path: of its prim, for messages.
        name: its name, for messages.

    Returns:
        The text and None, or empty text and the value.

    Raises:
        InvalidValueError: the value does not fit.
    """
    form = value_form(type_name)
    kind = type(value)
    if kind is form.plain:
        return _TEXT[kind](value), None
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        if form.make is not None and value.shape == form.dims:
            numbers = value.tolist()
            return str((numbers[3], *numbers[:3]) if form.is_quat else tuple(numbers)), None
        if form.is_floats and value.ndim == 1 and len(value) <= _SHORT:
            return str(value.tolist()), None
    made = to_usd(value, type_name, f"{path}.{name}")
    write = _writer(type_name.scalarType)
    if write is None or (form.is_array and len(made) > _SHORT):
        return "", made
    return f"[{', '.join(map(write, made))}]" if form.is_array else write(made), None


@cache
def _writer(type_name: Sdf.ValueTypeName) -> Callable[[Any], str] | None:
    """Maker of texts of a type that is no array's; None: its values are no short text."""
    form = value_form(type_name)
    if form.base in _ELSEWHERE or len(form.dims) > 1:
        return None
    if not form.dims:
        return _TEXT[_KINDS.get(form.base, float)]
    if form.is_quat:
        return lambda quat: str((quat.GetReal(), *numbers(quat.GetImaginary())))
    return lambda vector: str(tuple(numbers(vector)))


def paths_text(paths: Collection[str]) -> str:
    """Targets of a relationship or references."""
    return f"[{', '.join(f'<{path}>' for path in paths)}]" if paths else "None"


def details_text(metadata: Mapping[str, str] | None) -> str:
    """Metadata of a property in parentheses; empty if there is none."""
    if not metadata:
        return ""
    lines = "".join(f"{name} = {quoted(text)}\n" for name, text in metadata.items())
    return f" (\n{lines})"


def metadata_text(value: Any) -> tuple[str, str]:
    """Type and text of a value in a dictionary, see `usdsim.usd.converted.as_metadata`."""
    if isinstance(value, (bool, np.bool_)):
        return "bool", _truth(bool(value))
    array = np.asarray(value, dtype=np.float64)
    if array.ndim == 0:
        return "double", repr(float(array))
    return "double[]", str(array.ravel().tolist())
