"""Described elements: what all of them have, a path, a name and values of the MuJoCo dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ElementDescription"]


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
