"""Heaps: worlds in which Newton's method takes too long go on by another solver."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.indices import ALL

__all__ = ["Heaps"]

_NEWTON, _PGS = int(mujoco.mjtSolver.mjSOL_NEWTON), int(mujoco.mjtSolver.mjSOL_PGS)
_SOLVER, _ITERATIONS = "opt.solver", "opt.iterations"
# The benchmark `large_heap` has the figures: 500 balls in a bin take up to ten seconds a step by
# Newton's method, and some 15 ms by 50 sweeps; with 20 they lie in each other by millimetres.
# Walls and pyramids of 400 boxes need less than 60 iterations in the first step and 25 later.
SWEEPS = 50
MANY = 50
"""Iterations of Newton's method that are many."""
MUCH = 5e8
"""Operations of a step that are much: about a fifth of a second."""
ROW = 2
"""Steps in a row that have both, after which a world goes on by the other solver."""


class Heaps:
    """Solver of each world in scenes of many loose bodies that may sleep.

    Newton's method factors a matrix of all that touches. In stacks and walls it has few entries;
    of a heap without order it fills up, and takes many iterations, too. Such a world goes on by
    projected Gauss-Seidel, which takes contacts one by one, each step in about the same time. It
    comes back when it is reset, or when fewer than half of the contacts are left and nothing of it
    sleeps: what sleeps has none.

    The engine tells iterations and entries of a world's first islands; a heap beyond them is not
    seen. A world whose solver or iterations somebody set keeps them.

    Args:
        compiled: the model.
        num_envs: number of worlds.

    Attributes:
        enabled: whether steps are to be looked at.
    """

    def __init__(self, compiled: CompiledModel, num_envs: int):
        options = compiled.mj.opt
        self.enabled = compiled.sleeps and options.solver == _NEWTON
        self._iterations, self._dofs = int(options.iterations), max(int(compiled.mj.nv), 1)
        self._dear = np.zeros(num_envs, np.int32)
        # Contacts with which a world came to the other solver; 0: it did not.
        self._came_with = np.zeros(num_envs, np.int32)

    def look(self, batch: mjbatch.Batch, worlds: NDArray[np.intp] | None) -> None:
        """Choose the solver of worlds that just made a step; None: of all."""
        rows = ALL if worlds is None else worlds
        iterations = batch.bind("solver_niter")[rows]
        operations = iterations * np.square(batch.bind("solver_nnz")[rows], dtype=float)
        dear = ((iterations >= MANY) & (operations > MUCH * self._dofs)).any(axis=1)
        came_with = self._came_with[rows]
        if not dear.any() and not came_with.any():
            self._dear[rows] = 0
            return
        self._dear[rows] = np.where(dear & (came_with == 0), self._dear[rows] + 1, 0)
        every = np.arange(len(self._dear)) if worlds is None else worlds
        self._go(batch, every[self._dear[rows] >= ROW])
        contacts = batch.bind("ncon")[rows]
        awake = (batch.bind("tree_asleep")[rows] < 0).all(axis=1)
        self._come_back(batch, every[(2 * contacts < came_with) & awake])

    def forget(self, batch: mjbatch.Batch, worlds: NDArray[np.intp] | None) -> None:
        """Return worlds that are reset to Newton's method; None: all."""
        if not self.enabled:
            return
        every = np.arange(len(self._dear)) if worlds is None else worlds
        self._dear[every] = 0
        self._come_back(batch, every[self._came_with[every] > 0])

    def _go(self, batch: mjbatch.Batch, worlds: NDArray[np.intp]) -> None:
        if not len(worlds):
            return
        solver, iterations = batch.expand(_SOLVER), batch.expand(_ITERATIONS)
        own = (solver[worlds] != _NEWTON) | (iterations[worlds] != self._iterations)
        self._dear[worlds] = 0
        worlds = worlds[~own]
        solver[worlds], iterations[worlds] = _PGS, SWEEPS
        self._came_with[worlds] = batch.bind("ncon")[worlds]

    def _come_back(self, batch: mjbatch.Batch, worlds: NDArray[np.intp]) -> None:
        if not len(worlds):
            return
        solver, iterations = batch.expand(_SOLVER), batch.expand(_ITERATIONS)
        self._came_with[worlds] = 0
        # What somebody set meanwhile stays.
        ours = worlds[(solver[worlds] == _PGS) & (iterations[worlds] == SWEEPS)]
        solver[ours], iterations[ours] = _NEWTON, self._iterations
