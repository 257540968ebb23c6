"""World copies, for what the engine does not keep in arrays over all worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine import Engine
from usdsim.engine.quiet import Quiet
from usdsim.engine.threads import ThreadedBatch

__all__ = ["WorldCopies"]

T = TypeVar("T")
Copy = tuple[mujoco.MjModel, mujoco.MjData]

_EACH = 32
"""Worlds from which on a thread is worth its start."""
_SLEEP = int(mujoco.mjtEnableBit.mjENBL_SLEEP)
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
_NONE, _VEL = int(mujoco.mjtStage.mjSTAGE_NONE), int(mujoco.mjtStage.mjSTAGE_VEL)


class WorldCopies:
    """Hands out one world after the other, in the same memory each time.

    The worlds themselves stay untouched: what is computed here changes neither the next step nor
    what other reads return. It follows from the row of a world's state, which takes less time than
    to copy all of the world; only where bodies sleep that says too little.

    Args:
        engine: the engine that holds the worlds.

    Attributes:
        sleeping: whether bodies may sleep; the engine leaves out contacts between those that do.
    """

    def __init__(self, engine: Engine):
        self._engine = engine
        compiled = engine.compiled
        self.sleeping = compiled.sleeps or bool(compiled.mj.opt.enableflags & _SLEEP)
        self._model: mujoco.MjModel | None = None
        self._shared: mujoco.MjModel | None = None
        self._data: mujoco.MjData | None = None
        # Memory for worlds that are looked at besides it, by other threads.
        self._others: list[mujoco.MjData] = []
        self._quiet = Quiet()

    def visit(self, worlds: NDArray[np.intp]) -> Iterator[Copy]:
        """Each world's model and data, with forces and accelerations of the current state.

        Both are overwritten by the next.

        Args:
            worlds: ids of the worlds.
        """
        batch, data = self._prepared()
        known = _VEL if self.sleeping else _NONE
        states = batch.state
        with self._quiet:
            for world in worlds.tolist():
                model = self._model_of(batch, world)
                if self.sleeping:
                    batch.get_data(world, data)
                    self._engine.rouse(model, data)
                else:
                    mujoco.mj_setState(model, data, states[world], _STATE)
                mujoco.mj_forwardSkip(model, data, known, 1)
                yield model, data

    def map_parts(
        self, worlds: NDArray[np.intp], look: Callable[[slice, Iterator[Copy]], T]
    ) -> list[T]:
        """Findings in parts of the worlds, by as many threads as the engine has where that pays.

        Args:
            worlds: ids of the worlds.
            look: gets which of them a part are, and their models and data as `visit` hands them
                out, in any thread.
        """
        batch, data = self._prepared()
        threads = min(batch.nthread, len(worlds) // _EACH)
        if threads < 2 or self.sleeping or batch.differing:
            return [look(slice(0, len(worlds)), self.visit(worlds))]
        while len(self._others) < threads - 1:
            self._others.append(mujoco.MjData(batch.model))
        rooms = [data, *self._others[: threads - 1]]
        bounds = np.linspace(0, len(worlds), threads + 1).astype(np.intp).tolist()
        parts = [slice(*bound) for bound in pairwise(bounds)]

        def work(part: slice, room: mujoco.MjData) -> T:
            return look(part, _states(batch, worlds[part], room))

        with self._quiet, ThreadPoolExecutor(threads) as pool:
            return list(pool.map(work, parts, rooms))

    def visit_contacts(
        self, worlds: NDArray[np.intp], counts: NDArray[np.int32]
    ) -> Iterator[mujoco.MjData]:
        """Each world's data with geoms and places of its contacts, and little else.

        Args:
            worlds: ids of the worlds.
            counts: number of contacts that each has in the engine.
        """
        batch, data = self._prepared()
        for world, count in zip(worlds.tolist(), counts.tolist(), strict=True):
            model = self._model_of(batch, world)
            if not self.sleeping:
                mujoco.mj_setState(model, data, batch.state[world], _STATE)
                mujoco.mj_fwdKinematics(model, data)
                mujoco.mj_collision(model, data)
            if self.sleeping or data.ncon != count:
                batch.get_data(world, data)
                self._engine.rouse(model, data)
            yield data

    def _prepared(self) -> tuple[ThreadedBatch, mujoco.MjData]:
        """Worlds with contacts and constraints of their state, and memory for one of them."""
        self._engine.read("ncon")
        batch = self._engine.batch
        if self._shared is not batch.model or self._data is None:
            self._shared, self._model = batch.model, None
            self._data, self._others = mujoco.MjData(batch.model), []
        return batch, self._data

    def _model_of(self, batch: ThreadedBatch, world: int) -> mujoco.MjModel:
        """Model with the parameters of a world."""
        if not batch.differing:
            return batch.model
        self._model = batch.get_model(world, self._model)
        return self._model


def _states(batch: ThreadedBatch, worlds: NDArray[np.intp], room: mujoco.MjData) -> Iterator[Copy]:
    """Worlds of one model in turn, with all that follows from the rows of their state."""
    for world in worlds.tolist():
        mujoco.mj_setState(batch.model, room, batch.state[world], _STATE)
        mujoco.mj_forwardSkip(batch.model, room, _NONE, 1)
        yield batch.model, room
