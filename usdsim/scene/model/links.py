"""Link poses, velocities and contact forces of a `SceneModel`, read all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from usdsim.core.arguments import choice
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.math.rotations import quat_to_wxyz
from usdsim.scene.arrays import FloatArray, filled
from usdsim.scene.data.given import check_data
from usdsim.scene.kinematics.frames import BODY, Select

from .part import ModelPart

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

__all__ = ["ModelLinks"]

Indices = ArrayLike | slice | None
"""Indices of links, shape (L,), or a slice of them; None: all."""


class ModelLinks(ModelPart):
    """Poses, velocities and contact forces of links; `out` is an array to fill, float32."""

    def get_link_poses(
        self, data: SceneData, indices: Indices = None, out: FloatArray | None = None
    ) -> FloatArray:
        """World poses of links: position [m] and quaternion (x, y, z, w), shape (*B, L, 7).

        Args:
            data: the worlds.
            indices: which links, shape (L,), or a slice; None: all.
            out: array to fill, float32 of shape (*B, L, 7).
        """
        return BODY.pose(self._model, data, self.link_bodies(indices), out)

    def get_link_positions(
        self, data: SceneData, indices: Indices = None, out: FloatArray | None = None
    ) -> FloatArray:
        """World positions of links [m], shape (*B, L, 3). Arguments as `get_link_poses`."""
        return BODY.position(self._model, data, self.link_bodies(indices), out)

    def get_link_rotations(
        self, data: SceneData, indices: Indices = None, out: FloatArray | None = None
    ) -> FloatArray:
        """World orientations of links (x, y, z, w), shape (*B, L, 4). As `get_link_poses`."""
        return BODY.rotation(self._model, data, self.link_bodies(indices), out)

    def get_link_states(
        self,
        data: SceneData,
        indices: Indices = None,
        quat_order: str = "xyzw",
        out_pos: FloatArray | None = None,
        out_quat: FloatArray | None = None,
        out_linvel: FloatArray | None = None,
        out_angvel: FloatArray | None = None,
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """World positions, orientations, linear and angular velocities of links.

        Args:
            data: the worlds.
            indices: which links, shape (L,), or a slice; None: all.
            quat_order: ``"xyzw"`` or ``"wxyz"``.
            out_pos: array to fill with positions [m], shape (*B, L, 3).
            out_quat: array to fill with quaternions, shape (*B, L, 4).
            out_linvel: array to fill with velocities of origins [m/s], shape (*B, L, 3).
            out_angvel: array to fill with angular velocities [rad/s], shape (*B, L, 3).
        """
        choice("quat_order", quat_order, ("xyzw", "wxyz"))
        bodies, model = self.link_bodies(indices), self._model
        quats = BODY.rotation(model, data, bodies, out_quat)
        if quat_order == "wxyz":
            quats[...] = quat_to_wxyz(quats)
        return (
            BODY.position(model, data, bodies, out_pos),
            quats,
            BODY.linear_velocity(model, data, bodies, out_linvel),
            BODY.angular_velocity(model, data, bodies, out_angvel),
        )

    def get_link_rotation_mats(
        self, data: SceneData, indices: Indices = None, out: FloatArray | None = None
    ) -> FloatArray:
        """Matrices from links to world, shape (*B, L, 3, 3). Arguments as `get_link_poses`."""
        return BODY.rotation_mat(self._model, data, self.link_bodies(indices), out)

    def get_link_linear_velocities(
        self, data: SceneData, indices: Indices = None, out: FloatArray | None = None
    ) -> FloatArray:
        """World velocities of link origins [m/s], shape (*B, L, 3). As `get_link_poses`."""
        return BODY.linear_velocity(self._model, data, self.link_bodies(indices), out)

    def get_link_angular_velocities(
        self, data: SceneData, indices: Indices = None, out: FloatArray | None = None
    ) -> FloatArray:
        """World angular velocities of links [rad/s], shape (*B, L, 3). As `get_link_poses`."""
        return BODY.angular_velocity(self._model, data, self.link_bodies(indices), out)

    def get_link_velocities(
        self, data: SceneData, indices: Indices = None, out: FloatArray | None = None
    ) -> FloatArray:
        """Linear [m/s] and angular [rad/s] velocities of links in world, shape (*B, L, 6)."""
        return BODY.velocity(self._model, data, self.link_bodies(indices), out)

    def get_link_net_contact_forces(
        self, data: SceneData, indices: Indices = None, out: FloatArray | None = None
    ) -> FloatArray:
        """Sum of the contact forces on each link in the current state, in world, shape (*B, L, 6).

        Force [N], then torque about the link's centre of mass [N m]. See `ContactQuery` for what
        the current state means. Arguments as `get_link_poses`.
        """
        check_data(data, self._model)
        found = data.read_link_forces(self.link_bodies(indices))
        return filled(found, out, "net contact forces")

    def link_bodies(self, indices: Indices) -> Select:
        """Engine bodies of link indices, shape (L,), or of a slice of them; None: all."""
        bodies = self._model.link_ids
        count = len(bodies)
        if indices is None:
            # Without gaps, arrays need not be gathered.
            return slice(1, count + 1) if not count or bodies[-1] == count else bodies
        if isinstance(indices, slice):
            return bodies[indices]
        try:
            array = np.asarray(indices)
        except ValueError as error:
            raise InvalidValueError("link indices", indices, "integers") from error
        if array.ndim != 1:
            raise ShapeError("indices", array.shape, "(L,)")
        if not array.size:
            return np.zeros(0, dtype=np.intp)
        if not np.issubdtype(array.dtype, np.integer) or array.min() < 0 or array.max() >= count:
            raise InvalidValueError("link indices", indices, f"integers from 0 to {count - 1}")
        return bodies[array]
