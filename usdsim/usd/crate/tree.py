"""Tree of a crate file: paths without circles, each with a spec of its kind, no child missing."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf

from .packing import require

__all__ = ["CHILDREN", "Paths"]

Integers = NDArray[np.int64]

_LEAF, _ONLY_CHILD = -2, -1
"""Jumps of paths with neither children nor siblings after them, and with children only."""
_ROOT, _PRIM, _PROPERTY, _VARIANT_SET, _VARIANT, _OTHER = range(6)
_SPECS = {_ROOT: (7,), _PRIM: (6,), _PROPERTY: (1, 8), _VARIANT_SET: (11,), _VARIANT: (10,)}
"""Types of specs by the kind of path that they are at."""
CHILDREN = {
    b"primChildren": (_ROOT, _PRIM, _VARIANT),
    b"properties": (_PRIM, _VARIANT),
    b"variantSetChildren": (_PRIM, _VARIANT),
    b"variantChildren": (_VARIANT_SET,),
}
"""Kinds of paths that have children, by the field that names these."""


class Paths:
    """The tree of paths: all are reached, each from one other.

    A path is followed by its first child or, having none, by its next sibling; with both, the jump
    says how far the sibling is. So a path is what follows the one before it, unless that is a leaf:
    then it has to be where exactly one jump leads.

    Args:
        numbers: of the paths, as specs call them.
        names: texts of their last elements; negative ones are of properties.
        jumps: see above.
        texts: all texts.

    Raises:
        ValueError: the jumps lead back or nowhere, or a name is none.
    """

    def __init__(self, numbers: Integers, names: Integers, jumps: Integers, texts: list[bytes]):
        there = np.flatnonzero(jumps > 0)
        led_to = np.sort(np.append(there + jumps[there], len(jumps)))
        leaves = np.flatnonzero(jumps == _LEAF)
        sound = jumps.min() >= _LEAF and np.array_equal(led_to, leaves + 1)
        require(bool(sound), "its paths lead back into themselves, or nowhere")
        require(bool((np.abs(names) < len(texts)).all()), "a path has no name")
        self._texts, self._names = texts, names.tolist()
        self._parents = _parents(jumps.tolist())
        self._places = {number: place for place, number in enumerate(numbers.tolist())}
        known = {name: self._kind(name) for name in set(self._names[1:])}
        self._kinds = [_ROOT, *(known[name] for name in self._names[1:])]
        self._specified: set[tuple[int, bool, bytes]] = set()

    def add_specs(self, numbers: Integers, types: Integers) -> None:
        """Check that specs are of the kinds of their paths; those are there from then on."""
        for number, kind in zip(numbers.tolist(), types.tolist(), strict=True):
            require(number in self._places, f"a spec is at path {number}, which it has not")
            place = self._places[number]
            allowed = _SPECS.get(self._kinds[place], (kind,))
            require(kind in allowed, f"a spec of type {kind} is at a path of another kind")
            name = self._names[place]
            self._specified.add((self._parents[place], name < 0, self._texts[abs(name)]))

    def check_children(self, number: int, field: bytes, names: Iterable[bytes]) -> None:
        """Check that the children that a spec names have specs, too."""
        place = self._places[number]
        require(self._kinds[place] in CHILDREN[field], f"a path has no {field.decode()}")
        form = b"%b"
        if field == b"variantSetChildren":
            form = b"{%b=}"
        elif field == b"variantChildren":
            own = self._texts[abs(self._names[place])][:-1]
            place, form = self._parents[place], own.replace(b"%", b"%%") + b"%b}"
        for name in names:
            child = (place, field == b"properties", form % name)
            require(child in self._specified, f"it names {child[2]!r}, which is not there")

    def _kind(self, name: int) -> int:
        text = self._texts[abs(name)].decode("utf-8", "replace")
        if name < 0:
            require(Sdf.Path.IsValidNamespacedIdentifier(text), f"{text!r} names no property")
            return _PROPERTY
        if text[:1] == "{":
            return _VARIANT_SET if text.endswith("=}") else _VARIANT
        if text[:1] in ("[", "."):
            return _OTHER
        require(Sdf.Path.IsValidIdentifier(text), f"{text!r} names no prim")
        return _PRIM


def _parents(jumps: list[int]) -> list[int]:
    """The path above each path."""
    parents = [-1] * len(jumps)
    for place, jump in enumerate(jumps):
        if jump > 0:
            parents[place + jump] = parents[place]
        if jump > 0 or jump == _ONLY_CHILD:
            parents[place + 1] = place
        elif jump == 0:
            parents[place + 1] = parents[place]
    return parents
