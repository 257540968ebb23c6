"""Static friction of joints on a Warp device."""

from __future__ import annotations

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.parameters.warp import WarpParameters
from usdsim.engine.versions import Versions
from usdsim.engine.warp.worlds import WarpWorlds

from . import kernels
from .cpu import FIELD, JointFriction

__all__ = ["WarpFriction"]


class WarpFriction(JointFriction):
    """Static and dynamic friction, chosen between within the recorded step."""

    def __init__(
        self,
        compiled: CompiledModel,
        parameters: WarpParameters,
        versions: Versions,
        worlds: WarpWorlds,
    ):
        super().__init__(compiled, parameters, versions)  # type: ignore[arg-type]
        self._warp_parameters, self._worlds = parameters, worlds
        self._tables: list[wp.array] = []

    def update(self, worlds: NDArray[np.intp] | None) -> None:
        """Upload tables that changed to the device."""
        if not self.active or self._known == self._versions.parameters:
            return
        self._speeds, self._known = self._thresholds(), self._versions.parameters
        speeds = np.full(self._static.shape, np.inf)
        speeds[:, self._dofs] = self._speeds
        tables = [self._static, self._dynamic, speeds]
        if self._tables:
            for array, values in zip(self._tables, tables, strict=True):
                array.assign(values.astype(np.float32))
            return
        self._worlds.generation += 1
        device = self._worlds.device
        self._tables = [
            wp.array(values.astype(np.float32), dtype=wp.float32, device=device)
            for values in tables
        ]

    def set(
        self,
        static: ArrayLike | None,
        dynamic: ArrayLike | None,
        env_ids: NDArray[np.intp] | None,
        dofs: ArrayLike | None,
    ) -> None:
        """Change friction of some worlds and axes; see `JointFriction.set`."""
        super().set(static, dynamic, env_ids, dofs)
        self._warp_parameters.push([FIELD], own=self.active)

    def settle(self, worlds: NDArray[np.intp] | None) -> None:
        """Set the host's parameter to what acts at the host's velocities."""
        super().update(worlds)

    def _store(self, static: NDArray[np.float64], dynamic: NDArray[np.float64]) -> None:
        before = self.active
        super()._store(static, dynamic)
        self._worlds.generation += before != self.active

    def launch(self) -> None:
        """Set the solver's friction to the one that acts, in all worlds."""
        if not self.active:
            return
        m, d = self._worlds.m, self._worlds.d
        wp.launch(
            kernels.act_friction,
            (self._worlds.num_envs, m.nv),
            inputs=[d.qvel, *self._tables],
            outputs=[m.dof_frictionloss],
        )
