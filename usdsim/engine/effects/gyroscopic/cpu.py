"""Gyroscopic torque that some bodies do not feel: one that makes up for it acts in each step."""

from __future__ import annotations

import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.indices import Rows
from usdsim.engine.parameters.cpu import Parameters
from usdsim.math.rotations import cross

__all__ = ["GyroscopicTorques", "steady_bodies"]

Floats = NDArray[np.float64]


def steady_bodies(compiled: CompiledModel) -> NDArray[np.intp]:
    """Bodies of a model that feel no gyroscopic torque."""
    wanted = [body.path for body in compiled.scene.bodies if not body.gyroscopic]
    found = [compiled.names.find("body", path) for path in wanted]
    return np.array([index for index in found if index is not None], np.intp)


class GyroscopicTorques:
    """Torques w x I w that make up for gyroscopic ones, so that bodies keep their rotation.

    They are beside the forces that programs apply while the engine steps, and are taken back after
    it. What forces imply between steps, of a state that was written, is without them.

    Args:
        compiled: the model; its scene says which bodies.
        parameters: the engine's.

    Attributes:
        active: whether there are any.
    """

    def __init__(self, compiled: CompiledModel, parameters: Parameters):
        self._parameters, self._bodies = parameters, steady_bodies(compiled)
        self.active = len(self._bodies) > 0
        self._before = self._applied = np.zeros((0, 0, 3))

    def apply(self, batch: mjbatch.Batch, rows: Rows, velocity: Floats, frame: Floats) -> None:
        """Apply the torques to worlds that are about to step.

        Args:
            batch: the worlds.
            rows: which step.
            velocity: of all bodies in all worlds, angular first, shape (num_envs, nbody, 6).
            frame: their principal axes, shape (num_envs, nbody, 9).
        """
        bodies = self._bodies
        turning = velocity[rows][:, bodies, :3]
        axes = frame[rows][:, bodies].reshape(*turning.shape, 3)
        inertia = self._parameters.read("body_inertia")[rows][:, bodies]
        own = inertia * (axes * turning[..., None]).sum(axis=-2)
        torque = cross(turning, (axes * own[..., None, :]).sum(axis=-1))
        forces = batch.bind("xfrc_applied")
        self._before = forces[rows][:, bodies, 3:]
        self._applied = self._before + torque
        self._put(batch, rows, self._applied)

    def take_back(self, batch: mjbatch.Batch, rows: Rows) -> None:
        """Take the torques back after the step, except in worlds that it has restarted."""
        now = batch.bind("xfrc_applied")[rows][:, self._bodies, 3:]
        self._put(batch, rows, np.where(now == self._applied, self._before, now))

    def _put(self, batch: mjbatch.Batch, rows: Rows, torque: Floats) -> None:
        worlds = np.arange(batch.nsim)[rows]
        batch.bind("xfrc_applied")[worlds[:, None], self._bodies, 3:] = torque
