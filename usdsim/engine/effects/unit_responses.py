"""Responses to unit impulses: columns of the inverse mass matrix, on a Warp device."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco_warp as mjw
import warp as wp

from usdsim.engine.warp.worlds import WarpWorlds

from .velocity_limits.kernels import set_unit

__all__ = ["UnitResponses"]


class UnitResponses:
    """Changes of velocity by a unit impulse on each of some degrees of freedom, in all worlds.

    Args:
        worlds: the device's model and data.
        dofs: the degrees of freedom.

    Attributes:
        array: the changes, shape (len(dofs), num_envs, nv).
    """

    def __init__(self, worlds: WarpWorlds, dofs: Sequence[int]):
        self._worlds, self._dofs = worlds, dofs
        shape, device = (worlds.num_envs, worlds.model.nv), worlds.device
        self._unit, self._scratch = (
            wp.zeros(shape, dtype=wp.float32, device=device) for _ in range(2)
        )
        self.array = wp.zeros((len(dofs), *shape), dtype=wp.float32, device=device)

    def launch(self) -> None:
        """Compute them for the inertia that the device has."""
        m, d = self._worlds.m, self._worlds.d
        mjw.factor_m(m, d)
        for row, dof in enumerate(self._dofs):
            wp.launch(set_unit, self._unit.shape, inputs=[dof], outputs=[self._unit])
            mjw.solve_m(m, d, self.array[row], self._unit, self._scratch)
