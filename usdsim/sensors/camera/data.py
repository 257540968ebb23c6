"""Camera data: images, poses and intrinsics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import warp as wp

__all__ = ["CameraData"]


@dataclass(kw_only=True, eq=False)
class CameraData:
    """Arrays of a camera. N instances; images are H high and W wide, top row first."""

    pos_w: wp.array
    """Position, world [m], vec3f, shape (N,)."""
    quat_w_opengl: wp.array
    """Orientation of the frame that looks along -z with +y up, world, xyzw, quatf, shape (N,)."""
    quat_w_ros: wp.array
    """Orientation of the frame that looks along +z with -y up, world, xyzw, quatf, shape (N,)."""
    quat_w_world: wp.array
    """Orientation of the frame that looks along +x with +z up, world, xyzw, quatf, shape (N,)."""
    image_shape: tuple[int, int]
    """Height and width of images [pixels]."""
    intrinsic_matrices: wp.array
    """Focal lengths and principal point [pixels], mat33f, shape (N,)."""
    output: dict[str, wp.array]
    """Images by data type, shape (N, H, W, channels)."""
    info: dict[str, Any] = field(default_factory=dict)
    """Of segmentations, what each number stands for: ``info[type]["idToLabels"]``."""
