"""Phases of surface grippers: open, closing on what is in front of them, and closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .holds import Holds

__all__ = ["CLOSED", "CLOSING", "OPEN", "Phases"]

OPEN, CLOSING, CLOSED = -1.0, 0.0, 1.0


class Phases:
    """Phases of grippers, one after the other, world by world.

    Args:
        holds: grips of the grippers of each world.
        properties: values of all grippers by name, which are read when they are needed.

    Attributes:
        values: the phase of each gripper.
    """

    def __init__(self, holds: Sequence[Holds], properties: Mapping[str, NDArray[np.float64]]):
        self._holds, self._properties = holds, properties
        count = len(properties["retry_interval"])
        self.values, self._waited = np.full(count, OPEN), np.zeros(count)

    def open(self, rows: NDArray[np.intp]) -> None:
        """Let go of everything that some grippers hold."""
        self.values[rows] = OPEN
        for which, holds in enumerate(self._holds):
            holds.release(rows[rows % len(self._holds) == which] // len(self._holds))

    def close(self, rows: NDArray[np.intp]) -> None:
        """Begin to close those that are open."""
        starting = rows[self.values[rows] == OPEN]
        self.values[starting], self._waited[starting] = CLOSING, 0.0

    def look(self) -> None:
        """Let closing grippers hold what is in front of them."""
        closing = np.flatnonzero(self.values == CLOSING)
        for row in closing.tolist():
            world, holds = self._place(row)
            holds.grip(world, self._properties["max_grip_distance"][row])
        if len(closing):
            self.values[closing[self._held()[closing]]] = CLOSED

    def advance(self, dt: float) -> None:
        """Drop what is too heavy, look again, and give up where nothing came for too long.

        Args:
            dt: time since the last call [s].
        """
        self._waited += dt
        coaxial, shear = (self._properties[f"{way}_force_limit"] for way in ("coaxial", "shear"))
        for row in np.flatnonzero(self._held()).tolist():
            world, holds = self._place(row)
            holds.drop_overloaded(world, coaxial[row], shear[row])
        self.values[(self.values == CLOSED) & ~self._held()] = OPEN
        self.look()
        late = (self.values == CLOSING) & (self._waited > self._properties["retry_interval"])
        self.values[late] = OPEN

    def _place(self, row: int) -> tuple[int, Holds]:
        """World of a gripper, and its grip there."""
        world, which = divmod(row, len(self._holds))
        return world, self._holds[which]

    def _held(self) -> NDArray[np.bool_]:
        """Whether each gripper holds anything."""
        return np.stack([holds.held().any(axis=1) for holds in self._holds], axis=1).ravel()
