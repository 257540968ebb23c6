"""Inverse mass matrix of some degrees of freedom in the worlds of a Warp device."""

from __future__ import annotations

import mujoco_warp as mjw
import warp as wp

from usdsim.engine.warp.worlds import WarpWorlds

from .kernels import next_column

__all__ = ["InverseMass"]


class InverseMass:
    """Inverse mass matrix of some degrees of freedom, and changes of velocity by impulses.

    Args:
        worlds: the device's model and data.
        dofs: the degrees of freedom, int32, shape (n,).

    Attributes:
        block: what unit impulses on each of them do to all of them, shape (num_envs, n, n).
        impulses: impulses on all degrees of freedom, shape (num_envs, nv); see `solve`.
        change: changes of velocity by them, shape (num_envs, nv).
    """

    def __init__(self, worlds: WarpWorlds, dofs: wp.array):
        self._worlds, self._dofs = worlds, dofs
        shape, device = (worlds.num_envs, worlds.model.nv), worlds.device
        self.impulses, self.change, self._scratch = (
            wp.zeros(shape, dtype=wp.float32, device=device) for _ in range(3)
        )
        self.block = wp.zeros((shape[0], len(dofs), len(dofs)), dtype=wp.float32, device=device)

    def launch(self) -> None:
        """Compute `block` for the inertia that the device has."""
        mjw.factor_m(self._worlds.m, self._worlds.d)
        for done in range(-1, len(self._dofs)):
            wp.launch(
                next_column,
                self.change.shape,
                inputs=[self._dofs, done, self.change],
                outputs=[self.impulses, self.block],
            )
            if done + 1 < len(self._dofs):
                self.solve()

    def solve(self) -> None:
        """Compute `change` for `impulses`; the impulses are zero after `launch`."""
        mjw.solve_m(self._worlds.m, self._worlds.d, self.change, self.impulses, self._scratch)
