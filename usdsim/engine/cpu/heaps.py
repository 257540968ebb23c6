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
"""Sweeps of projected Gauss-Seidel per step."""
MANY_ITERATIONS = 50
"""Iterations of Newton's method from which a step is costly."""
MANY_OPERATIONS = 5e8
"""Operations from which a step with so many is costly: about a fifth of a second."""
STEPS_IN_A_ROW = 2
"""Costly steps in a row after which a world goes on by the other solver."""


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
        # Steps in a row that took long, in each world.
        self._costly = np.zeros(num_envs, np.int32)
        # Contacts with which a world changed to the other solver; 0: it did not.
        self._contacts = np.zeros(num_envs, np.int32)

    def choose_solver(self, batch: mjbatch.Batch, worlds: NDArray[np.intp] | None) -> None:
        """Choose the solver of worlds that just made a step; None: of all."""
        rows = ALL if worlds is None else worlds
        iterations = batch.bind("solver_niter")[rows]
        operations = iterations * np.square(batch.bind("solver_nnz")[rows], dtype=float)
        costly = (
            (iterations >= MANY_ITERATIONS) & (operations > MANY_OPERATIONS * self._dofs)
        ).any(axis=1)
        changed_with = self._contacts[rows]
        if not costly.any() and not changed_with.any():
            self._costly[rows] = 0
            return
        self._costly[rows] = np.where(costly & (changed_with == 0), self._costly[rows] + 1, 0)
        every = np.arange(len(self._costly)) if worlds is None else worlds
        self._use_gauss_seidel(batch, every[self._costly[rows] >= STEPS_IN_A_ROW])
        contacts = batch.bind("ncon")[rows]
        awake = (batch.bind("tree_asleep")[rows] < 0).all(axis=1)
        self._use_newton(batch, every[(2 * contacts < changed_with) & awake])

    def forget(self, batch: mjbatch.Batch, worlds: NDArray[np.intp] | None) -> None:
        """Return worlds that are reset to Newton's method; None: all."""
        if not self.enabled:
            return
        every = np.arange(len(self._costly)) if worlds is None else worlds
        self._costly[every] = 0
        self._use_newton(batch, every[self._contacts[every] > 0])

    def _use_gauss_seidel(self, batch: mjbatch.Batch, worlds: NDArray[np.intp]) -> None:
        if not len(worlds):
            return
        solver, iterations = batch.expand(_SOLVER), batch.expand(_ITERATIONS)
        customized = (solver[worlds] != _NEWTON) | (iterations[worlds] != self._iterations)
        self._costly[worlds] = 0
        worlds = worlds[~customized]
        solver[worlds], iterations[worlds] = _PGS, SWEEPS
        self._contacts[worlds] = batch.bind("ncon")[worlds]

    def _use_newton(self, batch: mjbatch.Batch, worlds: NDArray[np.intp]) -> None:
        if not len(worlds):
            return
        solver, iterations = batch.expand(_SOLVER), batch.expand(_ITERATIONS)
        self._contacts[worlds] = 0
        # What somebody set meanwhile stays.
        ours = worlds[(solver[worlds] == _PGS) & (iterations[worlds] == SWEEPS)]
        solver[ours], iterations[ours] = _NEWTON, self._iterations
