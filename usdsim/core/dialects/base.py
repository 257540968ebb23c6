"""Dialect tables: one row per USD attribute."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NAMESPACES", "DialectRow"]

NAMESPACES = (
    *("physics:", "physx", "newton:", "mjc:", "omniphysics:"),
    *("drive:", "limit:", "state:"),
)
"""Beginnings of the names of physical properties."""


@dataclass(frozen=True, slots=True)
class DialectRow:
    """One attribute of a dialect and what it means.

    The converter writes ``model`` arrays to ``usd``, the parser reads ``usd`` into ``spec``, and
    the engine sets ``spec``: one row, three users.
    """

    usd: str
    """USD attribute or relationship name, ``mjc:solref``."""
    type: str
    """Sdf value type name, ``double[]``; ``rel`` for a relationship."""
    spec: str
    """Target: a field of the MuJoCo spec element, or of the description."""
    api: str = ""
    """Schema the attribute belongs to, ``MjcCollisionAPI``."""
    model: str = ""
    """Array of the compiled model that holds the value, ``geom_solref``."""
    unit: str = ""
    """Unit on the stage, as written in the documentation."""
    doc: str = ""
    """One line of documentation."""
    tokens: tuple[str, ...] = ()
    """Permitted values of a token; without `codes`, their order is the engine's enumeration."""
    codes: tuple[int, ...] = ()
    """Engine values of `tokens`."""
    default: object = None
    """Schema fallback."""
