"""Computing the poses of frames fixed to bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.base import Engine
from usdsim.sensors.common.kernel_pass import KernelPass, Rows
from usdsim.sensors.common.kernels import poses

__all__ = ["FramePoses"]


class FramePoses:
    """Poses in world of the frames of each instance.

    Args:
        engine: the worlds.
        bodies: engine bodies they are fixed to, shape (matches, frames).
        offsets: poses in the bodies' frames (x, y, z, qx, qy, qz, qw) [m], what broadcasts to
            (num_envs, matches, frames, 7).

    Attributes:
        count: number of instances.
        poses: the poses, transformf, shape (count, frames).
        bodies: the bodies, shape (matches, frames).
        offsets: the offsets, transformf, shape (count, frames).
        shift: what is added to positions in world [m], vec3f, shape (count,).
    """

    def __init__(self, engine: Engine, bodies: NDArray[Any], offsets: NDArray[np.float64]):
        device = engine.device
        full = np.broadcast_to(offsets, (engine.num_envs, *bodies.shape, 7))
        size = (engine.num_envs * bodies.shape[0], bodies.shape[1])
        self.count = size[0]
        self.bodies = wp.array(bodies.astype(np.int32), dtype=wp.int32, device=device)
        table = np.ascontiguousarray(full.reshape(*size, 7), dtype=np.float32)
        self.offsets = wp.array(table, dtype=wp.transformf, device=device)
        self.shift = wp.zeros(size[0], dtype=wp.vec3f, device=device)
        self.poses = wp.zeros(size, dtype=wp.transformf, device=device)
        self._pass = KernelPass(
            engine,
            poses,
            size[0],
            size[1:],
            ["xpos", "xquat", self.bodies, self.offsets, self.shift],
            [self.poses],
        )

    def run(self, rows: Rows = None) -> None:
        """Compute the poses of some instances; None: all."""
        self._pass.run(rows)
