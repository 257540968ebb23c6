"""Described elements: what all of them have, a path, a name and values of the MuJoCo dialect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ElementDescription", "at_and_above", "is_below", "path_of_prim"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ElementDescription:
    """Path and name, which every described element has."""

    path: str
    """Prim path: the element's identity."""
    name: str | None = None
    """Name in the converted source file (``""``: it had none); None where no source is recorded."""
    overrides: Mapping[str, Any] = field(default_factory=dict)
    """MuJoCo-dialect values by spec field that no other field here holds, such as
    ``{"solref": array([0.02, 1.0])}``."""

    def is_below(self, path: str) -> bool:
        """Whether its prim is that of a path, or below it."""
        return is_below(self.path, path)


def path_of_prim(path: str) -> str:
    """Path of the prim that an element is of, or was made for.

    Where one prim makes several elements, such as the convex parts of a mesh, those after the first
    have its path and something behind a colon.
    """
    return path.partition(":")[0]


def is_below(path: str, other: str) -> bool:
    """Whether an element is of a prim, or of one below it; all are below ``/``."""
    above = other.rstrip("/")
    return path == other or path.startswith((f"{above}/", f"{above}:"))


def at_and_above(path: str) -> Iterator[str]:
    """Paths from an element's upwards, the nearest first, without ``/``; see `path_of_prim`."""
    prim = path_of_prim(path)
    if prim != path:
        yield path
    path = prim
    while len(path) > 1:
        yield path
        path = path.rpartition("/")[0]
