"""Configuration base class: copies, copies with changes, and plain values of a configuration."""

from __future__ import annotations

import copy
import dataclasses
import difflib
import importlib
import inspect
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from types import SimpleNamespace
from typing import Any, Self, TypeVar

from .errors import InvalidValueError, UnknownNameError

__all__ = ["Configuration", "UnknownFieldError", "named", "plain"]

C = TypeVar("C", bound="Configuration")

_ALIKE = 0.9
"""Share of letters in common from which on a name is taken for another one, misspelt."""


class UnknownFieldError(UnknownNameError, TypeError):
    """A configuration is given a value by a name that none of its fields has."""


class Configuration:
    """Base of dataclasses that configure something; what they configure never changes them.

    Raises:
        UnknownFieldError: there is no field of a name that is given.
    """

    def __new__(cls, *_: Any, **values: Any) -> Self:
        """An instance, once all names are those of fields."""
        known = _arguments(cls.__init__) if values else None
        for name in values:
            if known is not None and name not in known:
                raise UnknownFieldError("field", name, known, cls.__qualname__)
        return super().__new__(cls)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a value, with a warning where the name is all but that of a field.

        Attributes may be added, as programs keep values of their own beside those of a base;
        what a program adds that is a configuration itself, such as a further term, may be named
        like others.
        """
        if not hasattr(self, name) and not isinstance(value, Configuration):
            _warn_of_misspelling(type(self), name)
        super().__setattr__(name, value)

    def __post_init__(self) -> None:
        """Complete the values, once all fields have theirs; derived classes may call this one."""

    def copy(self: C) -> C:
        """A copy that shares nothing with this one."""
        return copy.deepcopy(self)

    def replace(self: C, **changes: Any) -> C:
        """A copy with other values of some fields.

        Args:
            changes: values by name of the field.

        Raises:
            UnknownNameError: there is no such field.
        """
        known = [field.name for field in dataclasses.fields(self) if field.init]  # type: ignore[arg-type]
        for name in changes:
            if name not in known:
                raise UnknownNameError("field", name, known, type(self).__name__)
        return dataclasses.replace(copy.deepcopy(self), **changes)  # type: ignore[type-var]

    def to_dict(self) -> dict[str, Any]:
        """Fields by name: configurations within as mappings, functions and classes as their names.

        Returns:
            Mappings, sequences and plain values, such as can be written to JSON or YAML.
        """
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return {field.name: plain(getattr(self, field.name)) for field in fields}


@cache
def _arguments(function: Callable[..., Any]) -> tuple[str, ...] | None:
    """Names of the arguments of a method without its object; None: it takes any."""
    _, *given = inspect.signature(function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in given):
        return None
    return tuple(parameter.name for parameter in given)


def _warn_of_misspelling(cls: type, name: str) -> None:
    known = _names(cls)
    if name in known or name.startswith("_"):
        return
    letters = name.rstrip("0123456789")
    for close in difflib.get_close_matches(name, known, cutoff=_ALIKE):
        if close.rstrip("0123456789") != letters:
            warnings.warn(
                f"{cls.__qualname__} has no field {name!r}, so its value has no effect unless your "
                f"own code reads it. Did you mean {close!r}?",
                stacklevel=3,
            )
            return


@cache
def _names(cls: type) -> frozenset[str]:
    """Names that instances of a class may have from their classes: fields, and all else."""
    hints = (name for base in cls.__mro__ for name in inspect.get_annotations(base))
    return frozenset((*getattr(cls, "__dataclass_fields__", ()), *hints, *dir(cls)))


def plain(value: Any) -> Any:
    """A value without classes of ours, as `Configuration.to_dict` gives it."""
    if isinstance(value, Configuration):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        # A field that was deleted from a value is none of it, whatever its class has in its place.
        held = getattr(value, "__dict__", names)
        return {name: plain(getattr(value, name)) for name in names if name in held}
    if isinstance(value, Mapping):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, SimpleNamespace):
        return plain(vars(value))
    if isinstance(value, list | tuple):
        return type(value)(plain(entry) for entry in value)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    return f"{value.__module__}:{name}" if callable(value) and isinstance(name, str) else value


def named(text: str, separator: str = ":", what: str = "name") -> Any:
    """Resolve a name such as ``module:Class.method``; `plain` writes such names.

    Args:
        text: module and path in it.
        separator: what parts them.
        what: what it names, in messages.

    Raises:
        InvalidValueError: there is nothing of that name.
    """
    module, _, path = text.partition(separator)
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidValueError(
            what, text, f"package.module{separator}name", f"It cannot be imported: {error}."
        ) from error
    return found
