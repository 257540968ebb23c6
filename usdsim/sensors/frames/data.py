"""Frame transformer data."""

from __future__ import annotations

from dataclasses import dataclass

import warp as wp

__all__ = ["FrameTransformerData"]


@dataclass(kw_only=True, eq=False)
class FrameTransformerData:
    """Poses of a source frame and of target frames. N instances, M target frames."""

    target_frame_names: list[str]
    """Names of the target frames, in the order of arrays."""
    source_pos_w: wp.array
    """Position of the source frame, world [m], vec3f, shape (N,)."""
    source_quat_w: wp.array
    """Orientation of the source frame, world, xyzw, quatf, shape (N,)."""
    target_pos_w: wp.array
    """Positions of the target frames, world [m], vec3f, shape (N, M)."""
    target_quat_w: wp.array
    """Orientations of the target frames, world, xyzw, quatf, shape (N, M)."""
    target_pos_source: wp.array
    """Positions of the target frames in the source frame [m], vec3f, shape (N, M)."""
    target_quat_source: wp.array
    """Orientations of the target frames in the source frame, xyzw, quatf, shape (N, M)."""
