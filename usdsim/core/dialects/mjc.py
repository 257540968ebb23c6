"""MuJoCo dialect (``mjc:``): one table per kind of element.

`DialectRow.spec` names a field of the element's spec, ``solref``, or a part of it, ``damping[1:]``.
`DialectRow.model` names the array of the compiled model that the converter reads; where it
is empty, the converter reads the spec itself. Quaternions are stored as USD quaternions,
angles in radians.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .base import DialectRow

__all__ = ["MjcRow", "choice", "flag", "link", "number", "part", "text", "whole"]


@dataclass(frozen=True, slots=True)
class MjcRow(DialectRow):
    """One attribute of the MuJoCo dialect."""

    stated: bool = False
    """Written even where it equals MuJoCo's default: its absence means something else."""
    described: bool = False
    """Whether the scene description has a field for it, which other attributes may set too."""
    many: bool = False
    """Whether the relationship may have several targets."""
    angle: bool = False
    """Measured in the scene's ``mjc:compiler:angle`` unit on hinges."""

    least: float | None = None
    """Smallest value with a meaning; None: any."""

    @property
    def field(self) -> str:
        """Name of the spec field without the part."""
        return self.spec.partition("[")[0]

    @property
    def part(self) -> int | slice | None:
        """Part of the field that the attribute holds; None: all of it."""
        return _part(self.spec)

    @property
    def array(self) -> str:
        """Name of the compiled model's array without the part."""
        return self.model.partition("[")[0]

    @property
    def array_part(self) -> int | slice | None:
        """Part of the array's entry that the attribute holds; None: all of it."""
        return _part(self.model)


def _part(name: str) -> int | slice | None:
    inside = name.partition("[")[2].rstrip("]")
    if not inside:
        return None
    if ":" not in inside:
        return int(inside)
    start, _, stop = inside.partition(":")
    return slice(int(start or 0), int(stop) if stop else None)


def _row(usd: str, kind: str, spec: str, model: str = "", **options: Any) -> MjcRow:
    return MjcRow(f"mjc:{usd}", kind, spec, model=model, **options)


def number(usd: str, spec: str = "", model: str = "", **options: Any) -> MjcRow:
    """A real number."""
    return _row(usd, "double", spec or usd, model, **options)


def whole(usd: str, spec: str = "", model: str = "", **options: Any) -> MjcRow:
    """An integer."""
    return _row(usd, "int", spec or usd, model, **options)


def flag(usd: str, spec: str = "", model: str = "", **options: Any) -> MjcRow:
    """A truth value."""
    return _row(usd, "bool", spec or usd, model, **options)


def part(usd: str, kind: str, spec: str = "", model: str = "", **options: Any) -> MjcRow:
    """A vector or array of type `kind`."""
    return _row(usd, kind, spec or usd, model, **options)


def choice(
    usd: str, tokens: tuple[str, ...], spec: str = "", model: str = "", **options: Any
) -> MjcRow:
    """One of `tokens`; their order is the engine's enumeration."""
    return _row(usd, "token", spec or usd, model, tokens=tokens, **options)


def text(usd: str, spec: str = "", **options: Any) -> MjcRow:
    """Free text."""
    return _row(usd, "string", spec or usd, **options)


def link(usd: str, spec: str = "", model: str = "", **options: Any) -> MjcRow:
    """A relationship to other elements; the spec refers to them by name."""
    return _row(usd, "rel", spec or usd, model, **options)
