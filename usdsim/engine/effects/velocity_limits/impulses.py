"""Joint impulses that hold velocity limits, for many worlds at once."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

__all__ = ["Responses", "limiting_impulses"]

Array = NDArray[np.float64]

_DENSE = 64
"""Degrees of freedom up to which solving with whole mass matrices of many worlds at once is faster
than with the engine's sparse one of each world."""


class Responses:
    """Inverse mass matrix columns: velocities that joint impulses give in worlds.

    Args:
        model: that the worlds were compiled to.
    """

    def __init__(self, model: mujoco.MjModel):
        # The engine adds what tendons weigh when it solves, and not to the matrix it hands out.
        self._dense = model.nv <= _DENSE and not model.ntendon and not model.nflex
        self._batch: mjbatch.Batch | None = None

    def of(self, batch: mjbatch.Batch, worlds: NDArray[np.intp], dofs: NDArray[np.intp]) -> Array:
        """Change of velocity per unit impulse on each axis, shape (worlds, axes, nv).

        Args:
            batch: the worlds, with kinematics for their state.
            worlds: which of them.
            dofs: the axes.
        """
        if not self._dense:
            return self._one_by_one(batch, worlds, dofs)
        if self._batch is not batch:
            self._open(batch)
        count = batch.model.nv
        matrices = np.zeros((len(worlds), count, count))
        values = self._values[worlds]
        matrices[:, self._rows, self._columns] = values
        matrices[:, self._columns, self._rows] = values
        units = np.eye(count)[:, dofs]
        try:
            solved = np.linalg.solve(matrices, np.broadcast_to(units, (len(worlds), *units.shape)))
        except np.linalg.LinAlgError:
            if len(worlds) > 1:
                # What one world gets must not depend on the others.
                return np.concatenate(
                    [self.of(batch, worlds[i : i + 1], dofs) for i in range(len(worlds))]
                )
            # The engine has a floor for what weighs nothing.
            return self._one_by_one(batch, worlds, dofs)
        return np.ascontiguousarray(solved.transpose(0, 2, 1))

    def _open(self, batch: mjbatch.Batch) -> None:
        """Have the mass matrices of a batch from now on."""
        model = batch.model
        self._rows = np.repeat(np.arange(model.nv), model.M_rownnz)
        self._columns = np.array(model.M_colind)
        self._values, self._batch = batch.bind("M"), batch
        # A field bound after a call is filled by the next one, even if that computes nothing.
        batch.forward(None, int(mujoco.mjtStage.mjSTAGE_NONE))

    def _one_by_one(
        self, batch: mjbatch.Batch, worlds: NDArray[np.intp], dofs: NDArray[np.intp]
    ) -> Array:
        model, data = batch.model, mujoco.MjData(batch.model)
        units = np.eye(model.nv)[dofs]
        found = np.zeros((len(worlds), *units.shape))
        for response, world in zip(found, worlds, strict=True):
            mujoco.mj_solveM(model, batch.get_data(int(world), data), response, units)
        return found


def limiting_impulses(coupling: Array, speed: Array, limits: Array) -> Array:
    """Impulses on axes that bring all of them to their limits or below, shape (worlds, axes).

    Args:
        coupling: change of each axis' speed by a unit impulse on each, shape (worlds, axes, axes).
        speed: of the axes [m/s or rad/s], shape (worlds, axes).
        limits: largest speeds, of the same shape.
    """
    target, after = speed.copy(), speed.copy()
    impulses = np.zeros_like(speed)
    active = np.zeros(speed.shape, np.bool_)
    for _ in range(speed.shape[1]):
        # Slowing one axis may push another over its limit.
        more = ~active & (np.abs(after) > limits)
        rows = np.flatnonzero(more.any(axis=1))
        if not len(rows):
            break
        target[more] = np.clip(after, -limits, limits)[more]
        active |= more
        excess = np.where(active, speed - target, 0.0)[rows]
        impulses[rows] = _solved(coupling[rows], active[rows], excess)
        after[rows] = speed[rows] - (impulses[rows, None] @ coupling[rows])[:, 0]
    return impulses


def _solved(coupling: Array, active: NDArray[np.bool_], excess: Array) -> Array:
    """Impulses on the active axes that change their speeds by minus the excess."""
    both = active[:, :, None] & active[:, None, :]
    blocks = np.where(both, coupling, np.eye(active.shape[1]))
    try:
        return np.asarray(np.linalg.solve(blocks, excess[..., None])[..., 0])
    except np.linalg.LinAlgError:
        return np.stack([_alone(*each) for each in zip(blocks, excess, strict=True)])


def _alone(block: Array, excess: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(block, excess[:, None])[:, 0])
    except np.linalg.LinAlgError:
        # Axes that carry more than rounding can tell apart yield to no impulse alone.
        return np.asarray(np.linalg.lstsq(block, excess, rcond=None)[0])
