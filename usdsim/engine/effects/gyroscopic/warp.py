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

    Attributes:
        active: whether there are any.
    """

    def __init__(self, compiled: CompiledModel, worlds: WarpWorlds):
        self._worlds, bodies = worlds, steady_bodies(compiled)
        self.active = len(bodies) > 0
        self._bodies = wp.array(bodies.astype(np.int32), dtype=wp.int32, device=worlds.device)

    def launch(self, chosen: wp.array) -> None:
        """Add the torques in worlds that are about to step; the device has their motion."""
        m, d = self._worlds.m, self._worlds.d
        wp.launch(
            kernels.apply_torques,
            (self._worlds.num_envs, len(self._bodies)),
            inputs=[self._bodies, m.body_inertia, chosen, d.cvel, d.ximat],
            outputs=[d.xfrc_applied],
        )
