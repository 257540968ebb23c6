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

    def __init__(
        self, model: mujoco.MjModel, scene: SceneDescription, names: NameTable, num_envs: int
    ):
        rows = []
        for joint in scene.joints:
            for dof in joint.dofs:
                index = names.find("joint", dof.path)
                if index is None or dof.kind not in ("hinge", "slide"):
                    continue
                if np.isfinite(dof.velocity_limit):
                    rows.append((model.jnt_dofadr[index], dof.velocity_limit))
        self.dofs = np.array([row[0] for row in rows], dtype=np.intp)
        self.limits = np.array([row[1] for row in rows])
        # Room for the test after every step, which looks at all axes to need no gathering.
        self._bounds = np.full(model.nv, np.inf)
        self._bounds[self.dofs] = self.limits
        self._speed = np.empty((num_envs, model.nv))
        self._over = np.empty((num_envs, model.nv), np.bool_)

    def __len__(self) -> int:
        return len(self.dofs)

    def exceeded(self, velocities: NDArray[np.float64]) -> bool:
        """Whether any axis is beyond its limit, given velocities of worlds, shape (n, nv)."""
        count = len(velocities)
        speed, over = self._speed[:count], self._over[:count]
        np.abs(velocities, out=speed)
        np.greater(speed, self._bounds, out=over)
        return bool(np.count_nonzero(over))

    def over(self, velocities: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which axes are beyond their limits, given velocities of shape (..., nv)."""
        return np.asarray(np.abs(velocities) > self._bounds)

    def clamp(
        self, batch: mjbatch.Batch, worlds: NDArray[np.intp], timestep: NDArray[np.float64]
    ) -> NDArray[np.intp]:
        """Enforce the limits in the state of some worlds; returns those that were over one.

        Args:
            batch: the worlds, with kinematics for their state.
            worlds: which of them to look at.
            timestep: of every world of the batch [s].
        """
        positions, velocities = batch.bind("qpos"), batch.bind("qvel")
        speed = velocities[np.ix_(worlds, self.dofs)]
        rows = np.flatnonzero((np.abs(speed) > self.limits).any(axis=1))
        data = mujoco.MjData(batch.model)
        for row in rows:
            world = worlds[row]
            batch.get_data(int(world), data)
            change = self._change(batch.model, data, speed[row])
            velocities[world] -= change
            moved = np.array(positions[world])
            mujoco.mj_integratePos(batch.model, moved, change, -timestep[world])
            positions[world] = moved
        return worlds[rows]

    def _change(
        self, model: mujoco.MjModel, data: mujoco.MjData, speed: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Velocity that joint impulses take out of a world, shape (nv,)."""
        units = np.zeros((len(self.dofs), model.nv))
        units[np.arange(len(self.dofs)), self.dofs] = 1.0
        response = np.zeros_like(units)
        mujoco.mj_solveM(model, data, response, units)
        coupling = response[:, self.dofs]
        target, after = speed.copy(), speed
        impulses = np.zeros(len(speed))
        active = np.zeros(len(speed), np.bool_)
        for _ in self.dofs:
            # Slowing one axis may push another over its limit.
            more = ~active & (np.abs(after) > self.limits)
            if not more.any():
                break
            target[more] = np.clip(after, -self.limits, self.limits)[more]
            active |= more
            block = coupling[np.ix_(active, active)]
            impulses[active] = np.linalg.solve(block, (speed - target)[active])
            after = speed - impulses @ coupling
        return np.asarray(impulses @ response, dtype=np.float64)
