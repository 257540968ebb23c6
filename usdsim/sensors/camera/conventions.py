"""Camera conventions: axes of the frame of a camera, and poses whose axes they name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from usdsim.core.arguments import choice
from usdsim.math.rotations import quat_conjugate, quat_from_matrix, quat_multiply
from usdsim.math.transforms import Pose
from usdsim.sensors.common.cfg import OffsetCfg

__all__ = ["CONVENTIONS", "CameraOffsetCfg", "Convention", "axes_in"]

Convention = Literal["opengl", "ros", "world"]
"""Axes of a camera's orientation."""

CONVENTIONS: dict[Convention, NDArray[np.float64]] = {
    "opengl": np.array([0.0, 0.0, 0.0, 1.0]),
    "ros": np.array([1.0, 0.0, 0.0, 0.0]),
    "world": quat_from_matrix(np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])),
}
"""Orientations of the frame that looks along -z with +y up in the one of each convention, xyzw."""


def axes_in(
    axes: Convention, convention: Convention, where: str = "convention"
) -> NDArray[np.float64]:
    """Orientation of the frame of a camera with some axes in that of a convention, xyzw.

    Args:
        axes: the axes.
        convention: the convention.
        where: the field that holds it, for messages.

    Raises:
        InvalidValueError: there is no such convention.
    """
    choice(where, convention, CONVENTIONS)
    turn: NDArray[np.float64] = quat_multiply(
        CONVENTIONS[convention], quat_conjugate(CONVENTIONS[axes])
    )
    return turn


@dataclass(kw_only=True)
class CameraOffsetCfg(OffsetCfg):
    """Pose of a camera in the frame of its prim, or of the prim that it is spawned below."""

    convention: Convention = "ros"
    """Axes of the orientation: ``opengl`` looks along -z with +y up, ``ros`` along +z with -y up,
    ``world`` along +x with +z up."""

    def pose_of(self, axes: Convention, where: str) -> Pose:
        """The offset of the frame of the camera with some axes.

        Args:
            axes: the axes.
            where: the field that holds the offset, for messages.

        Raises:
            InvalidValueError: there is no such convention; see also `OffsetCfg.pose`.
        """
        turn = axes_in(axes, self.convention, f"{where}.convention")
        return self.pose(where) @ Pose(np.zeros(3), turn)
