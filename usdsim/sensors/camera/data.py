"""Camera data: images, poses and intrinsics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from usdsim.views.usable import UsableArray

__all__ = ["CameraData"]


@dataclass(kw_only=True, eq=False)
class CameraData:
    """Arrays of a camera. N instances; images are H high and W wide, top row first."""

    pos_w: UsableArray
    """Position, world [m], vec3f, shape (N,)."""
    quat_w_opengl: UsableArray
    """Orientation of the frame that looks along -z with +y up, world, xyzw, quatf, shape (N,)."""
    quat_w_ros: UsableArray
    """Orientation of the frame that looks along +z with -y up, world, xyzw, quatf, shape (N,)."""
    quat_w_world: UsableArray
    """Orientation of the frame that looks along +x with +z up, world, xyzw, quatf, shape (N,)."""
    image_shape: tuple[int, int]
    """Height and width of images [pixels]."""
    intrinsic_matrices: UsableArray
    """Focal lengths and principal point [pixels], mat33f, shape (N,)."""
    output: dict[str, UsableArray]
    """Images by data type, shape (N, H, W, channels)."""
    info: dict[str, Any] = field(default_factory=dict)
    """Labels of segmentations, what each number stands for: ``info[type]["idToLabels"]``; None for
    other types of images."""
