"""Name tables: prim paths and source names to the engine's indices."""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.parser.element import at_and_above

__all__ = ["NameTable", "Namer", "keyframe_index"]


class Namer:
    """Gives every engine element a name that is unique among its kind.

    The wanted name (the empty one stays empty); where that is taken, the prim path; where that is
    taken too, such as by the other shape of a collider that needs several, the path with a number.
    """

    def __init__(self) -> None:
        self._taken: dict[str, set[str]] = {"body": {"world"}}

    def take(self, kind: str, name: str | None, path: str) -> str:
        """The engine name of an element, which no other of its kind gets."""
        taken = self._taken.setdefault(kind, set())
        chosen = path if name is None or name in taken else name
        if chosen == "" and name == "":
            return ""
        base, count = chosen, 0
        while chosen in taken:
            count += 1
            chosen = f"{base}:{count}"
        taken.add(chosen)
        return chosen


class NameTable:
    """Ordered paths and names of a compiled model's elements.

    Kinds are the engine's: ``body`` (0 is the world, path ``/``), ``joint`` (one per axis),
    ``geom``, ``site``, ``mesh``, ``hfield``, ``actuator``, ``tendon``, ``sensor``, ``equality``,
    ``key``, ``camera``, ``light``, ``pair``, ``exclude`` and so on. Elements the engine made up
    for itself have the path ``""``.
    """

    def __init__(
        self,
        paths: Mapping[str, Sequence[str]],
        names: Mapping[str, Sequence[str]],
        where: str = "",
    ):
        self._paths = {kind: tuple(entries) for kind, entries in paths.items()}
        self._names = {kind: tuple(entries) for kind, entries in names.items()}
        self._where = where
        self._index: dict[str, dict[str, int]] = {}
        for kind, entries in self._paths.items():
            # Paths are written last: they win over an equal source name of another element.
            table = {n: i for i, n in reversed(list(enumerate(self._names[kind]))) if n}
            table.update({p: i for i, p in reversed(list(enumerate(entries))) if p})
            self._index[kind] = table
        self._below: dict[str, dict[str, list[int]]] = {}

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that have a table."""
        return tuple(self._paths)

    def paths(self, kind: str) -> tuple[str, ...]:
        """Prim paths of a kind in the engine's order."""
        return self._paths[self._kind(kind)]

    def names(self, kind: str) -> tuple[str, ...]:
        """Engine names of a kind in the engine's order."""
        return self._names[self._kind(kind)]

    def find(self, kind: str, key: str) -> int | None:
        """Index of the element with this path or name, or None."""
        return self._index[self._kind(kind)].get(key)

    def index(self, kind: str, key: str) -> int:
        """Index of the element with this prim path or name.

        Raises:
            UnknownNameError: there is none; close matches are in the message.
        """
        found = self.find(kind, key)
        if found is None:
            known: Iterable[str] = dict.fromkeys(
                [*(n for n in self._names[kind] if n), *(p for p in self._paths[kind] if p)]
            )
            raise UnknownNameError(kind, key, known, self._where)
        return found

    def below(self, kind: str, prim: str) -> tuple[int, ...]:
        """Indices of the elements of a kind at or below a prim, in the engine's order."""
        paths = self.paths(kind)
        if kind not in self._below:
            table: dict[str, list[int]] = defaultdict(list)
            for index, path in enumerate(paths):
                for above in at_and_above(path):
                    table[above].append(index)
            # Once it is complete, as other threads may look.
            self._below[kind] = table
        if prim.strip("/"):
            return tuple(self._below[kind].get(prim.rstrip("/"), ()))
        return tuple(index for index, path in enumerate(paths) if path.strip("/"))

    def _kind(self, kind: str) -> str:
        if kind not in self._paths:
            raise InvalidValueError("element kind", kind, ", ".join(self._paths))
        return kind


def keyframe_index(names: NameTable, keyframe: int | str) -> int:
    """The engine's index of a keyframe.

    Args:
        names: of the model.
        keyframe: its index, name or path.

    Raises:
        InvalidValueError: there is no such index.
        UnknownNameError: there is no such name or path.
    """
    if isinstance(keyframe, str):
        return names.index("key", keyframe)
    count = len(names.paths("key"))
    try:
        index = operator.index(keyframe)
    except TypeError:
        index = -1
    if not 0 <= index < count:
        allowed = f"0 to {count - 1}" if count else "None: the model has no keyframes"
        raise InvalidValueError("keyframe", keyframe, allowed)
    return index
