"""Velocity limits of joints, which the engine itself does not have."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.parser.description import SceneDescription

from .names import NameTable

__all__ = ["VelocityLimits"]


class VelocityLimits:
    """Largest speeds of hinge and slide axes.

    After a step, axes beyond their limits get the joint impulses that bring them back to it. As
    these act between the joint's two bodies, momentum is kept: setting the velocities instead would
    leave the reaction of whatever pushed the joint on its parent. Positions give back what the
    excess has moved them, which is exact for the engine's position update q += h v.
    """

    def __init__(self, model: mujoco.MjModel, scene: SceneDescription, names: NameTable):
        rows = []
        for joint in scene.joints:
            for dof in joint.dofs:
                index = names.find("joint", dof.path)
                if index is None or dof.kind not in ("hinge", "slide"):
                    continue
                if np.isfinite(dof.velocity_limit):
                    rows.append((model.jnt_dofadr[index], dof.velocity_limit))
        self._model = model
        self.dofs = np.array([row[0] for row in rows], dtype=np.intp)
        self.limits = np.array([row[1] for row in rows])

    def __len__(self) -> int:
        return len(self.dofs)

    def clamp(self, batch: mjbatch.Batch, timestep: NDArray[np.float64]) -> NDArray[np.intp]:
        """Enforce the limits in the worlds' state; returns the worlds that were over one."""
        speed = batch.bind("qvel")[:, self.dofs]
        over = np.abs(speed) > self.limits
        if not over.any():
            return np.zeros(0, np.intp)
        excess = speed - np.clip(speed, -self.limits, self.limits)
        worlds = np.flatnonzero(over.any(axis=1))
        data = mujoco.MjData(self._model)
        for world in worlds:
            batch.get_data(int(world), data)
            change = self._impulses(data, over[world], excess[world])
            batch.bind("qvel")[world] -= change
            moved = np.array(batch.bind("qpos")[world])
            mujoco.mj_integratePos(self._model, moved, change, -timestep[world])
            batch.bind("qpos")[world] = moved
        return worlds

    def _impulses(
        self, data: mujoco.MjData, over: NDArray[np.bool_], excess: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Velocity that joint impulses take out of a world, shape (nv,)."""
        dofs = self.dofs[over]
        units = np.zeros((len(dofs), self._model.nv))
        units[np.arange(len(dofs)), dofs] = 1.0
        response = np.zeros_like(units)
        mujoco.mj_solveM(self._model, data, response, units)
        impulses = np.linalg.solve(response[:, dofs], excess[over])
        return np.asarray(impulses @ response, dtype=np.float64)
