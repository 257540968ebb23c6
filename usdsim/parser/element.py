"""Described elements: what all of them have, a path, a name and values of the MuJoCo dialect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ElementDescription", "at_and_above", "is_below"]


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


def is_below(path: str, other: str) -> bool:
    """Whether a prim path is another one, or below it; all are below ``/``."""
    return path == other or path.startswith(f"{other.rstrip('/')}/")


def at_and_above(path: str) -> Iterator[str]:
    """Prim paths from a path upwards, the nearest first, without ``/``."""
    while len(path) > 1:
        yield path
        path = path.rpartition("/")[0]
