"""Forces of one step: applied to bodies beside those of programs, and taken back after it."""

from __future__ import annotations

import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

__all__ = ["StepForces", "angular_momentum"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]


def angular_momentum(turning: Floats, frame: Floats, inertia: Floats) -> Floats:
    """Angular momentum of bodies [kg m^2/s] along world axes, shape (n, k, 3).

    Args:
        turning: angular velocity [rad/s], of the same shape.
        frame: principal axes, shape (n, k, 9).
        inertia: principal moments of inertia [kg m^2], shape (n, k, 3).
    """
    axes = frame.reshape(*turning.shape, 3)
    own = inertia * (axes * turning[..., None]).sum(axis=-2)
    return np.asarray((axes * own[..., None, :]).sum(axis=-1))


class StepForces:
    """Forces and torques on bodies that act in the next step only.

    What forces imply between steps, of a state that was written, is without them.
    """

    def __init__(self) -> None:
        self._added: list[tuple[Ids, Ids, Floats, Floats]] = []

    def add(self, batch: mjbatch.Batch, worlds: Ids, bodies: Ids, wrenches: Floats) -> None:
        """Add to what acts on bodies of worlds that are about to step.

        Args:
            batch: the worlds.
            worlds: some of them, shape (n,).
            bodies: indices, shape (k,).
            wrenches: force [N] at the centre of mass, then torque [N m], along world axes, shape
                (n, k, 6).
        """
        forces = batch.bind("xfrc_applied")
        before = forces[worlds[:, None], bodies]
        applied = before + wrenches
        forces[worlds[:, None], bodies] = applied
        self._added.append((worlds, bodies, before, applied))

    def take_back(self, batch: mjbatch.Batch) -> None:
        """Take them back after the step, except in worlds that it has restarted."""
        while self._added:
            forces = batch.bind("xfrc_applied")
            worlds, bodies, before, applied = self._added.pop()
            now = forces[worlds[:, None], bodies]
            forces[worlds[:, None], bodies] = np.where(now == applied, before, now)
