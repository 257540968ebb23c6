"""Cameras."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from pxr import Usd

from usdsim.core.arguments import choice
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.usd.attributes import author

from .cfg import SpawnerCfg
from .spawner import SpawnPoint, spawner

__all__ = ["FisheyeCameraCfg", "PinholeCameraCfg", "spawn_camera"]

_CAMERA = {
    "clipping_range": ("clippingRange", "float2"),
    "focal_length": ("focalLength", "float"),
    "focus_distance": ("focusDistance", "float"),
    "f_stop": ("fStop", "float"),
    "horizontal_aperture": ("horizontalAperture", "float"),
    "vertical_aperture": ("verticalAperture", "float"),
    "horizontal_aperture_offset": ("horizontalApertureOffset", "float"),
    "vertical_aperture_offset": ("verticalApertureOffset", "float"),
}
_FISHEYE = {
    "fisheye_nominal_width": "fthetaWidth",
    "fisheye_nominal_height": "fthetaHeight",
    "fisheye_optical_centre_x": "fthetaCx",
    "fisheye_optical_centre_y": "fthetaCy",
    "fisheye_max_fov": "fthetaMaxFov",
    "fisheye_polynomial_a": "fthetaPolyA",
    "fisheye_polynomial_b": "fthetaPolyB",
    "fisheye_polynomial_c": "fthetaPolyC",
    "fisheye_polynomial_d": "fthetaPolyD",
    "fisheye_polynomial_e": "fthetaPolyE",
    "fisheye_polynomial_f": "fthetaPolyF",
}
FisheyeProjection = Literal[
    "fisheyePolynomial",
    "fisheyeSpherical",
    "fisheyeKannalaBrandtK3",
    "fisheyeRadTanThinPrism",
    "fisheyeOrthographic",
]
_PROJECTIONS = ("pinhole", *get_args(FisheyeProjection))


@spawner
def spawn_camera(at: SpawnPoint, cfg: PinholeCameraCfg) -> Usd.Prim:
    """Spawn a camera that looks along -z with +y up."""
    choice(f"{type(cfg).__name__}.projection_type", cfg.projection_type, _PROJECTIONS)
    prim = at.define("Camera")
    for field, (name, kind) in _CAMERA.items():
        value = getattr(cfg, field)
        if value is not None:
            author(prim, name, kind, value)
    author(prim, "omni:kit:cameraLock", "bool", cfg.lock_camera, custom=True)
    if isinstance(cfg, FisheyeCameraCfg):
        author(prim, "cameraProjectionType", "token", cfg.projection_type, custom=True)
        for field, name in _FISHEYE.items():
            author(prim, name, "float", getattr(cfg, field), custom=True)
    return prim


@dataclass(kw_only=True)
class PinholeCameraCfg(SpawnerCfg):
    """A camera without lens distortion. Lens lengths are in tenths of a stage unit."""

    func: Callable[..., Usd.Prim] = spawn_camera
    projection_type: str = "pinhole"
    clipping_range: Sequence[float] = (0.01, 1.0e6)
    """Nearest and farthest visible distance, in stage units."""
    focal_length: float = 24.0
    """Focal length."""
    focus_distance: float = 400.0
    """Distance in focus, in stage units."""
    f_stop: float = 0.0
    """Aperture number; 0: everything is in focus."""
    horizontal_aperture: float = 20.955
    """Width of the sensor."""
    vertical_aperture: float | None = None
    """Height of the sensor; None: as the image's aspect ratio has it."""
    horizontal_aperture_offset: float = 0.0
    vertical_aperture_offset: float = 0.0
    lock_camera: bool = True
    """Whether viewers keep the camera where it is."""

    @classmethod
    def from_intrinsic_matrix(
        cls,
        intrinsic_matrix: ArrayLike,
        width: int,
        height: int,
        clipping_range: Sequence[float] = (0.01, 1.0e6),
        focal_length: float | None = None,
        focus_distance: float = 400.0,
        f_stop: float = 0.0,
        projection_type: str = "pinhole",
        lock_camera: bool = True,
    ) -> PinholeCameraCfg:
        """The camera with an intrinsic matrix.

        Args:
            intrinsic_matrix: fx, 0, cx, 0, fy, cy, 0, 0, 1 in pixels, shape (9,) or (3, 3).
            width: image width in pixels.
            height: image height in pixels.
            clipping_range: nearest and farthest visible distance, in stage units.
            focal_length: focal length; None: one pixel is as wide as one unit of length.
            focus_distance: distance in focus, in stage units.
            f_stop: aperture number.
            projection_type: kind of projection.
            lock_camera: whether viewers keep the camera where it is.

        Raises:
            ShapeError: the matrix does not have nine numbers.
            InvalidValueError: fx and fy differ, which no camera prim can express.
        """
        k = np.asarray(intrinsic_matrix, dtype=np.float64)
        if k.size != 9:
            raise ShapeError("intrinsic_matrix", k.shape, "(9,) or (3, 3)")
        k = k.reshape(3, 3)
        fx, fy, cx, cy = k[0, 0], k[1, 1], k[0, 2], k[1, 2]
        if not (fx > 0.0 and abs(fx - fy) <= 1e-3 * fx):
            raise InvalidValueError(
                "intrinsic_matrix",
                [fx, fy],
                "equal positive focal lengths fx and fy",
                "Camera prims have square pixels.",
            )
        pixel = 1.0 if focal_length is None else focal_length / fx
        return cls(
            projection_type=projection_type,
            clipping_range=clipping_range,
            focal_length=float(fx * pixel),
            focus_distance=focus_distance,
            f_stop=f_stop,
            horizontal_aperture=float(width * pixel),
            vertical_aperture=float(height * pixel),
            horizontal_aperture_offset=float((0.5 * width - cx) * pixel),
            vertical_aperture_offset=float((cy - 0.5 * height) * pixel),
            lock_camera=lock_camera,
        )


@dataclass(kw_only=True)
class FisheyeCameraCfg(PinholeCameraCfg):
    """A camera with a fisheye lens, for renderers that have them."""

    projection_type: FisheyeProjection = "fisheyePolynomial"
    fisheye_nominal_width: float = 1936.0
    """Width of the calibrated image in pixels."""
    fisheye_nominal_height: float = 1216.0
    """Height of the calibrated image in pixels."""
    fisheye_optical_centre_x: float = 970.94244
    fisheye_optical_centre_y: float = 600.37482
    fisheye_max_fov: float = 200.0
    """Largest field of view [deg]."""
    fisheye_polynomial_a: float = 0.0
    fisheye_polynomial_b: float = 0.00245
    fisheye_polynomial_c: float = 0.0
    fisheye_polynomial_d: float = 0.0
    fisheye_polynomial_e: float = 0.0
    fisheye_polynomial_f: float = 0.0
