"""Configuration class decorator: class attributes become fields, each instance with copies."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from usdsim.core.configuration import Configuration
from usdsim.core.declared import DeclaredConfiguration, declared_attributes
from usdsim.core.errors import InvalidValueError

__all__ = ["configclass"]

T = TypeVar("T")
_NO_FIELDS = (FunctionType, classmethod, staticmethod, property, type)


def configclass(cls: type[T]) -> type[T]:
    """Make a class a configuration: fields of all its attributes, annotated or not.

    Fields without a value are `dataclasses.MISSING` until they are set, which ``validate`` refuses.
    Scenes, environments and terms stay as they are: they take their attributes themselves.

    Args:
        cls: the class.
    """
    if issubclass(cls, DeclaredConfiguration):
        return _with_fields(cls)
    notes = dict(inspect.get_annotations(cls))
    for name, value in list(cls.__dict__.items()):
        if not name.startswith("__") and name not in notes and not isinstance(value, _NO_FIELDS):
            notes[name] = Any
    for name, note in notes.items():
        if "ClassVar" not in str(note):
            value = cls.__dict__.get(name, dataclasses.MISSING)
            setattr(cls, name, dataclasses.field(default_factory=_copies(value)))
    cls.__annotations__ = notes
    for method in ("copy", "replace", "to_dict"):
        if not hasattr(cls, method):
            setattr(cls, method, Configuration.__dict__[method])
    if not hasattr(cls, "__post_init__"):
        cls.__post_init__ = _complete  # type: ignore[attr-defined]
    if not hasattr(cls, "validate"):
        cls.validate = _validate  # type: ignore[attr-defined]
    return dataclasses.dataclass(eq=False)(cls)


def _complete(self: Any) -> None:
    """Complete the values; what is derived from the class may call it."""


def _with_fields(cls: type[T]) -> type[T]:
    """Let a class that takes its attributes itself show them as a dataclass does.

    Programs that walk configurations look for ``__dataclass_fields__`` to tell them from values.
    """
    names = declared_attributes(cls)
    shown = dataclasses.make_dataclass(cls.__name__, [(name, Any, None) for name in names])
    for field in dataclasses.fields(shown):
        field.default = dataclasses.MISSING
    cls.__dataclass_fields__ = {f.name: f for f in dataclasses.fields(shown)}  # type: ignore[attr-defined]
    return cls


def _copies(value: Any) -> Callable[[], Any]:
    # The mark of a missing value is one object, which a copy would not be.
    return lambda: value if value is dataclasses.MISSING else copy.deepcopy(value)


def _validate(self: Any) -> None:
    """Refuse values that were never set.

    Raises:
        InvalidValueError: there is one.
    """
    for field in dataclasses.fields(self):
        value = getattr(self, field.name)
        if value is dataclasses.MISSING:
            raise InvalidValueError(f"{type(self).__name__}.{field.name}", "missing", "a value")
        if dataclasses.is_dataclass(value) and hasattr(value, "validate"):
            value.validate()
