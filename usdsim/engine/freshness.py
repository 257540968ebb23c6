"""Freshness of worlds: which of their results no longer follow from their state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .fields import Stale
from .versions import Versions

__all__ = ["Freshness"]

# Members of an enumeration are looked up slowly.
_NOTHING, _KINEMATICS = Stale.NOTHING, Stale.KINEMATICS


class Freshness:
    """Bookkeeping of what was written and what was computed since, for all worlds of an engine.

    Args:
        num_envs: number of worlds.

    Attributes:
        level: what is stale in any world, bits of `Stale`.
        versions: counters of what changed.
    """

    __slots__ = ("_each", "_num_envs", "level", "versions")

    def __init__(self, num_envs: int):
        self._num_envs = num_envs
        self.level = int(Stale.NOTHING)
        # What is stale in each world, where they differ.
        self._each: NDArray[np.uint8] | None = None
        self.versions = Versions()

    def worlds(self, level: Stale) -> NDArray[np.intp] | None:
        """Worlds in which some of `level` is stale, as ids; None: all."""
        return None if self._each is None else np.flatnonzero(self._each & np.uint8(level))

    def outdate(self, level: Stale, ids: NDArray[np.intp] | None) -> None:
        """Mark results of some worlds stale after a write; None: all, or it is not known which."""
        self.versions.forces += 1
        if level & _KINEMATICS:
            self.versions.motion += 1
        if ids is not None:
            self._levels()[ids] |= np.uint8(level)
        elif self._each is not None:
            self._each |= np.uint8(level)
        self.level |= level

    def moved(self) -> None:
        """Count a step; `renew` says which worlds it computed."""
        self.versions.motion += 1
        self.versions.forces += 1

    def computed(self, level: Stale) -> None:
        """Mark `level` fresh in all worlds: it was computed wherever it was stale.

        Forces still wait for a reader after kinematics were: solving for them costs as much as the
        rest.
        """
        kept = Stale.MOTION & ~level
        if self._each is not None:
            self._each &= np.uint8(kept)
        self.level &= kept

    def renew(self, ids: NDArray[np.intp] | None, left: Stale = _NOTHING) -> None:
        """Mark some worlds fresh after they were computed; None: all.

        Args:
            ids: the worlds, each once.
            left: results that were not computed, which stay stale until they are read.
        """
        if ids is None or len(ids) == self._num_envs:
            self.level, self._each = int(left), None
        elif self.level or left:
            levels = self._levels()
            levels[ids] = left
            self.level = int(np.bitwise_or.reduce(levels))

    def _levels(self) -> NDArray[np.uint8]:
        if self._each is None:
            self._each = np.full(self._num_envs, self.level, np.uint8)
        return self._each
