"""Frame elements: links, geoms and sites, which have poses and velocities."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from usdsim.scene.arrays import FloatArray
from usdsim.scene.kinematics.frames import FrameField

from .element import Element

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

__all__ = ["FrameElement"]


class FrameElement(Element):
    """A link, geom or site: something with a pose and a velocity in world.

    Every getter is for the current state, whatever was stepped or written before, and returns a
    float32 array of the caller's own, whose first axes are ``data.shape``, written *B.
    """

    __slots__ = ()

    frames: ClassVar[FrameField]

    def get_pose(self, data: SceneData) -> FloatArray:
        """World pose: position [m] and quaternion (x, y, z, w), shape (*B, 7)."""
        return self.frames.pose(self._model, data, self._id)

    def get_position(self, data: SceneData) -> FloatArray:
        """World position of the origin [m], shape (*B, 3)."""
        return self.frames.position(self._model, data, self._id)

    def get_rotation(self, data: SceneData) -> FloatArray:
        """World orientation as a quaternion (x, y, z, w), shape (*B, 4)."""
        return self.frames.rotation(self._model, data, self._id)

    def get_rotation_mat(self, data: SceneData) -> FloatArray:
        """Rotation matrix that takes local vectors to world, shape (*B, 3, 3)."""
        return self.frames.rotation_mat(self._model, data, self._id)

    def get_linear_velocity(self, data: SceneData) -> FloatArray:
        """World velocity of the origin [m/s], shape (*B, 3)."""
        return self.frames.linear_velocity(self._model, data, self._id)

    def get_angular_velocity(self, data: SceneData) -> FloatArray:
        """World angular velocity [rad/s], shape (*B, 3)."""
        return self.frames.angular_velocity(self._model, data, self._id)
