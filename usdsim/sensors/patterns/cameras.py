"""Camera patterns: rays through the pixels of a camera."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from usdsim.core.arguments import number, table, whole
from usdsim.core.errors import InvalidValueError

from .pattern_cfg import (
    Array,
    PatternBaseCfg,
    PatternFunction,
    Rays,
    ray_arrays,
)

__all__ = ["PinholeCameraPatternCfg", "pinhole_camera_pattern"]


def pinhole_camera_pattern(
    cfg: PinholeCameraPatternCfg, intrinsic_matrices: Any = None, device: Any = None
) -> Rays:
    """Rays through the centres of pixels, row by row; see `PinholeCameraPatternCfg`.

    Args:
        cfg: the camera.
        intrinsic_matrices: calibration matrices of several cameras of its size [pixel], shape
            (n, 3, 3), whose rays have the shape (n, rays, 3); None: that of `cfg`. A device may be
            given in their place.
        device: where torch tensors of the rays live; None: arrays in NumPy.
    """
    if isinstance(intrinsic_matrices, str):
        intrinsic_matrices, device = None, intrinsic_matrices
    given = cfg.intrinsic_matrix() if intrinsic_matrices is None else intrinsic_matrices
    matrices = np.asarray(given, np.float64).reshape(-1, 3, 3)
    columns, rows = np.meshgrid(np.arange(cfg.width) + 0.5, np.arange(cfg.height) + 0.5)
    pixels = np.stack([columns, rows, np.ones_like(rows)], axis=-1).reshape(-1, 3)
    right, down, ahead = np.moveaxis(pixels @ np.linalg.inv(matrices).transpose(0, 2, 1), -1, 0)
    directions = np.stack([ahead, -right, -down], axis=-1)
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    if intrinsic_matrices is None:
        directions = directions[0]
    return ray_arrays(np.zeros_like(directions), directions, device)


@dataclass(kw_only=True)
class PinholeCameraPatternCfg(PatternBaseCfg):
    """A camera that looks along x, with y to the left and z up."""

    func: PatternFunction = pinhole_camera_pattern
    """Computes the rays."""
    focal_length: float = 24.0
    """Distance from the pinhole to the image, in the unit of the apertures."""
    horizontal_aperture: float = 20.955
    """Width of the image."""
    vertical_aperture: float | None = None
    """Height of the image; None: pixels are square."""
    horizontal_aperture_offset: float = 0.0
    """Offset of the image's centre to the right of the axis."""
    vertical_aperture_offset: float = 0.0
    """Offset of the image's centre below the axis."""
    width: int = 64
    """Number of columns."""
    height: int = 48
    """Number of rows."""

    def validate(self) -> None:
        """Check every value; see `PatternBaseCfg.validate`."""
        super().validate()
        title = type(self).__name__
        names = ["focal_length", "horizontal_aperture"]
        names += ["vertical_aperture"] if self.vertical_aperture is not None else []
        for name in names:
            number(f"{title}.{name}", getattr(self, name))
        for name in ("horizontal_aperture_offset", "vertical_aperture_offset"):
            number(f"{title}.{name}", getattr(self, name), -np.inf)
        for name in ("width", "height"):
            whole(f"{title}.{name}", getattr(self, name), 1)

    def intrinsic_matrix(self) -> Array:
        """Matrix from camera coordinates (right, down, ahead) to pixels, shape (3, 3)."""
        across = self.horizontal_aperture
        down = self.vertical_aperture
        if down is None:
            down = across * self.height / self.width
        fx, fy = self.width * self.focal_length / across, self.height * self.focal_length / down
        cx = 0.5 * self.width + self.horizontal_aperture_offset * fx / self.focal_length
        cy = 0.5 * self.height + self.vertical_aperture_offset * fy / self.focal_length
        return np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])

    @classmethod
    def from_intrinsic_matrix(
        cls,
        intrinsic_matrix: Sequence[float] | Array,
        width: int,
        height: int,
        focal_length: float = 24.0,
    ) -> PinholeCameraPatternCfg:
        """A camera with a given matrix.

        Args:
            intrinsic_matrix: as `intrinsic_matrix` returns it, or its nine numbers row by row.
            width: number of columns.
            height: number of rows.
            focal_length: distance from the pinhole to the image.

        Raises:
            InvalidValueError: the matrix has a skew, or a focal length that is not above 0.
        """
        what = "intrinsic_matrix"
        flat = table(what, np.ravel(np.asarray(intrinsic_matrix)), (9,))
        fx, skew, cx, zero, fy, cy = flat[:6]
        if skew or zero or fx <= 0.0 or fy <= 0.0:
            allowed = "[fx, 0, cx, 0, fy, cy, 0, 0, 1] with fx and fy above 0"
            raise InvalidValueError(what, flat.tolist(), allowed)
        return cls(
            focal_length=focal_length,
            horizontal_aperture=float(width * focal_length / fx),
            vertical_aperture=float(height * focal_length / fy),
            horizontal_aperture_offset=float((cx - 0.5 * width) * focal_length / fx),
            vertical_aperture_offset=float((cy - 0.5 * height) * focal_length / fy),
            width=width,
            height=height,
        )
