"""Gyroscopic torque that some bodies do not feel, on a Warp device."""

from __future__ import annotations

import numpy as np
import warp as wp

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.warp.worlds import WarpWorlds

from . import kernels
from .cpu import steady_bodies

__all__ = ["WarpGyroscopicTorques"]


class WarpGyroscopicTorques:
    """Torques within the recorded step that make up for gyroscopic ones; see `GyroscopicTorques`.

    Args:
        compiled: the model.
        worlds: the device's model and data.
    """

    def __init__(self, compiled: CompiledModel, worlds: WarpWorlds):
        self._worlds, bodies = worlds, steady_bodies(compiled)
        self._shape, device = (worlds.num_envs, len(bodies)), worlds.device
        self._bodies = wp.array(bodies.astype(np.int32), dtype=wp.int32, device=device)
        self._before = wp.zeros(self._shape, dtype=wp.spatial_vectorf, device=device)

    def begin(self, chosen: wp.array) -> None:
        """Apply the torques in worlds that are about to step; the device has their motion."""
        if self._shape[1]:
            m, d = self._worlds.m, self._worlds.d
            wp.launch(
                kernels.apply_torques,
                self._shape,
                inputs=[self._bodies, m.body_inertia, chosen, d.cvel, d.ximat],
                outputs=[self._before, d.xfrc_applied],
            )

    def end(self) -> None:
        """Restore the forces that programs apply, after the step."""
        if self._shape[1]:
            wp.launch(
                kernels.restore_torques,
                self._shape,
                inputs=[self._bodies, self._before],
                outputs=[self._worlds.d.xfrc_applied],
            )
