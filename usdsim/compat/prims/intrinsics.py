"""Intrinsics of cameras as attributes of USD cameras, under Isaac Lab's name."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["convert_camera_intrinsics_to_usd"]


def convert_camera_intrinsics_to_usd(
    intrinsic_matrix: Sequence[float],
    width: int,
    height: int,
    focal_length: float | None = None,
) -> dict[str, float]:
    """Focal length and apertures of a camera with square pixels and its axis in the middle.

    Args:
        intrinsic_matrix: f_x, 0, c_x, 0, f_y, c_y, 0, 0, 1 [pixels]; the focal length is the
            mean of both, and the axis is in the middle of the image whatever it says.
        width: pixels of a row.
        height: pixels of a column.
        focal_length: focal length of the result; None: the horizontal aperture is 1.

    Returns:
        Focal length, apertures and their offsets by name, in one unit.
    """
    focal = 0.5 * (intrinsic_matrix[0] + intrinsic_matrix[4])
    pixel = 1.0 / width if focal_length is None else focal_length / focal
    return {
        "horizontal_aperture": pixel * width,
        "vertical_aperture": pixel * height,
        "focal_length": pixel * focal,
        "horizontal_aperture_offset": 0.0,
        "vertical_aperture_offset": 0.0,
    }
