"""Positions and orientations as parts of the poses a kernel writes."""

from __future__ import annotations

from typing import Any

import warp as wp

from usdsim.views.memory import part_of

__all__ = ["pose_parts"]


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
