"""Values of an editable world that have parts: a changed part changes the world."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from enum import Enum
from functools import cache, reduce
from inspect import isclass
from numbers import Integral, Real
from operator import or_
from types import NoneType, UnionType
from typing import Any, SupportsIndex, get_args, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

from usdsim.core.arguments import of_kind
from usdsim.core.errors import InvalidValueError

__all__ = ["Case", "LiveArray", "LiveList", "Value", "Variant", "observed"]

Listener = Callable[[Any], None]


class _Observed:
    """Base class of values that call a listener with themselves when a part of them changes."""

    _listener: Listener | None = None

    def _changed(self) -> None:
        if self._listener is not None:
            self._listener(self)


class LiveArray(_Observed, np.ndarray):
    """Array of an element: an item that is assigned is assigned in the element."""

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self._changed()


class LiveList(_Observed, list[Any]):
    """List of an element, of fixed length: an item that is assigned is assigned in the element."""

    def __setitem__(self, key: SupportsIndex | slice, value: Any) -> None:
        super().__setitem__(key, value)
        self._changed()


def observed(value: Any, listener: Listener) -> Any:
    """The value, which calls `listener` with itself when a part of it changes."""
    if isinstance(value, _Observed):
        object.__setattr__(value, "_listener", listener)
    return value


@dataclass
class Value(_Observed):
    """Parts of one subject, with defaults; a part that is assigned is assigned where it is from."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dataclass_fields__:
            known = ", ".join(field.name for field in fields(self))
            raise AttributeError(f"{type(self).__name__} has no {name!r}; it has {known}.")
        cls: Any = type(self)
        kind = _kinds(cls).get(name)
        if kind is not None:
            of_kind(f"{name} of {cls.__name__}", value, kind)
        if isinstance(value, list | tuple):
            value = LiveList(value)
        object.__setattr__(self, name, observed(value, lambda _: self._changed()))
        self._changed()


@cache
def _kinds(cls: type[Any]) -> dict[str, Any]:
    """Classes that parts of a value are of by their annotations; the rest is looked at later."""
    said: dict[Any, Any] = {float: Real, int: Integral, bool: bool | np.bool_}
    plain = (float, int, str, NoneType, Enum, _Observed)
    found: dict[str, Any] = {}
    for name, hint in get_type_hints(cls).items():
        parts = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        if all(isclass(part) and issubclass(part, plain) for part in parts):
            found[name] = reduce(or_, (said.get(part, part) for part in parts))
    return found


class Variant(_Observed):
    """One of several cases, told by `variant`, with what belongs to it.

    Args:
        variant: name of the case.
        value: what belongs to it; None: nothing.
    """

    def __init__(self, variant: str, value: Any):
        self.variant = variant
        """Name of the case."""
        self.value = observed(value, lambda _: self._changed())
        """What belongs to the case: a value, a tuple, or a dictionary by name; None: nothing."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or other.variant != self.variant:
            return False
        return _same(self.value, other.value)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.variant}({'' if self.value is None else self.value})"


class Case:
    """Constructor of one case of a `Variant`.

    Args:
        names: of what belongs to it. One, ``"value"``, is that value; names from ``"value_0"`` on
            make a tuple, others a dictionary.
        kind: class, or union of classes, of all of it; None: any.
        options: what may be left out, with defaults.
    """

    def __init__(self, *names: str, kind: Any = None, **options: Any):
        self._names, self._kind = names, kind
        self._options = options
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type[Variant]) -> Callable[..., Any]:
        def make(*args: Any, **given: Any) -> Any:
            names = (*self._names, *self._options)
            named = dict(zip(names, args, strict=False)) | given
            missing = [name for name in self._names if name not in named]
            if missing or len(args) > len(names) or not named.keys() <= set(names):
                raise TypeError(f"{owner.__name__}.{self._name} takes {', '.join(names) or 'none'}")
            every = {name: named.get(name, self._options.get(name)) for name in names}
            for value in every.values() if self._kind else ():
                of_kind(f"{owner.__name__}.{self._name}", value, self._kind)
            if self._names == ("value",):
                return owner(self._name, every["value"])
            if self._names[:1] == ("value_0",):
                return owner(self._name, tuple(every.values()))
            return owner(self._name, every or None)

        return make


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other))
    return bool(one == other)


def vector(value: ArrayLike | Iterable[float], size: int, what: str) -> np.ndarray:
    """Take `size` finite numbers.

    Raises:
        InvalidValueError: there are others.
    """
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (size,) or not np.isfinite(array).all():
        raise InvalidValueError(what, value, f"{size} finite numbers")
    return array
