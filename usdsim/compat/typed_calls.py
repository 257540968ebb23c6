"""Typed calls of torch and OpenUSD: they look at types themselves, and ours stand for others."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import MethodType
from typing import Any

import warp as wp

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


def _torch_type(value: Any) -> Any:
    """The type of torch that numbers of a type of Warp have, as ``array.dtype`` tells it."""
    if isinstance(value, type) and value.__module__.startswith("warp"):
        return wp.dtype_to_torch(getattr(value, "_wp_scalar_type_", value))
    return value


_CALLS: dict[Callable[[Any], Any], tuple[tuple[str, str, str], ...]] = {
    _tensor: (
        ("torch.testing", "", "assert_close"),
        ("torch.jit", "ScriptFunction", "__call__"),
    ),
    _torch_type: (
        *(("torch", "Tensor", name) for name in ("to", "type")),
        *(("torch", "Tensor", f"new_{name}") for name in ("empty", "full", "ones", "zeros")),
        *(("torch", "Tensor", "new_tensor"), ("torch", "", "as_tensor"), ("torch", "", "tensor")),
        *(("torch", "", name) for name in ("arange", "eye", "linspace", "randint")),
        *(
            ("torch", "", name + like)
            for name in ("empty", "full", "ones", "rand", "randn", "zeros")
            for like in ("", "_like")
        ),
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


class _Widened:
    """A function, or a method of a class, that changes what it is called with.

    It equals the original, by which torch finds what tensors of other classes do in its place.
    """

    def __init__(self, original: Callable[..., Any], change: Callable[[Any], Any]):
        functools.update_wrapper(self, original)
        self._original, self._change = original, change

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        named = {name: self._change(value) for name, value in kwargs.items()}
        return self._original(*map(self._change, args), **named)

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else MethodType(self, owner)

    def __eq__(self, other: object) -> bool:
        return other is self or bool(other == self._original)

    def __hash__(self) -> int:
        return hash(self._original)

    def __reduce__(self) -> Any:
        """Form in copies and files: the original, in whatever way that has one."""
        return _itself, (self._original,)


def _itself(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _tell_scripts(owner: Any, call: Callable[..., Any], known: Callable[..., Any]) -> None:
    """Let TorchScript compile for a function of torch what it does for another."""
    if getattr(owner, "__name__", "") == "torch":
        operators = import_module("torch.jit._builtins")._get_builtin_table()
        operator = operators.pop(id(known), None)
        if operator is not None:
            operators[id(call)] = operator


def widen_typed_calls() -> None:
    """Let functions of torch and OpenUSD take what stands here for arrays, types and schemas.

    Compiled functions (TorchScript) and ``assert_close`` take arrays, those that make or convert
    tensors the types of arrays, and prims the schemas.
    """
    for owner, name, change in _places():
        original = getattr(owner, name)
        if not hasattr(original, "__wrapped__"):
            call = _Widened(original, change)
            setattr(owner, name, call)
            _tell_scripts(owner, call, original)


def restore_typed_calls() -> None:
    """Give torch and OpenUSD their own functions back."""
    for owner, name, _ in _places():
        call = getattr(owner, name)
        original = getattr(call, "__wrapped__", call)
        setattr(owner, name, original)
        _tell_scripts(owner, original, call)
