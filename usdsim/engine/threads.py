"""Thread pools that know about forks: threads stay with the process that started them.

A forked child has a copy of a pool's memory, but none of its threads; a step would wait for them
for ever, and so would the pool's destruction.
"""

from __future__ import annotations

import ctypes
import os
import weakref
from typing import Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.core.errors import SimulationError

__all__ = ["ThreadedBatch", "state_columns"]

_pools: weakref.WeakSet[ThreadedBatch] = weakref.WeakSet()


class ThreadedBatch(mjbatch.Batch):
    """`mujoco.batch.Batch` that raises in a forked child where it would wait for ever.

    Args:
        model: what every simulation runs.
        nsim: number of simulations.
        nthread: number of threads; 0: one per CPU.
        persistent: keep the data of every simulation.

    Attributes:
        differing: whether simulations may have parameters of their own.
    """

    differing = False

    def __init__(
        self, model: mujoco.MjModel, nsim: int, nthread: int = 0, persistent: bool = False
    ):
        super().__init__(model, nsim, nthread, persistent)
        # What `expanded` has found, as long as no parameter gets values per simulation.
        self._found: dict[str, NDArray[Any] | None] = {}
        if self.nthread > 1:
            _pools.add(self)

    def advance(self, ids: NDArray[np.int32] | None, nstep: int, stage: int) -> None:
        """Step some simulations, as `step` does, without another look at whether they are any.

        Args:
            ids: the simulations, each once, in ascending order; None: all.
            nstep: number of steps.
            stage: the stages to compute at the new state.

        Raises:
            mujoco.batch.SimulationError: the engine stopped computing some of them.
        """
        failed = self._b.step(ids, nstep, stage)
        if failed:
            self._check(ids, failed)

    def expand(self, name: str) -> NDArray[Any]:
        """Parameter of every simulation, which may differ from now on; see `mujoco.batch`."""
        if name not in self._expanded:
            self.differing = True
            self._found.clear()
        return np.asarray(super().expand(name))

    def expanded(self, name: str) -> NDArray[Any] | None:
        """Read-only parameter of every simulation, None: all have the same; see `mujoco.batch`."""
        if name not in self._found:
            self._found[name] = super().expanded(name)
        return self._found[name]

    def set_const(self, ids: Any = None) -> None:
        """Derive constants of some simulations, None: of all; see `mujoco.batch`."""
        super().set_const(ids)
        self._found.clear()


def state_columns(batch: mjbatch.Batch, name: str) -> slice:
    """Columns of a state field in `Batch.state`, which has a row per world."""
    values = batch.bind(name)
    ends = (array.__array_interface__["data"][0] for array in (values, batch.state))
    first = int(np.subtract(*ends)) // values.itemsize
    return slice(first, first + values[0].size)


class _Gone:
    """Placeholder of a pool whose threads are in another process."""

    def __init__(self, pool: Any):
        self.nsim, self.nthread = pool.nsim, pool.nthread
        self.nstate, self.persistent = pool.nstate, pool.persistent

    def __getattr__(self, name: str) -> Any:
        raise SimulationError(
            "These worlds were opened before this process forked, and their threads are in the "
            "parent. Make new ones here (SceneData(model, ...), or a new SimulationContext), open "
            "them with threads=1, or start processes with the method 'spawn'."
        )


def _after_fork() -> None:
    for batch in list(_pools):
        # Destroying it would wait for its threads, so it is never destroyed.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(batch._b))
        batch._b = _Gone(batch._b)
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
