"""Facades: objects that offer the members of their parts as their own.

A class with many members is composed of parts: objects with one subject each and the whole as their
owner. `facade` makes the methods and properties that hand on to them. Editors and type checkers see
the parts as bases, under ``if TYPE_CHECKING``; `usdsim.views.stubs` writes them down where tables
add members, too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

__all__ = ["facade", "parts_of", "public_members"]

C = TypeVar("C", bound=type)

_PARTS = "_facade_parts"


def facade(**parts: type[Any]) -> Callable[[C], C]:
    """Give a class the public members of its parts.

    A part is made with its owner as only argument when it is first needed; it is the owner's
    attribute of its name, with an underscore before it.

    Args:
        parts: class of each part.
    """

    def bind(owner: C) -> C:
        for name, part in parts.items():
            place = f"_{name}"
            made: Any = functools.cached_property(part)
            made.__set_name__(owner, place)
            setattr(owner, place, made)
            for member, value in public_members(part):
                setattr(owner, member, _handed_on(owner, place, member, value))
        setattr(owner, _PARTS, parts)
        return owner

    return bind


def parts_of(owner: type) -> dict[str, type[Any]]:
    """Classes of the parts that `facade` gave a class itself, by name."""
    return dict(vars(owner).get(_PARTS, {}))


def public_members(part: type) -> Iterator[tuple[str, Any]]:
    """Names and definitions of what a part and its bases have for its owner to offer."""
    seen: set[str] = set()
    for base in part.__mro__[:-1]:
        for name, value in vars(base).items():
            if not name.startswith("_") and name not in seen:
                seen.add(name)
                yield name, value


def _handed_on(owner: type, place: str, name: str, value: Any) -> Any:
    """A member of the owner that is one of its part."""
    if isinstance(value, property | functools.cached_property):

        def read(self: Any) -> Any:
            return getattr(getattr(self, place), name)

        read.__qualname__ = f"{owner.__qualname__}.{name}"
        return property(read, doc=value.__doc__)

    @functools.wraps(value)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(getattr(self, place), name)(*args, **kwargs)

    call.__qualname__ = f"{owner.__qualname__}.{name}"
    return call
