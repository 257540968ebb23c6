"""Typed calls of torch and OpenUSD: they look at types themselves, and ours stand for others."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from usdsim.views.usable import UsableArray

from .prims.applied_schemas import SchemaView

__all__ = ["restore_typed_calls", "widen_typed_calls"]


def _tensor(value: Any) -> Any:
    """The tensor that an array of assets is: all other functions of torch ask the array for it."""
    return value.torch if isinstance(value, UsableArray) else value


def _schema_name(value: Any) -> Any:
    """The name of a schema that is a class of Python only."""
    ours = isinstance(value, type) and issubclass(value, SchemaView)
    return value.form.schema if ours else value


_CALLS: dict[Callable[[Any], Any], tuple[tuple[str, str, str], ...]] = {
    _tensor: (
        ("torch.testing", "", "assert_close"),
        ("torch.jit", "ScriptFunction", "__call__"),
    ),
    _schema_name: tuple(
        ("pxr.Usd", "Prim", name)
        for name in ("ApplyAPI", "CanApplyAPI", "HasAPI", "IsA", "RemoveAPI")
    ),
}
"""Changes of arguments, and the module, class and name of the functions that get them."""


def _places() -> list[tuple[Any, str, Callable[[Any], Any]]]:
    """Modules and classes that have the functions, their names, and what changes arguments."""
    places = []
    for change, calls in _CALLS.items():
        for module, owner, name in calls:
            if find_spec(module.partition(".")[0]) is not None:
                found = import_module(module)
                places.append((getattr(found, owner) if owner else found, name, change))
    return places


def _widened(original: Callable[..., Any], change: Callable[[Any], Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        named = {name: change(value) for name, value in kwargs.items()}
        return original(*map(change, args), **named)

    return call


def widen_typed_calls() -> None:
    """Let compiled functions (TorchScript) and ``assert_close`` take arrays, prims our schemas."""
    for owner, name, change in _places():
        original = getattr(owner, name)
        if not hasattr(original, "__wrapped__"):
            setattr(owner, name, _widened(original, change))


def restore_typed_calls() -> None:
    """Give torch and OpenUSD their own functions back."""
    for owner, name, _ in _places():
        original = getattr(owner, name)
        setattr(owner, name, getattr(original, "__wrapped__", original))
