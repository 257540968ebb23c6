"""Joints that break, on a Warp device."""

from __future__ import annotations

import numpy as np
import warp as wp

from usdsim.engine.warp.worlds import WarpWorlds

from . import kernels
from .cpu import Breakable

__all__ = ["WarpBreaking"]


class WarpBreaking:
    """Drops constraints that bore too much within the recorded step; see `break_overloaded`.

    Args:
        breakable: the joints.
        worlds: the device's model and data.
    """

    def __init__(self, breakable: Breakable, worlds: WarpWorlds):
        self._worlds, self._count, device = worlds, len(breakable), worlds.device
        self._tables = [
            wp.array(values.astype(kind), dtype=dtype, device=device)
            for values, kind, dtype in (
                (breakable.equalities, np.int32, wp.int32),
                (breakable.columns, np.int32, wp.int32),
                (breakable.limits, np.float32, wp.float32),
            )
        ]

    def launch(self, chosen: wp.array) -> None:
        """Break joints of worlds that just stepped, before their constraints are set up anew."""
        if not self._count:
            return
        d = self._worlds.d
        wp.launch(
            kernels.break_joints,
            (self._worlds.num_envs, self._count),
            inputs=[*self._tables, chosen, d.sensordata],
            outputs=[d.eq_active],
        )
