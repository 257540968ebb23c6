"""Sensors that add up forces on a Warp device, where nothing clears or limits them."""

from __future__ import annotations

import mujoco
import numpy as np
import warp as wp

from . import kernels
from .worlds import WarpWorlds

__all__ = ["WarpSums"]

_TOUCH = int(mujoco.mjtSensor.mjSENS_TOUCH)


class WarpSums:
    """Does what the device's own kernels leave out about such sensors.

    Args:
        worlds: the device's model and data; another one is needed when its arrays are replaced.
    """

    def __init__(self, worlds: WarpWorlds):
        self._worlds, model, device = worlds, worlds.model, worlds.device
        stages = np.repeat(model.sensor_needstage, model.sensor_dim)
        columns = np.flatnonzero(stages == mujoco.mjtStage.mjSTAGE_ACC).astype(np.int32)
        self._columns = wp.array(columns, dtype=wp.int32, device=device)
        limited = (model.sensor_type == _TOUCH) & (model.sensor_cutoff > 0.0)
        touches = model.sensor_adr[limited].astype(np.int32)
        cutoffs = model.sensor_cutoff[limited].astype(np.float32)
        self._touches = wp.array(touches, dtype=wp.int32, device=device)
        self._cutoffs = wp.array(cutoffs, dtype=wp.float32, device=device)

    def clear(self) -> None:
        """Clear the sensors before the forces of a step are computed."""
        if self._columns.size:
            wp.launch(
                kernels.clear_columns,
                (self._worlds.num_envs, self._columns.size),
                inputs=[self._columns],
                outputs=[self._worlds.d.sensordata],
            )

    def limit(self) -> None:
        """Clip touch sensors to their cutoffs, once all contacts are added up."""
        if self._touches.size:
            wp.launch(
                kernels.limit_columns,
                (self._worlds.num_envs, self._touches.size),
                inputs=[self._touches, self._cutoffs],
                outputs=[self._worlds.d.sensordata],
            )
