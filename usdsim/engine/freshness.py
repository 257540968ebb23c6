"""Freshness of worlds: how much of which ones does not follow from their state any more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .fields import Stale
from .versions import Versions

__all__ = ["Freshness"]


class Freshness:
    """Bookkeeping of what was written and what was computed since, for all worlds of an engine.

    Args:
        num_envs: number of worlds.

    Attributes:
        level: how much is stale in any world.
        versions: counters of what changed.
    """

    __slots__ = ("_num_envs", "_worlds", "level", "versions")

    def __init__(self, num_envs: int):
        self._num_envs = num_envs
        self._worlds: NDArray[np.bool_] | None = None
        self.level = Stale.NOTHING
        self.versions = Versions()

    @property
    def worlds(self) -> NDArray[np.intp] | None:
        """Worlds that may be stale, as ids; None: all."""
        return None if self._worlds is None else np.flatnonzero(self._worlds)

    def outdate(self, level: Stale, ids: NDArray[np.intp] | None) -> None:
        """Take note of a write to some worlds; None: to all, or nobody knows to which."""
        self.versions.forces += 1
        if level >= Stale.MOTION:
            self.versions.motion += 1
        if ids is None:
            self._worlds = None
        elif not self.level:
            self._worlds = np.zeros(self._num_envs, np.bool_)
        if ids is not None and self._worlds is not None:
            self._worlds[ids] = True
        if level > self.level:
            self.level = level

    def moved(self) -> None:
        """Take note of a step; `renew` says which worlds it computed."""
        self.versions.motion += 1
        self.versions.forces += 1

    def computed(self, level: Stale) -> None:
        """Take note that `level` was computed wherever it was stale.

        Forces still wait for a reader after motion was: solving for them costs as much as the rest.
        """
        self.level = Stale.FORCES if level == Stale.MOTION else Stale.NOTHING

    def renew(self, ids: NDArray[np.intp] | None) -> None:
        """Take note that all of some worlds was computed; None: of all."""
        if ids is None or not self.level:
            self.level = Stale.NOTHING
            return
        if self._worlds is None:
            self._worlds = np.ones(self._num_envs, np.bool_)
        self._worlds[ids] = False
        if not self._worlds.any():
            self.level = Stale.NOTHING
