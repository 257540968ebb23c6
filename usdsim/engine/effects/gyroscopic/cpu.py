"""Gyroscopic torque that some bodies do not feel: one that makes up for it acts in each step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.effects.step_forces.cpu import angular_momentum
from usdsim.engine.parameters.cpu import Parameters
from usdsim.math.rotations import cross

__all__ = ["GyroscopicTorques", "steady_bodies"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]


def steady_bodies(compiled: CompiledModel) -> Ids:
    """Bodies of a model that feel no gyroscopic torque."""
    wanted = [body.path for body in compiled.scene.bodies if not body.gyroscopic]
    found = [compiled.names.find("body", path) for path in wanted]
    return np.array([index for index in found if index is not None], np.intp)


class GyroscopicTorques:
    """Torques w x I w that make up for gyroscopic ones, so that bodies keep their rotation.

    Args:
        compiled: the model; its scene says which bodies.
        parameters: the engine's.

    Attributes:
        bodies: their indices.
        active: whether there are any.
    """

    def __init__(self, compiled: CompiledModel, parameters: Parameters):
        self._parameters, self.bodies = parameters, steady_bodies(compiled)
        self.active = len(self.bodies) > 0

    def wrenches(self, worlds: Ids, velocity: Floats, frame: Floats) -> Floats:
        """The torques in worlds that are about to step, after forces of zero, shape (n, k, 6).

        Args:
            worlds: which step, shape (n,).
            velocity: of all bodies in all worlds, angular first, shape (num_envs, nbody, 6).
            frame: their principal axes, shape (num_envs, nbody, 9).
        """
        turning = velocity[worlds[:, None], self.bodies, :3]
        axes = frame[worlds[:, None], self.bodies]
        inertia = self._parameters.read("body_inertia")[worlds[:, None], self.bodies]
        torque = cross(turning, angular_momentum(turning, axes, inertia))
        return np.concatenate([np.zeros_like(torque), torque], axis=-1)
