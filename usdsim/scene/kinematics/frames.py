"""World frames of links, geoms and sites: the one place that turns engine arrays into results.

A `FrameField` names the engine arrays of one kind of frame. `select` picks frames along their axis:
an id, a slice or an array of ids. Results are float32 with the batch shape of the data in front.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from usdsim.scene.arrays import FloatArray, filled, result
from usdsim.scene.data.given import engine_array

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["BODY", "GEOM", "IN_TURN", "SITE", "FrameField", "Select", "gather"]

Select = int | slice | NDArray[np.intp]

_MANY = 2000
"""Numbers above which copying one component at a time is faster than rows of three or four."""


def gather(array: NDArray[Any], select: Select) -> NDArray[Any]:
    """Frames `select` of an array of shape (*B, frames, k)."""
    if type(select) is np.ndarray:
        return np.take(array, select, axis=-2)
    return array[..., select, :]


IN_TURN = np.array([0, 1, 2, 0, 1])
"""Components, so that those that come next in turn lie side by side."""


def _origin_velocity(
    out: NDArray[Any], spatial: NDArray[Any], pos: NDArray[Any], centre: NDArray[Any]
) -> None:
    """Move velocities (angular, linear at `centre`) to `pos`: out = v + omega x (pos - centre)."""
    if out.size <= _MANY:
        # The same numbers in fewer calls.
        turning = spatial[..., IN_TURN].astype(np.float32)
        lever = (pos - centre)[..., IN_TURN].astype(np.float32)
        moved = turning[..., 1:4] * lever[..., 2:] - turning[..., 2:] * lever[..., 1:4]
        out[...] = moved + spatial[..., 3:]
        return
    omega = [spatial[..., i].astype(np.float32) for i in range(3)]
    arm = [(pos[..., i] - centre[..., i]).astype(np.float32) for i in range(3)]
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        part = omega[j] * arm[k] - omega[k] * arm[j]
        out[..., i] = part + spatial[..., 3 + i]


@dataclass(frozen=True)
class FrameField:
    """The engine arrays that hold one kind of frame."""

    pos: str
    """Origins in world [m]."""
    quat: str
    """Orientations in world, wxyz."""
    mat: str
    """Rotation matrices in world, row by row."""
    body: str = ""
    """Model array with the body that carries each frame; empty: frames are the bodies."""

    def pose(
        self, model: SceneModel, data: SceneData, select: Select, out: FloatArray | None = None
    ) -> FloatArray:
        """Positions [m] and quaternions (x, y, z, w), shape (*B, [n,] 7)."""
        pos = gather(engine_array(data, model, self.pos), select)
        quat = gather(engine_array(data, model, self.quat), select)
        poses = result((*pos.shape[:-1], 7), out, "poses")
        if poses.size > _MANY:
            for i in range(3):
                poses[..., i] = pos[..., i]
                poses[..., 3 + i] = quat[..., 1 + i]
        else:
            poses[..., :3] = pos
            poses[..., 3:6] = quat[..., 1:]
        poses[..., 6] = quat[..., 0]
        return poses

    def position(
        self, model: SceneModel, data: SceneData, select: Select, out: FloatArray | None = None
    ) -> FloatArray:
        """Positions [m], shape (*B, [n,] 3)."""
        return filled(gather(engine_array(data, model, self.pos), select), out, "positions")

    def rotation(
        self, model: SceneModel, data: SceneData, select: Select, out: FloatArray | None = None
    ) -> FloatArray:
        """Quaternions (x, y, z, w), shape (*B, [n,] 4)."""
        quat = gather(engine_array(data, model, self.quat), select)
        values = result(quat.shape, out, "rotations")
        values[..., :3] = quat[..., 1:]
        values[..., 3] = quat[..., 0]
        return values

    def rotation_mat(
        self, model: SceneModel, data: SceneData, select: Select, out: FloatArray | None = None
    ) -> FloatArray:
        """Matrices that take vectors of the frame to world, shape (*B, [n,] 3, 3)."""
        mat = gather(engine_array(data, model, self.mat), select)
        return filled(mat.reshape(*mat.shape[:-1], 3, 3), out, "rotation matrices")

    def linear_velocity(
        self, model: SceneModel, data: SceneData, select: Select, out: FloatArray | None = None
    ) -> FloatArray:
        """Velocities of the frames' origins in world [m/s], shape (*B, [n,] 3)."""
        pos = gather(engine_array(data, model, self.pos), select)
        values = result(pos.shape, out, "linear velocities")
        self._velocity(model, data, select, pos, values)
        return values

    def angular_velocity(
        self, model: SceneModel, data: SceneData, select: Select, out: FloatArray | None = None
    ) -> FloatArray:
        """Angular velocities in world [rad/s], shape (*B, [n,] 3)."""
        bodies = self._bodies(model, select)
        spatial = gather(engine_array(data, model, "cvel"), bodies)
        return filled(spatial[..., :3], out, "angular velocities")

    def velocity(
        self, model: SceneModel, data: SceneData, select: Select, out: FloatArray | None = None
    ) -> FloatArray:
        """Linear [m/s] and angular [rad/s] velocities in world, shape (*B, [n,] 6)."""
        pos = gather(engine_array(data, model, self.pos), select)
        values = result((*pos.shape[:-1], 6), out, "velocities")
        values[..., 3:] = self._velocity(model, data, select, pos, values[..., :3])
        return values

    def _bodies(self, model: SceneModel, select: Select) -> Select:
        """Ids of the bodies that carry the selected frames."""
        if not self.body:
            return select
        bodies = getattr(model.low, self.body)[select]
        return bodies if isinstance(bodies, np.ndarray) else int(bodies)

    def _velocity(
        self,
        model: SceneModel,
        data: SceneData,
        select: Select,
        pos: NDArray[np.float64],
        out: NDArray[Any],
    ) -> NDArray[np.float64]:
        """Fill in velocities of origins, and return angular ones.

        The engine gives both at the centre of mass of the tree.
        """
        bodies = self._bodies(model, select)
        spatial = gather(engine_array(data, model, "cvel"), bodies)
        centre = gather(engine_array(data, model, "subtree_com"), _roots(model, bodies))
        _origin_velocity(out, spatial, pos, centre)
        return spatial[..., :3]


def _roots(model: SceneModel, bodies: Select) -> Select:
    roots = model.low.body_rootid[bodies]
    if not isinstance(roots, np.ndarray):
        return int(roots)
    if len(roots) and (roots == roots[0]).all():
        return slice(int(roots[0]), int(roots[0]) + 1)
    return roots


BODY = FrameField("xpos", "xquat", "xmat")
GEOM = FrameField("geom_xpos", "geom_xquat", "geom_xmat", "geom_bodyid")
SITE = FrameField("site_xpos", "site_xquat", "site_xmat", "site_bodyid")
