"""Configurations declared by class attributes: annotated or not, every instance with its own."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING
from typing import Any, ClassVar, Self

from .configuration import Configuration, plain
from .errors import InvalidValueError, UnknownNameError

__all__ = ["DeclaredConfiguration", "declared_attributes", "missing_values"]

_GENERATED = "<string>"
"""File of functions that `dataclasses` makes."""


class DeclaredConfiguration(Configuration):
    """A configuration whose fields are the attributes of its class and of its bases.

    Attributes may have annotations or none, and the class may be a dataclass or not; methods and
    classes without an annotation are no attributes.
    Every instance has copies of the values of its class, which may be changed, and attributes may
    be added to it. What has no value is `dataclasses.MISSING`, which `require_values` refuses.

    Args:
        *positional: values in the order of declaration, or of `_OWN` where a class has it.
        **values: values by name.

    Raises:
        UnknownNameError: there is no such attribute.
        InvalidValueError: an attribute is given twice, or there are too many values.
    """

    _OWN: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes that may be given by position; empty: all."""

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """An instance, to which `__init__` gives values, also where the class is a dataclass."""
        code = getattr(cls.__dict__.get("__init__"), "__code__", None)
        if code is not None and code.co_filename == _GENERATED:
            # The one of a dataclass gives all instances the values of the class themselves.
            del cls.__init__
        return super().__new__(cls)

    def __init__(self, *positional: Any, **values: Any) -> None:
        declared = declared_attributes(type(self))
        names = self._OWN or tuple(declared)
        if len(positional) > len(names) or {*names[: len(positional)]} & values.keys():
            raise InvalidValueError(
                f"arguments of {type(self).__name__}",
                (*positional, *values),
                f"{', '.join(names)} in this order or by name, each once",
            )
        values.update(zip(names, positional, strict=False))
        for name in values:
            if name not in declared:
                raise UnknownNameError("attribute", name, declared, type(self).__name__)
        for name, default in declared.items():
            setattr(self, name, values[name] if name in values else default())
        self.__post_init__()

    def __eq__(self, other: object) -> bool:
        """Whether another one is of the same class and has equal values."""
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Called once all attributes have values; classes may change them here."""

    def replace(self, **changes: Any) -> Self:
        """A copy with other values of some attributes.

        Args:
            changes: values by name of the attribute.

        Raises:
            UnknownNameError: there is no such attribute.
        """
        twin = self.copy()
        for name, value in changes.items():
            if not hasattr(twin, name):
                known = (*declared_attributes(type(self)), *vars(self))
                raise UnknownNameError("attribute", name, known, type(self).__name__)
            setattr(twin, name, value)
        return twin

    def to_dict(self) -> dict[str, Any]:
        """Attributes by name; see `Configuration.to_dict`."""
        names = dict.fromkeys((*declared_attributes(type(self)), *vars(self)))
        return {name: plain(getattr(self, name)) for name in names}

    def validate(self) -> None:
        """Check the values.

        Raises:
            InvalidValueError: one was never set, or is outside what is allowed.
        """
        self.require_values()

    def require_values(self) -> None:
        """Refuse attributes that were never set, in what is nested as well.

        Raises:
            InvalidValueError: there is one.
        """
        for name in missing_values(self):
            title = f"{type(self).__name__}.{name}"
            raise InvalidValueError(title, MISSING, "a value", "Set it.")


def missing_values(value: Any) -> Iterator[str]:
    """Names, as after a dot, of what was never set in a configuration and those within."""
    if isinstance(value, DeclaredConfiguration):
        entries = list(vars(value).items())
    elif isinstance(value, Mapping):
        entries = [(str(key), entry) for key, entry in value.items()]
    elif isinstance(value, list | tuple):
        entries = [(str(index), entry) for index, entry in enumerate(value)]
    else:
        return
    for name, entry in entries:
        if isinstance(entry, type(MISSING)):
            yield name
        else:
            yield from (f"{name}.{inner}" for inner in missing_values(entry))


def declared_attributes(cls: type) -> dict[str, Callable[[], Any]]:
    """Attributes of a class and its bases, in order, with functions that make their values."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base in (object, Configuration, DeclaredConfiguration):
            continue
        fields = base.__dict__.get("__dataclass_fields__", {})
        hints = inspect.get_annotations(base)
        for name in dict.fromkeys((*hints, *vars(base))):
            hint = str(hints.get(name, ""))
            if name.startswith("_") or "ClassVar" in hint:
                continue
            value = vars(base).get(name, fields.get(name, MISSING))
            if name in hints or name in found or not _is_method(value):
                found[name] = _maker(value)
    return _in_source_order(cls, found)


def _in_source_order(cls: type, found: dict[str, Any]) -> dict[str, Any]:
    """Annotated and plain attributes of each class as they stand in its body."""
    order: list[str] = []
    for base in reversed(cls.__mro__):
        hints = list(inspect.get_annotations(base))
        body = [name for name in vars(base) if name in found]
        # Names with a value are in the order of the body; the others go before their successor.
        for name in hints:
            if name in found and name not in body:
                later = [n for n in hints[hints.index(name) + 1 :] if n in body]
                body.insert(body.index(later[0]) if later else len(body), name)
        order += body
    return {name: found[name] for name in dict.fromkeys(order)}


def _is_method(value: Any) -> bool:
    kinds = (property, classmethod, staticmethod)
    return inspect.isfunction(value) or inspect.isclass(value) or isinstance(value, kinds)


def _maker(value: Any) -> Callable[[], Any]:
    if isinstance(value, dataclasses.Field):
        if value.default_factory is not MISSING:
            return value.default_factory
        value = value.default
    return lambda: value if value is MISSING else copy.deepcopy(value)
