"""Elements of an editable world: handles of what MuJoCo's editor holds.

An element that is in no world yet is in a small world of its own, so that there is one place for
what it says: the editor. Appending moves it, and the handle with it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, MutableMapping, MutableSequence
from typing import Any, ClassVar

import mujoco

from usdsim.core.arguments import of_kind
from usdsim.core.errors import InvalidValueError, UnsupportedError

from .values import observed

__all__ = [
    "Field",
    "HangingPart",
    "Home",
    "ListField",
    "Named",
    "WorldPart",
    "WorldParts",
    "all_of",
    "hanging",
    "in_world",
    "kept",
    "refused",
    "world_parts",
]

Fits = Callable[[Any], bool]

_log = logging.getLogger("usdsim")
_said: set[str] = set()


class Home:
    """World that elements are in.

    Args:
        spec: the world as MuJoCo's editor has it.
        free: whether it is only the place of an element that is in no world yet.
    """

    def __init__(self, spec: mujoco.MjSpec, free: bool = False):
        self.spec = spec
        """The world as MuJoCo's editor has it."""
        self.free = free
        """Whether it is only the place of an element that is in no world yet."""
        self._handles: dict[tuple[type, int], WorldPart] = {}

    def handle(self, kind: type[WorldPart], element: Any) -> WorldPart:
        """The one handle of an element, as long as it is in this world."""
        key = kind, id(element)
        found = self._handles.get(key)
        if found is None:
            found = kind.__new__(kind)
            self.take(found, element)
        return found

    def take(self, handle: WorldPart, element: Any) -> None:
        """Make a handle that of an element of this world."""
        handle.__dict__["element"] = element
        handle.__dict__["home"] = self
        self._handles[type(handle), id(element)] = handle

    def forget(self, handle: WorldPart) -> None:
        """Drop a handle."""
        self._handles.pop((type(handle), id(handle.element)), None)


class Field:
    """Part of an element, read from and written to the editor.

    Args:
        read: the part of an element.
        write: sets it; None: it cannot be set.
        kind: class, or union of classes, of what it can be set to; None: `write` looks at it.
    """

    def __init__(
        self,
        read: Callable[[Any], Any],
        write: Callable[[Any, Any], None] | None = None,
        kind: Any = None,
    ):
        self._read, self._write, self._kind = read, write, kind
        self.name = ""
        """Name in the class that it is a field of."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    def __get__(self, owner: Any, kind: type) -> Any:
        if owner is None:
            return self
        return observed(self._read(owner), lambda value: self.__set__(owner, value))

    def __set__(self, owner: Any, value: Any) -> None:
        if self._write is None:
            raise AttributeError(f"{self.name} of {owner!r} cannot be set.")
        if self._kind is not None:
            of_kind(f"{self.name} of {owner!r}", value, self._kind)
        self._write(owner, value)


def all_of(kind: type, values: Iterable[Any], what: str = "element") -> list[Any]:
    """Values that are all of one kind, as a list.

    Raises:
        InvalidValueError: one is of another kind, or they are no list.
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidValueError(f"list of {what}s", values, f"a list of {kind.__name__}")
    return [of_kind(what, value, kind) for value in values]


def kept(make: Callable[[], Any]) -> Any:
    """Field that the handle keeps and nothing here acts upon, as a message says once.

    Args:
        make: makes the default.
    """

    class Kept(Field):
        def __init__(self) -> None:
            super().__init__(self._value, self._keep)

        def _value(self, owner: Any) -> Any:
            return owner.__dict__.setdefault("_kept", {}).setdefault(self.name, make())

        def _keep(self, owner: Any, value: Any) -> None:
            owner.__dict__.setdefault("_kept", {})[self.name] = value
            what = f"{type(owner).__name__}.{self.name}"
            if what not in _said and value != make():
                _said.add(what)
                _log.warning("%s is kept as it is said, and has no effect here.", what)

    return Kept()


def refused(default: Any, remedy: str) -> Any:
    """Field that can only be its default here.

    Args:
        default: the one value.
        remedy: what does the same, for the message.
    """

    def write(owner: Any, value: Any) -> None:
        if value != default:
            raise UnsupportedError(f"{value!r} cannot be said of {owner!r} here: {remedy}.")

    return Field(lambda owner: default, write)


class ListField:
    """Elements of one kind that belong to another.

    Args:
        parts: all of them, of the owner.
    """

    def __init__(self, parts: Callable[[Any], WorldParts]):
        self._parts = parts

    def __get__(self, owner: Any, kind: type) -> Any:
        return self if owner is None else self._parts(owner)

    def __set__(self, owner: Any, values: Iterable[Any]) -> None:
        elements = self._parts(owner)
        if not (isinstance(values, WorldParts) and [*values] == [*elements]):
            elements.become(values)


class WorldPart:
    """Handle of an element of an editable world."""

    element: Any
    home: Home
    _fields: ClassVar[tuple[str, ...]] = ()
    _lists: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        own = [(name, part) for base in reversed(cls.__mro__) for name, part in vars(base).items()]
        cls._fields = tuple(name for name, part in own if isinstance(part, Field))
        cls._lists = tuple(name for name, part in own if isinstance(part, ListField))

    def __init__(self) -> None:
        home = Home(mujoco.MjSpec(), free=True)
        home.take(self, self._add(home.spec))

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(type(self), name):
            known = ", ".join((*self._fields, *self._lists))
            raise AttributeError(f"{type(self).__name__} has no {name!r}; it has {known}.")
        super().__setattr__(name, value)

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        """Add an element of this kind with nothing said; a subject of the world is the world."""
        return spec

    def _take(self, other: WorldPart) -> None:
        """Copy the values of another element of this kind."""
        for name in self._fields:
            setattr(self, name, getattr(other, name))
        for name in self._lists:
            setattr(self, name, list(getattr(other, name)))

    def _apart(self) -> WorldPart:
        """This handle if it is in no world yet, else one that says the same."""
        if self.home.free:
            return self
        copy = type(self)()
        copy._take(self)
        return copy

    def _move(self, home: Home, element: Any) -> None:
        """Become the handle of another element, saying the same."""
        said = {name: getattr(self, name) for name in self._fields}
        held = {name: list(getattr(self, name)) for name in self._lists}
        self.home.forget(self)
        home.take(self, element)
        for name, value in said.items():
            setattr(self, name, value)
        for name, items in held.items():
            target = getattr(self, name)
            for item in items:
                item._move(home, target.make())

    @property
    def label(self) -> str:
        """Name for messages: that of the element, or of what it is."""
        name = getattr(self, "name", None)
        return repr(self) if name is None else repr(name)

    def __repr__(self) -> str:
        name = getattr(self, "name", None)
        return f"<{type(self).__name__}{'' if name is None else f' {name!r}'}>"


class HangingPart(WorldPart):
    """Handle of an element that hangs on a link, or on the world itself."""

    @staticmethod
    def _hang(body: Any) -> Any:
        """Add an element of this kind to a body with nothing said."""
        raise TypeError("A kind of element says how it is added to a body.")

    @classmethod
    def _add(cls, spec: mujoco.MjSpec) -> Any:
        return cls._hang(spec.worldbody)


class WorldParts(MutableSequence[Any]):
    """Elements of one kind in the order of the world; what is appended is in the world.

    What is in no world yet is moved there, and of what is in one already a copy is made.

    Args:
        home: the world.
        kind: class of the handles.
        items: all of them, of MuJoCo's editor.
        make: adds one.
    """

    def __init__(
        self,
        home: Home,
        kind: type[WorldPart],
        items: Callable[[], Iterable[Any]],
        make: Callable[[], Any],
    ):
        self._home = home
        self._kind = kind
        self._items = items
        self.make = make
        """Adds one to the world, with nothing said."""

    def _all(self) -> list[WorldPart]:
        return [self._home.handle(self._kind, item) for item in self._items()]

    def __len__(self) -> int:
        return len(list(self._items()))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._all())

    def __getitem__(self, index: Any) -> Any:
        return self._all()[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        changed: list[Any] = self._all()
        changed[index] = value
        self.become(changed)

    def __delitem__(self, index: Any) -> None:
        chosen = self._all()[index]
        for item in chosen if isinstance(chosen, list) else [chosen]:
            old = item.element
            free = type(item)()
            target, place = free.home, free.element
            item._move(target, place)
            self._home.spec.delete(getattr(old, "element", old))

    def insert(self, index: int, value: Any) -> None:
        """Put an element before another.

        Raises:
            InvalidValueError: it is of another kind.
        """
        all_of(self._kind, [value])
        if index < len(self):
            changed: list[Any] = self._all()
            changed.insert(index, value)
            self.become(changed)
            return
        value._apart()._move(self._home, self.make())

    def become(self, values: Iterable[Any]) -> None:
        """Hold these elements alone, in their order.

        Raises:
            InvalidValueError: one is of another kind; nothing is changed then.
        """
        values = all_of(self._kind, values)
        del self[:]
        for value in values:
            self.append(value)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Iterable) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._all())


def _any(element: Any) -> bool:
    return True


def world_parts(home: Home, kind: type[WorldPart], attribute: str, fits: Fits = _any) -> WorldParts:
    """Elements of one kind of a world, of those that MuJoCo's editor has under a name.

    Args:
        home: the world.
        kind: class of the handles.
        attribute: the name.
        fits: whether an element is of the kind; all are unless told otherwise.
    """
    spec = home.spec
    return WorldParts(
        home, kind, lambda: filter(fits, getattr(spec, attribute)), lambda: kind._add(spec)
    )


def in_world(kind: type[WorldPart], attribute: str, fits: Fits = _any) -> ListField:
    """Field of all elements of one kind of the owner's world; see `world_parts`."""
    return ListField(lambda owner: world_parts(owner.home, kind, attribute, fits))


def hanging(kind: type[HangingPart] | None, attribute: str, fits: Fits = _any) -> ListField:
    """Field of elements that hang on the owner; their kind, if None, is that of the owner."""

    def parts(owner: Any) -> WorldParts:
        own = type(owner) if kind is None else kind
        return WorldParts(
            owner.home,
            own,
            lambda: filter(fits, getattr(owner.element, attribute)),
            lambda: own._hang(owner.element),
        )

    return ListField(parts)


class Named(MutableMapping[str, Any]):
    """Assets of one kind by name; what is put there is in the world.

    Args:
        elements: all of them.
    """

    def __init__(self, elements: WorldParts):
        self._elements = elements

    def __getitem__(self, name: str) -> Any:
        for item in self._elements:
            if item.element.name == name:
                return item
        raise KeyError(name)

    def __setitem__(self, name: str, value: Any) -> None:
        if name in self:
            if self[name] is value:
                return
            del self[name]
        self._elements.append(value)
        self._elements[-1].element.name = name

    def __delitem__(self, name: str) -> None:
        self._elements.remove(self[name])

    def __iter__(self) -> Iterator[str]:
        return iter([item.element.name for item in self._elements])

    def __len__(self) -> int:
        return len(self._elements)

    def __repr__(self) -> str:
        return repr(dict(self))
