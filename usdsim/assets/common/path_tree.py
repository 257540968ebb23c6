"""Path trees: prim paths level by level, which expressions of names are matched with."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from usdsim.usd.queries import is_passed

__all__ = ["PathTree"]


class PathTree:
    """Prims by their parents and names.

    Matching takes as long as there are prims at the levels of an expression where it leaves the
    name open, and no time for others: scenes have thousands, and as many assets may look for one.

    Args:
        paths: prim paths; those above them are in the tree too.
    """

    def __init__(self, paths: Iterable[str]):
        self._ranks: dict[str, int] = {}
        self._children: dict[str, dict[str, str]] = defaultdict(dict)
        for path in paths:
            parts = path.split("/")
            for end in range(2, len(parts) + 1):
                self._add("/".join(parts[:end]))

    def _add(self, path: str) -> None:
        if path not in self._ranks:
            self._ranks[path] = len(self._ranks)
            parent, _, name = path.rpartition("/")
            self._children[parent][name] = path

    def matching(self, patterns: Sequence[re.Pattern[str]]) -> tuple[str, ...]:
        """Paths whose names match an expression each, in the order in which they were given.

        Scopes of `usdsim.usd.queries.PASSED_SCOPES` need not be there.
        """
        found = [""]
        for pattern in patterns:
            found = [path for parent in found for path in self._named(parent, pattern)]
        return tuple(sorted(found, key=self._ranks.__getitem__))

    def end_of(self, patterns: Sequence[re.Pattern[str]]) -> tuple[str, str, tuple[str, ...]]:
        """End of the longest match of expressions.

        Returns:
            First of the paths that match longest, the expression after it, and names below it.
        """
        found, rest = [""], iter(patterns)
        for pattern in rest:
            below = [path for parent in found for path in self._named(parent, pattern)]
            if not below:
                return found[0], pattern.pattern, tuple(self._children.get(found[0], ()))
            found = below
        return found[0], "", ()

    def _named(self, parent: str, pattern: re.Pattern[str]) -> Iterable[str]:
        children = self._children.get(parent, {})
        name = pattern.pattern
        if name.isidentifier():
            if name in children:
                return [children[name]]
            return [parent] if is_passed(name, parent) else []
        return [path for name, path in children.items() if pattern.fullmatch(name)]
