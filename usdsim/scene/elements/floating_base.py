"""Floating bases: the six degrees of freedom of bodies without a joint to the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from usdsim.math.rotations import quat_apply, quat_conjugate
from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import check_data, read_dof_pos, read_dof_vel
from usdsim.scene.parameters.joints import JOINT
from usdsim.scene.parameters.overrides import accessors

from .element import Element

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

    from .link import Link

__all__ = ["FloatingBase"]


class FloatingBase(Element):
    """The free motion of a base link.

    Its velocity is the linear velocity of the link's origin in world and the angular velocity in
    the link's own frame.
    """

    __slots__ = ()

    kind = "floating base"

    @property
    def link(self) -> Link:
        """The link that floats."""
        body = int(self._model.low.jnt_bodyid[self._id])
        return self._model.catalog("link").items[self._model.link_index_of_body(body)]

    @property
    def dof_pos_start(self) -> int:
        """Start of its 7 positions in `SceneData.dof_pos`."""
        return int(self._model.low.jnt_qposadr[self._id])

    @property
    def dof_vel_start(self) -> int:
        """Start of its 6 velocities in `SceneData.dof_vel`."""
        return int(self._model.low.jnt_dofadr[self._id])

    @property
    def dof_pos_indices(self) -> list[int]:
        """Indices of the base's 7 numbers in `SceneData.dof_pos`."""
        return list(range(self.dof_pos_start, self.dof_pos_start + 7))

    @property
    def dof_vel_indices(self) -> list[int]:
        """Indices of the base's 6 numbers in `SceneData.dof_vel`."""
        return list(range(self.dof_vel_start, self.dof_vel_start + 6))

    def _pos(self, first: int, count: int) -> slice:
        return slice(self.dof_pos_start + first, self.dof_pos_start + first + count)

    def _vel(self, first: int, count: int) -> slice:
        return slice(self.dof_vel_start + first, self.dof_vel_start + first + count)

    def get_dof_pos(self, data: SceneData) -> FloatArray:
        """World position [m] and quaternion (x, y, z, w), shape (*B, 7)."""
        return read_dof_pos(data, self._model, self._pos(0, 7))

    def get_dof_vel(self, data: SceneData) -> FloatArray:
        """World linear [m/s] and local angular velocity [rad/s], shape (*B, 6)."""
        return read_dof_vel(data, self._model, self._vel(0, 6))

    def get_translation(self, data: SceneData) -> FloatArray:
        """World position [m], shape (*B, 3)."""
        return read_dof_pos(data, self._model, self._pos(0, 3))

    def get_rotation(self, data: SceneData) -> FloatArray:
        """World orientation as a quaternion (x, y, z, w), shape (*B, 4)."""
        return read_dof_pos(data, self._model, self._pos(3, 4))

    def get_global_linear_velocity(self, data: SceneData) -> FloatArray:
        """World velocity of the link's origin [m/s], shape (*B, 3)."""
        return read_dof_vel(data, self._model, self._vel(0, 3))

    def get_local_angular_velocity(self, data: SceneData) -> FloatArray:
        """Angular velocity in the link's frame [rad/s], shape (*B, 3)."""
        return read_dof_vel(data, self._model, self._vel(3, 3))

    def get_global_angular_velocity(self, data: SceneData) -> FloatArray:
        """Angular velocity in world [rad/s], shape (*B, 3)."""
        local = self.get_local_angular_velocity(data)
        return quat_apply(self.get_rotation(data), local).astype(np.float32)

    def set_translation(self, data: SceneData, translation: ArrayLike) -> None:
        """Write the world position [m], shape (3,) or (*B, 3)."""
        check_data(data, self._model)
        data.write_dof_pos(self._pos(0, 3), translation, "translation")

    def set_rotation(self, data: SceneData, quat: ArrayLike) -> None:
        """Write the world orientation, a unit quaternion (x, y, z, w), shape (4,) or (*B, 4)."""
        check_data(data, self._model)
        data.write_dof_pos(self._pos(3, 4), quat, "rotation")

    def set_global_linear_velocity(self, data: SceneData, vel: ArrayLike) -> None:
        """Write the world velocity of the link's origin [m/s], shape (3,) or (*B, 3)."""
        check_data(data, self._model)
        data.write_dof_vel(self._vel(0, 3), vel, "global linear velocity")

    def set_local_angular_velocity(self, data: SceneData, vel: ArrayLike) -> None:
        """Write the angular velocity in the link's frame [rad/s], shape (3,) or (*B, 3)."""
        check_data(data, self._model)
        data.write_dof_vel(self._vel(3, 3), vel, "local angular velocity")

    def set_global_angular_velocity(self, data: SceneData, vel: ArrayLike) -> None:
        """Write the angular velocity in world [rad/s], shape (3,) or (*B, 3)."""
        check_data(data, self._model)
        values = data.checked_dof_vel(self._vel(3, 3), vel, "global angular velocity")
        local = quat_apply(quat_conjugate(self.get_rotation(data)), values)
        data.write_dof_vel(self._vel(3, 3), local, "global angular velocity")

    def rows(self, field: str) -> range:
        """Rows of the base's joint in an array of the engine's model."""
        if field.startswith("dof_"):
            return range(self.dof_vel_start, self.dof_vel_start + 6)
        return super().rows(field)

    get_armature_override, set_armature_override = accessors(JOINT["armature"])
    get_damping_override, set_damping_override = accessors(JOINT["damping"])
    get_frictionloss_override, set_frictionloss_override = accessors(JOINT["frictionloss"])
