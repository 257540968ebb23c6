"""Configuration class decorator: class attributes become fields, each instance with copies."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any, TypeVar

from usdsim.core.configuration import Configuration, plain
from usdsim.core.declared import DeclaredConfiguration, declared_attributes
from usdsim.core.errors import InvalidValueError

from .refusals import MissingValuesError
from .settings import Settings
from .tables import update_class_from_dict
from .tools.strings import ResolvableString

__all__ = ["checked_apply", "configclass", "copied"]

T = TypeVar("T")
_NO_FIELDS = (classmethod, staticmethod, property)
_NAME = re.compile(r"(\{DIR\}[\w.]*|\w+(\.\w+)+):[A-Za-z_][\w.]*")


def configclass(cls: type[T]) -> type[T]:
    """Make a class a configuration: fields of all its attributes, annotated or not.

    Fields without a value are `dataclasses.MISSING` until they are set, which ``validate`` refuses.
    Scenes, environments and terms stay as they are: they take their attributes themselves.

    Text such as ``package.module:Name`` names what it is called as; ``{DIR}`` in it is the package
    of the class that declares the field.

    Args:
        cls: the class.

    Raises:
        MissingValuesError: an attribute that is `dataclasses.MISSING` has no annotation.
        InvalidValueError: an annotated attribute has no value.
    """
    if issubclass(cls, DeclaredConfiguration):
        return _with_fields(cls)
    notes = _annotations(cls)
    for name, note in notes.items():
        if "ClassVar" not in str(note) and name in cls.__dict__:
            value = cls.__dict__[name]
            if not isinstance(value, dataclasses.Field):
                setattr(
                    cls, name, dataclasses.field(default_factory=functools.partial(copied, value))
                )
    cls.__annotations__ = notes
    for method in ("copy", "replace"):
        if not hasattr(cls, method):
            setattr(cls, method, Configuration.__dict__[method])
    if not hasattr(cls, "to_dict"):
        cls.to_dict = _to_dict  # type: ignore[attr-defined]
    if not hasattr(cls, "__post_init__"):
        cls.__post_init__ = _complete  # type: ignore[attr-defined]
    if not hasattr(cls, "validate"):
        cls.validate = _validate  # type: ignore[attr-defined]
    if not hasattr(cls, "from_dict"):
        cls.from_dict = update_class_from_dict  # type: ignore[attr-defined]
    made = dataclasses.dataclass(cls)
    made.__init__ = _naming(made.__init__)  # type: ignore[method-assign]
    if issubclass(cls, Settings):
        made.__init__ = _keeping(made.__init__, {*made.__dataclass_fields__})  # type: ignore
    return made


def _annotations(cls: type) -> dict[str, Any]:
    """Annotations of a class's fields: its own, then the types of values that have none."""
    notes = dict(inspect.get_annotations(cls))
    inherited = getattr(cls, "__dataclass_fields__", {})
    for name, note in list(notes.items()):
        if "ClassVar" in str(note) or name in cls.__dict__:
            continue
        if name not in inherited and not hasattr(cls, name):
            what = f"{cls.__qualname__}.{name}"
            raise InvalidValueError(what, "without a value", "a default, or dataclasses.MISSING")
        del notes[name]
    for name, value in list(cls.__dict__.items()):
        if name.startswith("__") or name in notes or _is_member(cls, value):
            continue
        if value is dataclasses.MISSING and name not in inherited:
            raise MissingValuesError(f"{cls.__qualname__}.{name} is MISSING and has no annotation.")
        notes[name] = type[value] if isinstance(value, type) else type(value)
    return notes


def _is_member(cls: type, value: Any) -> bool:
    """Whether a value is a method, property or class of the body, rather than a field's."""
    if isinstance(value, type | FunctionType):
        place = value.__qualname__
        return place.startswith(f"{cls.__qualname__}.") or place.endswith("<lambda>")
    return isinstance(value, _NO_FIELDS)


def _naming(init: Callable[..., None]) -> Callable[..., None]:
    """An ``__init__`` after which names of callables can be called."""

    @functools.wraps(init)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        for name, value in vars(self).items():
            if type(value) is str and _NAME.fullmatch(value):
                place = value.replace("{DIR}", _field_module_dir(self, name))
                self.__dict__[name] = ResolvableString(place)

    return made


def _keeping(init: Callable[..., None], names: set[str]) -> Callable[..., None]:
    """An ``__init__`` that takes settings besides the fields of these names, and keeps them."""

    @functools.wraps(init)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        self.__dict__.update({n: value for n, value in kwargs.items() if n not in names})
        init(self, *args, **{n: value for n, value in kwargs.items() if n in names})

    return made


def _field_module_dir(obj: Any, name: str) -> str:
    """Package of the class that declares a field of a configuration."""
    kinds = type(obj).__mro__
    own = (k for k in kinds if name in vars(k) or name in inspect.get_annotations(k))
    owner = next(own, kinds[0])
    return owner.__module__.rpartition(".")[0] or owner.__module__


def checked_apply(src: Any, target: Any) -> None:
    """Set the fields of a dataclass on an object that has attributes of their names.

    Args:
        src: the dataclass.
        target: what is changed.

    Raises:
        MissingValuesError: `src` is no dataclass.
        AttributeError: `target` lacks an attribute; it is left as it was.
    """
    if not dataclasses.is_dataclass(src) or isinstance(src, type):
        raise MissingValuesError(f"src must be a dataclass, not {type(src).__name__}.")
    names = [field.name for field in dataclasses.fields(src)]
    lacking = [name for name in names if not hasattr(target, name)]
    if lacking:
        raise AttributeError(f"{type(target).__name__} has no {', '.join(lacking)}")
    for name in names:
        setattr(target, name, getattr(src, name))


def _complete(self: Any) -> None:
    """Complete the values; what is derived from the class may call it."""


def _to_dict(self: Any) -> dict[str, Any]:
    """Fields, and what was added to this configuration, as plain values by name."""
    return {name: _closed(plain(value)) for name, value in vars(self).items()}


def _closed(value: Any) -> Any:
    """A plain value with an empty mapping for each that was left open, as rsl_rl expects it."""
    if value is dataclasses.MISSING:
        return {}
    if isinstance(value, dict):
        return {name: _closed(entry) for name, entry in value.items()}
    return value


def _with_fields(cls: type[T]) -> type[T]:
    """Let a class that takes its attributes itself show them as a dataclass does.

    Programs that walk configurations look for ``__dataclass_fields__`` to tell them from values.
    """
    names = declared_attributes(cls)
    shown = dataclasses.make_dataclass(cls.__name__, [(name, Any, None) for name in names])
    for field in dataclasses.fields(shown):
        field.default = dataclasses.MISSING
    cls.__dataclass_fields__ = {f.name: f for f in dataclasses.fields(shown)}  # type: ignore[attr-defined]
    cls.__init__ = _naming(cls.__init__)  # type: ignore[method-assign]
    return cls


def copied(value: Any) -> Any:
    """A deep copy in which the mark of a missing value is the one object that it is."""
    if value is dataclasses.MISSING:
        return value
    return copy.deepcopy(value, {id(dataclasses.MISSING): dataclasses.MISSING})


def _validate(self: Any) -> None:
    """Refuse values that were never set, within this configuration and in what it holds.

    A method ``validate_config`` of its class may refuse more once all are set.

    Raises:
        MissingValuesError: there is one; all are named.
    """
    lacking = list(_missing(self, ""))
    if lacking:
        lines = "".join(f"  - {path}\n" for path in lacking)
        raise MissingValuesError(f"Values of {type(self).__name__} were never set:\n{lines}")
    for field in dataclasses.fields(self):
        value = getattr(self, field.name)
        if dataclasses.is_dataclass(value) and hasattr(value, "validate"):
            value.validate()
    own = getattr(self, "validate_config", None)
    if callable(own):
        own()


def _missing(value: Any, path: str) -> Iterator[str]:
    """Paths of the values in a configuration, mapping or sequence that were never set."""
    if isinstance(value, type(dataclasses.MISSING)):  # copies of the mark are other objects
        yield path
    elif isinstance(value, Mapping):
        for name, entry in value.items():
            yield from _missing(entry, f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for i, entry in enumerate(value):
            yield from _missing(entry, f"{path}[{i}]")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _missing(getattr(value, field.name), f"{path}.{field.name}".lstrip("."))
