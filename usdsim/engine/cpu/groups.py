"""Groups of worlds that make several steps in a row, while their data are in the caches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.engine.indices import ALL

__all__ = ["Groups"]

TOGETHER = 32
"""Worlds of a group per thread: a call takes longer than it saves where there are fewer."""

_Group = tuple[Any, NDArray[np.int32]]


class Groups:
    """Parts of the worlds, each of which makes all its steps before the next one begins.

    One step of all worlds reads the data of each from memory, as there is no room for all in the
    caches of a processor; several steps of a few worlds do so once.

    Args:
        num_envs: number of worlds.
        threads: number of threads that share a group.
    """

    def __init__(self, num_envs: int, threads: int):
        self._size = TOGETHER * threads
        bounds = [(i, min(i + self._size, num_envs)) for i in range(0, num_envs, self._size)]
        self._all: list[_Group] = [
            (slice(first, stop), np.arange(first, stop, dtype=np.int32)) for first, stop in bounds
        ]
        if len(self._all) == 1:
            self._all = [(ALL, self._all[0][1])]

    def of(self, worlds: NDArray[np.intp] | None) -> list[_Group]:
        """Groups of some worlds in ascending order: what indexes their rows, and their ids."""
        if worlds is None:
            return self._all
        ids = np.ascontiguousarray(worlds, np.int32)
        return [(ids[i : i + self._size],) * 2 for i in range(0, len(ids), self._size)]
