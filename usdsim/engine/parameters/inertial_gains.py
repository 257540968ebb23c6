"""Gains of acceleration drives, which follow the inertia that their axes feel."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import ArrayLike, NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.indices import checked_ids

__all__ = ["GAINS", "InertialGains"]

GAINS = "actuator_biasprm"
"""The engine's parameter: an offset, minus the stiffness, minus the damping."""
_INERTIA = "dof_M0"
_ROUNDING = 1e-9


class InertialGains:
    """Keeps gains per inertia what they are when masses, inertias or armatures change.

    Gains that somebody writes are in plain units, and stay as they are written, until what they
    would be otherwise is written back.

    Args:
        compiled: the model.
        num_envs: number of worlds.
    """

    def __init__(self, compiled: CompiledModel, num_envs: int):
        self._compiled = compiled
        self._actuators, self._dofs = compiled.acceleration_drives.T
        model = compiled.mj
        self._inertias = np.maximum(model.dof_M0[self._dofs], mujoco.mjMINVAL)
        self._unit = model.actuator_biasprm[self._actuators, 1:3] / self._inertias[:, None]
        self._follow = np.ones((num_envs, len(self._dofs)), np.bool_)

    def written(
        self, field: str, batch: mjbatch.Batch, worlds: NDArray[np.intp], ids: ArrayLike | None
    ) -> None:
        """Record a write to a parameter of some worlds and elements."""
        if field != GAINS or not len(self._dofs):
            return
        count = self._compiled.mj.nactuator
        touched = np.arange(count) if ids is None else checked_ids("ids", ids, count)
        gains = batch.expand(GAINS)[np.ix_(worlds, self._actuators)][..., 1:3]
        same = np.isclose(gains, self._inertial_gains(batch, worlds), _ROUNDING, 0.0).all(axis=2)
        written = np.isin(self._actuators, touched)
        self._follow[worlds] = np.where(written, same, self._follow[worlds])

    def restored(self, worlds: NDArray[np.intp]) -> None:
        """Record that some worlds have the model's own gains and inertias again."""
        self._follow[worlds] = True

    def follow(self, batch: mjbatch.Batch, worlds: NDArray[np.intp]) -> None:
        """Scale gains of some worlds by the inertias that the engine has just derived."""
        if not len(self._dofs) or batch.expanded(_INERTIA) is None:
            return
        cells: Any = np.ix_(worlds, self._actuators, np.array([1, 2]))
        gains, wanted = batch.expand(GAINS), self._inertial_gains(batch, worlds)
        gains[cells] = np.where(self._follow[worlds][..., None], wanted, gains[cells])

    def _inertial_gains(
        self, batch: mjbatch.Batch, worlds: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Minus stiffness and damping for the inertias as they are, shape (worlds, drives, 2)."""
        found = batch.expanded(_INERTIA)
        inertias = self._inertias if found is None else found[np.ix_(worlds, self._dofs)]
        return np.asarray(self._unit * inertias[..., None])
