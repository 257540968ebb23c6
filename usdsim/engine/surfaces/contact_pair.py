"""Contact pair of two geoms whose materials the engine would not combine by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usdsim.engine.compile.shapes.filters import Pair

__all__ = ["ContactPair"]


@dataclass(frozen=True, eq=False)
class ContactPair:
    """A contact pair the engine got because two materials meet."""

    geoms: Pair
    """Indices of the geoms in the description."""
    mode: str
    """Combine mode of their friction."""
    element: Any
    """The pair in the spec, later in the model."""
    sticks: bool = False
    """Whether its static friction is above its dynamic one."""
    radius: float = 0.0
    """Ratio of its torsional to its sliding friction [m]; 0: that of its materials."""
