"""Element catalogs: look-up by source name, prim path, unique leaf name, or index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from usdsim.core.errors import UnknownNameError
from usdsim.scene.checks import element_index
from usdsim.scene.process import unknown_names

__all__ = ["Catalog"]

T = TypeVar("T")


class Catalog(Generic[T]):
    """The elements of one kind in model order.

    Args:
        kind: what they are called in messages, such as ``"link"``.
        paths: prim path of each.
        sources: name of each in the file the stage was converted from; ``""``: it had none;
            None: no source is recorded.
        where: the model, for messages.
    """

    def __init__(
        self, kind: str, paths: Sequence[str], sources: Sequence[str | None], where: str = ""
    ):
        self.kind = kind
        self.paths = tuple(paths)
        self._where = where
        leaves = [path.rsplit("/", 1)[-1] for path in paths]
        words = [
            leaf if source is None else source for leaf, source in zip(leaves, sources, strict=True)
        ]
        # The prim of an element without a name may be called as another element is named.
        named = Counter(words)
        self.names: list[str | None] = [
            (word if named[word] == 1 else path) if word else None
            for path, word in zip(paths, words, strict=True)
        ]
        count = Counter(leaves) | named
        # Later tables win: leaf, then path, then source name.
        self._index = {leaf: i for i, leaf in enumerate(leaves) if leaf and count[leaf] == 1}
        self._index |= {path: i for i, path in enumerate(paths) if path}
        self._index |= {name: i for i, name in enumerate(self.names) if name}
        self._ambiguous = {word for word, number in count.items() if number > 1}
        self._words = [*zip(leaves, sources, strict=True)]
        self.items: list[T] = []
        self.remedy: Callable[[str], str] = lambda _: ""
        """Help for a name that is not here, for messages."""

    def __len__(self) -> int:
        return len(self.paths)

    def index(self, key: str | int) -> int:
        """Index of an element.

        Args:
            key: source name, prim path, leaf of the path where only one element has it, or index.

        Raises:
            UnknownNameError: no element has the name, or several have.
            OutOfRangeError: there is no such index.
            InvalidValueError: `key` is neither text nor an integer.
        """
        if isinstance(key, str):
            found = self._index.get(key)
            return self._missing(key) if found is None else found
        return element_index(self.kind, key, len(self.paths))

    def get(self, key: str | int) -> T:
        """The element itself; errors as `index`."""
        return self.items[self.index(key)]

    def find(self, key: str | int) -> T:
        """As `get`; None for an unknown name where `set_unknown_names` says so."""
        index = self.find_index(key)
        return None if index is None else self.items[index]

    def find_index(self, key: str | int) -> int:
        """As `index`; None for an unknown name where `set_unknown_names` says so."""
        if isinstance(key, str) and key not in self._index and unknown_names() == "none":
            return None  # type: ignore[return-value]
        return self.index(key)

    def title(self, index: int) -> str:
        """Name of an element in messages: kind, name and path."""
        name, path = self.names[index], self.paths[index]
        if name is None or name == path:
            return f"{self.kind} {path or index}"
        return f"{self.kind} {name!r} ({path})" if path else f"{self.kind} {name!r}"

    def _missing(self, key: str) -> Any:
        if key in self._ambiguous:
            paths = [p for p, words in zip(self.paths, self._words, strict=True) if key in words]
            raise UnknownNameError(f"{self.kind} (the name is not unique)", key, paths, self._where)
        known = [name or path for name, path in zip(self.names, self.paths, strict=True)]
        raise UnknownNameError(self.kind, key, known, self._where, self.remedy(key))
