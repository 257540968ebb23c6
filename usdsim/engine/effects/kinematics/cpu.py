"""Kinematic bodies on the CPU."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.cpu.stepping import CpuSteps
from usdsim.engine.failures import WorldFailure

from .stepping import SURFACE, KinematicSteps

__all__ = ["CpuKinematics"]


class CpuKinematics(CpuSteps, KinematicSteps):
    """The part of `CpuEngine` that makes steps in which kinematic bodies move."""

    def _plain_steps(self, n: int, ids: NDArray[Any] | None) -> list[WorldFailure]:
        if not self._watching:
            return self._advance(n, ids)
        return self._step_watched(n, ids) if n > 1 else self._step_singly(n, ids)

    def _meet(self, ids: NDArray[Any] | None, *, early: bool) -> None:
        if early:
            self._impacts.forget(ids)
        self._rebound(ids)
        if early:
            self._impacts.met_early()

    def _approached(self, worlds: NDArray[Any]) -> NDArray[np.intp]:
        contacts = self.read("ncon")
        return self._impacts.approached(self._batch, contacts, worlds, self.kinematics)

    def _renew_motion(self, worlds: NDArray[Any]) -> None:
        self._compute(worlds, int(mujoco.mjtStage.mjSTAGE_VEL))

    def _write_surfaces(self, values: NDArray[Any], geoms: NDArray[np.intp]) -> NDArray[Any]:
        target = self._batch.expand(SURFACE)
        target[:, geoms] = values
        return np.asarray(target[:, geoms])
