"""Inverse mass matrix of some degrees of freedom in the worlds of a Warp device."""

from __future__ import annotations

import mujoco_warp as mjw
import warp as wp

from usdsim.engine.warp.worlds import WarpWorlds

from .kernels import add_to_diagonal, next_column

__all__ = ["InverseMass"]


class InverseMass:
    """Inverse mass matrix of some degrees of freedom, and changes of velocity by impulses.

    Args:
        worlds: the device's model and data.
        dofs: the degrees of freedom, int32, shape (n,).
        added: what the mass matrix gets on its diagonal, for each degree of freedom, shape
            (num_envs, nv) or (1, nv); None: nothing.

    Attributes:
        block: what unit impulses on each of them do to all of them, shape (num_envs, n, n).
        impulses: impulses on all degrees of freedom, shape (num_envs, nv); see `solve`.
        change: changes of velocity by them, shape (num_envs, nv).
    """

    def __init__(self, worlds: WarpWorlds, dofs: wp.array, added: wp.array | None = None):
        self._worlds, self._dofs, self._added = worlds, dofs, added
        self._inertia = None if added is None else wp.zeros_like(worlds.d.M)
        shape, device = (worlds.num_envs, worlds.model.nv), worlds.device
        self.impulses, self.change, self._scratch = (
            wp.zeros(shape, dtype=wp.float32, device=device) for _ in range(3)
        )
        self.block = wp.zeros((shape[0], len(dofs), len(dofs)), dtype=wp.float32, device=device)

    def launch(self) -> None:
        """Compute `block` for the inertia that the device has; what is added stays until `end`."""
        m, d = self._worlds.m, self._worlds.d
        if self._added is not None:
            wp.copy(self._inertia, d.M)
            tables = m.M_rowadr, m.M_rownnz, self._added
            wp.launch(add_to_diagonal, self.change.shape, inputs=tables, outputs=[d.M])
        mjw.factor_m(m, d)
        for done in range(-1, len(self._dofs)):
            wp.launch(
                next_column,
                self.change.shape,
                inputs=[self._dofs, done, self.change],
                outputs=[self.impulses, self.block],
            )
            if done + 1 < len(self._dofs):
                self.solve()

    def end(self) -> None:
        """Restore the inertia that the device had."""
        if self._added is not None:
            wp.copy(self._worlds.d.M, self._inertia)
            mjw.factor_m(self._worlds.m, self._worlds.d)

    def solve(self) -> None:
        """Compute `change` for `impulses`; the impulses are zero after `launch`."""
        mjw.solve_m(self._worlds.m, self._worlds.d, self.change, self.impulses, self._scratch)
