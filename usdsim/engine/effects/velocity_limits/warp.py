"""Velocity limits of joints on a Warp device."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.effects.inverse_mass.warp import InverseMass
from usdsim.engine.warp.worlds import WarpWorlds

from . import kernels
from .cpu import VelocityLimits

__all__ = ["WarpVelocityLimits"]


class WarpVelocityLimits(VelocityLimits):
    """Velocity limits that act within the recorded step.

    As on the CPU, joint impulses take out the excess. They follow from the inertia at the start of
    the step, which is the one the step itself used.
    """

    def __init__(self, compiled: CompiledModel, worlds: WarpWorlds):
        self._worlds = worlds
        self._beyond = wp.zeros(worlds.num_envs, dtype=wp.bool, device=worlds.device)
        self._arrays: dict[str, Any] = {}
        super().__init__(compiled, worlds.num_envs)

    def _store(self, values: NDArray[np.float64]) -> None:
        before = getattr(self, "dofs", None)
        super()._store(values)
        worlds, count = self._worlds, len(self.dofs)
        if before is not None and np.array_equal(before, self.dofs):
            if count:
                self._arrays["limits"].assign(values.astype(np.float32))
            return
        worlds.generation += 1
        if not count:
            return
        n, device = worlds.num_envs, worlds.device
        dofs = wp.array(self.dofs.astype(np.int32), dtype=wp.int32, device=device)
        self._inverse_mass = InverseMass(worlds, dofs)
        self._arrays = {
            "limits": wp.array(values.astype(np.float32), dtype=wp.float32, device=device),
            "dofs": dofs,
            "active": wp.zeros((n, count), dtype=wp.int32, device=device),
            "diagonal": wp.zeros((n, count), dtype=wp.float32, device=device),
            "impulse": wp.zeros((n, count), dtype=wp.float32, device=device),
        }

    @property
    def watched(self) -> tuple[Any, Any]:
        """Limits [m/s or rad/s] and where worlds beyond one are marked; None: there are none.

        Shapes (num_envs, nv) and (num_envs,).
        """
        return (self._arrays["limits"], self._beyond) if len(self) else (None, None)

    def enforce(self, lost: wp.array) -> None:
        """Reduce velocities of marked worlds to their limits, before kinematics are computed.

        Args:
            lost: worlds that diverged in this step, which start anew instead.
        """
        if not len(self):
            return
        arrays, m, d = self._arrays, self._worlds.m, self._worlds.d
        inverse, count = self._inverse_mass, self._worlds.num_envs
        inverse.launch()
        wp.launch(
            kernels.limiting_impulses,
            count,
            inputs=[arrays["dofs"], lost, arrays["limits"], d.qvel],
            outputs=[
                self._beyond,
                arrays["active"],
                arrays["diagonal"],
                arrays["impulse"],
                inverse.block,
                inverse.impulses,
            ],
        )
        inverse.solve()
        wp.launch(
            kernels.slow_down,
            (count, m.nv),
            inputs=[self._beyond, arrays["limits"], inverse.change],
            outputs=[d.qvel],
        )
        tables = m.opt.timestep, m.jnt_type, m.jnt_qposadr, m.jnt_dofadr
        wp.launch(
            kernels.move_back,
            (count, m.njnt),
            inputs=[*tables, self._beyond, inverse.change],
            outputs=[d.qpos],
        )
        self._beyond.zero_()
