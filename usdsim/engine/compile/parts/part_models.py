"""Models of the parts of a scene, kept beside the model that they were joined to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import NDArray

from .fields import DERIVED, REFERENCES, TYPED
from .statistics import sum_in_order

__all__ = ["PartModels", "mass_of_world"]

Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PartModels:
    """Models of the parts of a scene, and where their rows are in that of the whole."""

    models: tuple[mujoco.MjModel, ...]
    """The first has the world, and all that refers to bodies."""
    rows: Mapping[str, Sequence[Ids]]
    """Row in the whole of each row of each part, -1: it is left out; by size."""
    sizes: Mapping[str, str]
    """Name of the size of each array's first axis."""

    @cached_property
    def indices(self) -> frozenset[str]:
        """Arrays whose numbers mean something else in a part than in the whole."""
        return DERIVED.union(REFERENCES, (name for name, _, _ in TYPED))

    def places(self, part: int, name: str) -> tuple[Ids, Ids]:
        """Rows of a part's array, and those of the whole's that are the same, shape (n,) each."""
        size = self.sizes[name]
        if size not in self.rows:
            # Only the first part has any of these.
            found = np.arange(0 if part else len(getattr(self.models[0], name)))
            return found, found
        rows = self.rows[size][part]
        kept = np.flatnonzero(rows >= 0)
        return kept, rows[kept]

    def homes(self, name: str, changed: NDArray[np.bool_]) -> list[int]:
        """Parts that have any of the rows of an array.

        Args:
            name: of the array.
            changed: which rows, shape (rows,).
        """
        return [
            part for part in range(len(self.models)) if changed[self.places(part, name)[1]].any()
        ]


def mass_of_world(own: float, trees: NDArray[np.float64]) -> float:
    """Mass of all bodies [kg], summed from the last tree to the first, as the engine does it.

    Args:
        own: of the world itself.
        trees: of all that is on each body under the world, shape (n,).
    """
    return sum_in_order([own, *trees[::-1]])
