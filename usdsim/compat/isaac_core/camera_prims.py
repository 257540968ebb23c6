"""Camera prims of Isaac Sim: poses by names of axes, lenses, and the way to pixels and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import UsdGeom

from usdsim.core.arguments import choice
from usdsim.math.rotations import (
    quat_apply,
    quat_conjugate,
    quat_from_wxyz,
    quat_multiply,
    quat_to_wxyz,
)
from usdsim.render.views import View
from usdsim.sensors.camera.conventions import CONVENTIONS, Convention
from usdsim.sensors.camera.lenses import lens_of
from usdsim.usd.queries import path_below
from usdsim.usd.stage import current_stage

from .backends import rows
from .singles import SingleXFormPrim

__all__ = ["CameraPrim"]

_AXES: dict[str, Convention] = {"world": "world", "ros": "ros", "usd": "opengl"}
"""Conventions by the names of axes."""

_TENTHS = 10.0
"""Apertures and focal lengths on the stage are in tenths of its unit."""


class CameraPrim(SingleXFormPrim):
    """One camera prim, which is made if there is none.

    Pixels are square: the vertical aperture follows the horizontal one.

    Args:
        prim_path: its path.
        name: what it is called.
        frequency: accepted, as pictures show what is there when they are read.
        dt: accepted.
        resolution: width and height of pictures [pixels]; None: 128 each.
        position: in world [stage units], shape (3,); None: as it is.
        orientation: wxyz, of the axes that look along +x with +z up; None: as it is.
        translation: in the parent's frame, instead of `position`.
        **others: accepted.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "camera",
        frequency: int | None = None,
        dt: float | None = None,
        resolution: Sequence[int] | None = None,
        position: Any = None,
        orientation: Any = None,
        translation: Any = None,
        **others: Any,
    ):
        stage = current_stage()
        path = path_below(stage, str(prim_path))
        if not stage.GetPrimAtPath(path):
            UsdGeom.Camera.Define(stage, path)
            orientation = (1.0, 0.0, 0.0, 0.0) if orientation is None else orientation
        super().__init__(prim_path, name)
        self.set_resolution(resolution or (128, 128))
        if position is not None:
            self.set_world_pose(position, orientation)
        elif not (translation is None and orientation is None):
            self.set_local_pose(translation, orientation)

    # -- poses ---------------------------------------------------------------------------------

    def get_world_pose(self, camera_axes: str = "world") -> tuple[Any, Any]:
        """Position in world [stage units] and orientation wxyz of axes of the camera.

        Args:
            camera_axes: ``world``, along +x with +z up; ``ros``, along +z with -y up; or ``usd``,
                along -z with +y up.
        """
        return _pose_told(self.view.get_world_poses(), camera_axes)

    def set_world_pose(
        self, position: Any = None, orientation: Any = None, camera_axes: str = "world"
    ) -> None:
        """Place it in world; see `get_world_pose`. None: as it is."""
        self.view.set_world_poses(*_pose_given(position, orientation, camera_axes))

    def get_local_pose(self, camera_axes: str = "world") -> tuple[Any, Any]:
        """Pose in the parent's frame; see `get_world_pose`."""
        return _pose_told(self.view.get_local_poses(), camera_axes)

    def set_local_pose(
        self, translation: Any = None, orientation: Any = None, camera_axes: str = "world"
    ) -> None:
        """Place it in the parent's frame; see `get_world_pose`. None: as it is."""
        self.view.set_local_poses(*_pose_given(translation, orientation, camera_axes))

    # -- lens ----------------------------------------------------------------------------------

    def get_resolution(self) -> tuple[int, int]:
        """Width and height of pictures [pixels]."""
        return self._size

    def set_resolution(self, value: Sequence[int], maintain_square_pixels: bool = True) -> None:
        """Set width and height of pictures [pixels]."""
        self._size = int(value[0]), int(value[1])
        if maintain_square_pixels:
            self.set_horizontal_aperture(self.get_horizontal_aperture())

    def get_focal_length(self) -> float:
        """Focal length [stage units]."""
        return float(self.prim.GetAttribute("focalLength").Get()) / _TENTHS

    def set_focal_length(self, value: float) -> None:
        """Set the focal length [stage units]."""
        self.prim.GetAttribute("focalLength").Set(float(value) * _TENTHS)

    def get_horizontal_aperture(self) -> float:
        """Width of the sensor [stage units]."""
        return float(self.prim.GetAttribute("horizontalAperture").Get()) / _TENTHS

    def set_horizontal_aperture(self, value: float, maintain_square_pixels: bool = True) -> None:
        """Set the width of the sensor [stage units], and its height so that pixels are square."""
        self.prim.GetAttribute("horizontalAperture").Set(float(value) * _TENTHS)
        if maintain_square_pixels:
            self.set_vertical_aperture(value * self._size[1] / self._size[0], False)

    def get_vertical_aperture(self) -> float:
        """Height of the sensor [stage units]."""
        return float(self.prim.GetAttribute("verticalAperture").Get()) / _TENTHS

    def set_vertical_aperture(self, value: float, maintain_square_pixels: bool = True) -> None:
        """Set the height of the sensor [stage units], and its width so that pixels are square."""
        self.prim.GetAttribute("verticalAperture").Set(float(value) * _TENTHS)
        if maintain_square_pixels:
            self.set_horizontal_aperture(value * self._size[0] / self._size[1], False)

    def get_clipping_range(self) -> tuple[float, float]:
        """Nearest and farthest distance that is seen [stage units]."""
        near, far = self.prim.GetAttribute("clippingRange").Get()
        return float(near), float(far)

    def set_clipping_range(
        self, near_distance: float | None = None, far_distance: float | None = None
    ) -> None:
        """Set the nearest and farthest distance that is seen [stage units]; None: as it is."""
        near, far = self.get_clipping_range()
        chosen = near_distance or near, far_distance or far
        self.prim.GetAttribute("clippingRange").Set(chosen)

    def get_horizontal_fov(self) -> float:
        """Angle between the left and right edge of pictures [rad]."""
        return 2.0 * math.atan(self.get_horizontal_aperture() / (2.0 * self.get_focal_length()))

    def get_vertical_fov(self) -> float:
        """The horizontal angle times height by width [rad], as Isaac Sim has it."""
        return self.get_horizontal_fov() * self._size[1] / self._size[0]

    def get_intrinsics_matrix(self, *_: Any, **__: Any) -> NDArray[np.float32]:
        """Focal lengths and middle of pictures [pixels], shape (3, 3)."""
        width, height = self._size
        across = width * self.get_focal_length() / self.get_horizontal_aperture()
        upright = height * self.get_focal_length() / self.get_vertical_aperture()
        matrix = [[across, 0.0, 0.5 * width], [0.0, upright, 0.5 * height], [0.0, 0.0, 1.0]]
        return np.array(matrix, np.float32)

    # -- pixels --------------------------------------------------------------------------------

    def get_image_coords_from_world_points(self, points_3d: Any) -> NDArray[np.float64]:
        """Columns and rows of points in world [pixels], shape (n, 2).

        Args:
            points_3d: shape (n, 3) [m].
        """
        pose = self._view().pose
        turn = quat_multiply(pose[3:], quat_conjugate(CONVENTIONS["ros"]))
        seen = quat_apply(quat_conjugate(turn), np.asarray(points_3d, np.float64) - pose[:3])
        pixels = seen @ self.get_intrinsics_matrix().astype(np.float64).T
        return np.asarray(pixels[:, :2] / pixels[:, 2:])

    def get_world_points_from_image_coords(
        self, points_2d: Any, depth: Any, *_: Any, **__: Any
    ) -> NDArray[np.float64]:
        """Points in world [m], shape (n, 3), of pixels and their distances to the image plane.

        Args:
            points_2d: columns and rows, shape (n, 2) [pixels].
            depth: shape (n,) [m].
        """
        pose = self._view().pose
        turn = quat_multiply(pose[3:], quat_conjugate(CONVENTIONS["ros"]))
        points = self._sight(points_2d) * np.asarray(depth, np.float64).reshape(-1, 1)
        return np.asarray(pose[:3] + quat_apply(turn, points))

    def _sight(self, points_2d: Any) -> NDArray[np.float64]:
        """Lines of sight of pixels, 1 along z, with z forward and y down, shape (n, 3)."""
        pixels = np.asarray(points_2d, np.float64)
        ones = np.ones((len(pixels), 1))
        matrix = self.get_intrinsics_matrix().astype(np.float64)
        return np.asarray(np.hstack([pixels, ones]) @ np.linalg.inv(matrix).T)

    def _view(self) -> View:
        """View from it now: its pose and lens."""
        stage = current_stage()
        metres = UsdGeom.GetStageMetersPerUnit(stage)
        position, turn = (np.asarray(part, np.float64) for part in self.get_world_pose("usd"))
        pose = np.concatenate([position * metres, quat_from_wxyz(turn)])
        return View(pose, lens_of(self.prim, self._size, metres))


def _pose_told(poses: tuple[Any, Any], axes: str) -> tuple[Any, Any]:
    """Position of the one prim of a view, and the orientation wxyz of named axes of it."""
    found = quat_multiply(_xyzw(poses[1][0]), quat_conjugate(_turn(axes)))
    return poses[0][0], quat_to_wxyz(found)


def _pose_given(position: Any, orientation: Any, axes: str) -> tuple[Any, Any]:
    """Position and orientation wxyz of the one prim of a view, from that of named axes of it."""
    turned = None
    if orientation is not None:
        turned = quat_to_wxyz(quat_multiply(_xyzw(orientation), _turn(axes)))[None]
    return None if position is None else np.asarray(rows(position))[None], turned


def _xyzw(orientation: Any) -> NDArray[np.float64]:
    return quat_from_wxyz(np.asarray(rows(orientation)))


def _turn(axes: str) -> NDArray[np.float64]:
    """Orientation xyzw of the axes of the stage in those of a name."""
    choice("camera_axes", axes, _AXES)
    return CONVENTIONS[_AXES[axes]]
