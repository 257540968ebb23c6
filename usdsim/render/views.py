"""Views: where pictures are taken from, and through which lens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_from_matrix

__all__ = ["Lens", "View", "camera_lens"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Lens:
    """Projection of directions to pixels."""

    focal: tuple[float, float]
    """Focal lengths [pixels]; of parallel sight [pixels/m]; of a fisheye [pixels/rad]."""
    centre: tuple[float, float]
    """Column and row of the optical axis [pixels]."""
    near: float
    """Depth below which nothing is seen [m]."""
    far: float
    """Depth beyond which nothing is seen [m]."""
    kind: Literal["pinhole", "orthographic", "fisheye"] = "pinhole"
    """Projection; a fisheye is equidistant."""

    @classmethod
    def of_fovy(cls, fovy: float, size: tuple[int, int], near: float, far: float) -> Lens:
        """A pinhole by the angle between the top and bottom of its picture [deg]."""
        focal = size[1] / 2.0 / float(np.tan(np.radians(fovy) / 2.0))
        return cls((focal, focal), (size[0] / 2.0, size[1] / 2.0), near, far)


@dataclass(frozen=True, eq=False)
class View:
    """A lens at a place."""

    pose: Array
    """Position [m] and orientation xyzw in world, looking along -z with +y up, shape (7,)."""
    lens: Lens
    """Lens of the view."""

    @classmethod
    def of_camera(
        cls, model: mujoco.MjModel, data: mujoco.MjData, camera: int, size: tuple[int, int]
    ) -> View:
        """View of a camera of the engine's model.

        Args:
            model: the engine's model.
            data: where it is.
            camera: its index.
            size: width and height of the picture [pixels].
        """
        extent = float(model.stat.extent)
        near, far = extent * float(model.vis.map.znear), extent * float(model.vis.map.zfar)
        turn = quat_from_matrix(data.cam_xmat[camera].reshape(3, 3))
        return cls(
            np.concatenate([data.cam_xpos[camera], turn]),
            camera_lens(model, camera, size, near, far),
        )


def camera_lens(
    model: mujoco.MjModel, camera: int, size: tuple[int, int], near: float, far: float
) -> Lens:
    """The lens of a camera of the engine's model for pictures of a size [pixels]."""
    width, height = size
    fovy = float(model.cam_fovy[camera])
    if model.cam_projection[camera] == mujoco.mjtProjection.mjPROJ_ORTHOGRAPHIC:
        scale = height / fovy
        return Lens((scale, scale), (width / 2.0, height / 2.0), near, far, "orthographic")
    sensor = model.cam_sensorsize[camera]
    if not sensor[1]:
        return Lens.of_fovy(fovy, size, near, far)
    # A sensor of millimetres; its middle is seen right of the axis by cx, and below by cy.
    fx, fy, cx, cy = model.cam_intrinsic[camera].tolist()
    across, upright = width / float(sensor[0]), height / float(sensor[1])
    return Lens(
        (fx * across, fy * upright),
        (width / 2.0 - cx * across, height / 2.0 - cy * upright),
        near,
        far,
    )
