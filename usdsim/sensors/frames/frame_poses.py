"""Frame poses: where frames fixed to bodies are, and their positions and orientations."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.base import Engine
from usdsim.sensors.common.kernel_pass import KernelPass, Rows
from usdsim.sensors.common.kernels import poses
from usdsim.views.memory import part_of

__all__ = ["FramePoses", "pose_parts"]


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


def pose_parts(pose: wp.array, *, flat: bool = False) -> tuple[wp.array, wp.array]:
    """Positions and orientations in the memory of poses.

    Args:
        pose: transformf, shape (num_instances, frames).
        flat: whether there is one frame, so that the results have no axis for frames.

    Returns:
        vec3f and quatf (xyzw), shape (num_instances, frames), or (num_instances,) if `flat`.
    """
    axes = 1 if flat else 2

    def part(dtype: Any, first: int) -> wp.array:
        return part_of(pose, dtype, pose.shape[:axes], pose.strides[:axes], first)

    return part(wp.vec3f, 0), part(wp.quatf, 12)
