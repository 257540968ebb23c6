"""Visual geoms: shapes that are only looked at, which the engine does not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_apply, quat_from_wxyz, quat_multiply, quat_to_matrix
from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import engine_array
from usdsim.scene.kinematics.frames import BODY

from .geom import Geom

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

    from .hfield import HField
    from .link import Link
    from .shape import Shape

__all__ = ["VisualGeom"]


class VisualGeom(Geom):
    """A shape that is only looked at: it has a name, an index and a place, and costs no step.

    What it looks like is read from the stage when it is first asked for, which takes as long as
    loading all of them with ``exact=True``. Nothing touches it, so setting a parameter per world
    checks the values and changes nothing: reading gives what the source says.
    """

    __slots__ = ()

    @property
    def described(self) -> Geom:
        """The same geom in the model that holds everything, `SceneModel.exact`."""
        return self._model.exact.get_geom(self.path)

    @property
    def shape(self) -> Shape:
        """Kind of shape."""
        return self.described.shape

    @property
    def link(self) -> Link | None:
        """The link it is attached to; None: the world."""
        return self._model.link_of_body(self._body)

    @property
    def local_pose(self) -> FloatArray:
        """Pose in the frame of `link`: position [m], quaternion (x, y, z, w), shape (7,)."""
        return self.described.local_pose

    @property
    def size(self) -> FloatArray:
        """Half sizes [m], shape (3,); see `Geom.size`."""
        return self.described.size

    @property
    def margin(self) -> float:
        """Distance below which contacts would act [m]."""
        return self.described.margin

    @property
    def gap(self) -> float:
        """Distance beyond `margin` in which contacts would be found [m]."""
        return self.described.gap

    @property
    def collision_group(self) -> int:
        """Bits of the groups it belongs to: none."""
        return 0

    @property
    def collision_affinity(self) -> int:
        """Bits of the groups it collides with: none."""
        return 0

    @property
    def friction(self) -> FloatArray:
        """Sliding, torsional and rolling friction in the source [1, m, m], shape (3,)."""
        return self.described.friction

    @property
    def hfield(self) -> HField | None:
        """The height field it shows; None for other shapes."""
        return self.described.hfield

    def get_pose(self, data: SceneData) -> FloatArray:
        """World pose: position [m] and quaternion (x, y, z, w), shape (*B, 7)."""
        pos, quat = self._frame(data)
        return np.concatenate([pos, quat], axis=-1).astype(np.float32)

    def get_position(self, data: SceneData) -> FloatArray:
        """World position of the origin [m], shape (*B, 3)."""
        return self._frame(data)[0].astype(np.float32)

    def get_rotation(self, data: SceneData) -> FloatArray:
        """World orientation as a quaternion (x, y, z, w), shape (*B, 4)."""
        return self._frame(data)[1].astype(np.float32)

    def get_rotation_mat(self, data: SceneData) -> FloatArray:
        """Rotation matrix that takes local vectors to world, shape (*B, 3, 3)."""
        return quat_to_matrix(self._frame(data)[1]).astype(np.float32)

    def get_linear_velocity(self, data: SceneData) -> FloatArray:
        """World velocity of the origin [m/s], shape (*B, 3)."""
        arm = self._frame(data)[0] - engine_array(data, self._model, "xpos")[..., self._body, :]
        carried = np.cross(self.get_angular_velocity(data), arm)
        return (BODY.linear_velocity(self._model, data, self._body) + carried).astype(np.float32)

    def get_angular_velocity(self, data: SceneData) -> FloatArray:
        """World angular velocity [rad/s], shape (*B, 3)."""
        return BODY.angular_velocity(self._model, data, self._body)

    def rows(self, field: str) -> range:
        """Rows of the geom in an array of the engine's model: none."""
        return range(0)

    def standing(self, field: str) -> NDArray[Any]:
        """Value of the geom in the source, as the engine's array would have it."""
        source = self.described
        return np.asarray(getattr(source.model.low, field))[source.engine_id]

    @property
    def _body(self) -> int:
        """Engine id of the body that carries it; 0: the world."""
        return int(self._model.geom_bodies[self._index])

    def _frame(self, data: SceneData) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """World position [m] and quaternion xyzw."""
        local = self.local_pose.astype(np.float64)
        turn = quat_from_wxyz(engine_array(data, self._model, "xquat")[..., self._body, :])
        origin = engine_array(data, self._model, "xpos")[..., self._body, :]
        pos = origin + quat_apply(turn, local[:3])
        return pos, quat_multiply(turn, np.broadcast_to(local[3:], turn.shape))

    def __getattr__(self, name: str) -> Any:
        # Sizes and meshes of its shape; what belongs to worlds does not.
        value = None if name.startswith("_") else getattr(self.described, name)
        if value is None or callable(value):
            raise AttributeError(f"{self.title} has no {name!r}: it is only looked at.")
        return value
