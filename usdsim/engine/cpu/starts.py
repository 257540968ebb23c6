"""Starts of last steps: states from which the last of several steps goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import NDArray

from usdsim.engine.effects.acceleration.cpu import StepAcceleration
from usdsim.engine.indices import Rows

__all__ = ["LastStarts"]


class LastStarts:
    """Record of the state at the start of a last step, for its acceleration and for callers.

    Args:
        acceleration: over that step.
        state: gives a state field of all worlds.

    Attributes:
        arrays: where state fields go, by name.
    """

    __slots__ = ("_acceleration", "_state", "arrays")

    def __init__(self, acceleration: StepAcceleration, state: Callable[[str], NDArray[Any]]):
        self._acceleration, self._state = acceleration, state
        self.arrays: Mapping[str, NDArray[Any]] = {}

    @property
    def fields(self) -> frozenset[str]:
        """State fields that `keep` records."""
        return frozenset({*self.arrays, "qvel"} if self._acceleration.enabled else self.arrays)

    def keep(self, rows: Rows, start: Mapping[str, NDArray[Any]] | None = None) -> None:
        """Record that state of some worlds.

        Args:
            rows: the worlds.
            start: that state, by field, a row for each of them; None: the one they are in.
        """
        if self._acceleration.enabled:
            values = self._state("qvel")[rows] if start is None else start["qvel"]
            self._acceleration.keep(values, rows)
        for field, target in self.arrays.items():
            target[rows] = self._state(field)[rows] if start is None else start[field]
