"""Version cache: results computed once for each state they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from usdsim.engine import Engine

__all__ = ["VersionCache"]

T = TypeVar("T")


class VersionCache(Generic[T]):
    """The last result for some worlds, until their state or their parameters change.

    Args:
        engine: the engine that holds the worlds.
        forces: whether results depend on controls and forces too, not on motion alone.
    """

    def __init__(self, engine: Engine, forces: bool = True):
        self._engine, self._forces = engine, forces
        self._last: tuple[Any, T] | None = None

    def get(self, worlds: NDArray[np.intp], make: Callable[[], T], also: Hashable = None) -> T:
        """The result for the current state.

        Args:
            worlds: ids of the worlds it is about.
            make: computes it.
            also: what else it depends on.
        """
        versions = self._engine.versions
        state = versions.forces if self._forces else versions.motion
        key = state, versions.parameters, versions.arrays, worlds.tobytes(), also
        if self._last is None or self._last[0] != key:
            self._last = key, make()
        return self._last[1]
