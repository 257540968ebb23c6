"""Links: the rigid bodies of kinematic trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import UnknownNameError
from usdsim.math.rotations import quat_apply, quat_from_wxyz

from .arrays import FloatArray, frozen, numbers, require_finite
from .frame_element import FrameElement
from .frames import BODY
from .overrides import FINITE, POSITIVE, get_override, set_override

if TYPE_CHECKING:
    from .body import Body
    from .data import SceneData
    from .geom import Geom
    from .joint import Joint

__all__ = ["Link"]


class Link(FrameElement):
    """A rigid body with its own frame; the world is not a link."""

    __slots__ = ()

    kind = "link"
    frames = BODY

    # Structure -----------------------------------------------------------------------------------

    @property
    def body(self) -> Body:
        """The kinematic tree this link is part of."""
        return self._model.catalog("body").items[self._model.body_of_link(self._id)]

    @property
    def parent(self) -> Link | None:
        """The link this one hangs on; None: the world."""
        parent = int(self._model.low.body_parentid[self._id])
        return self._model.link_of_body(parent)

    @property
    def children(self) -> list[Link]:
        """The links that hang on this one."""
        found = np.flatnonzero(self._model.low.body_parentid == self._id)
        return [self._model.catalog("link").items[int(body) - 1] for body in found]

    @property
    def geoms(self) -> list[Geom]:
        """The shapes attached to this link."""
        low = self._model.low
        first = int(low.body_geomadr[self._id])
        return self._model.geoms[first : first + int(low.body_geomnum[self._id])]

    @property
    def joint_indices(self) -> list[int]:
        """Indices of `joints` in the model's joints."""
        return self._model.joints_of_body(self._id)

    @property
    def num_joints(self) -> int:
        """Number of joints that move this link against its parent; a floating base is not one."""
        return len(self.joint_indices)

    def joints(self) -> list[Joint]:
        """The joints that move this link against its parent."""
        return [self._model.catalog("joint").items[index] for index in self.joint_indices]

    def get_joint(self, index: int) -> Joint:
        """One of `joints`.

        Raises:
            UnknownNameError: the link has no such joint.
        """
        indices = self.joint_indices
        if not 0 <= index < len(indices):
            raise UnknownNameError("joint", index, range(len(indices)), self.title)
        return self._model.catalog("joint").items[indices[index]]

    # Mass ----------------------------------------------------------------------------------------

    @property
    def mass(self) -> float:
        """Mass in the model [kg]."""
        return float(self._model.low.body_mass[self._id])

    @property
    def center_of_mass(self) -> FloatArray:
        """Centre of mass in the model, in the link's frame [m], shape (3,)."""
        return frozen(self._model.low.body_ipos[self._id].astype(np.float32))

    def get_mass_override(self, data: SceneData) -> FloatArray:
        """Mass in each world [kg], shape (*B,)."""
        return get_override(self, data, "body_mass", self._id)

    def set_mass_override(self, data: SceneData, mass: ArrayLike) -> None:
        """Set the mass in each world; the inertia stays as it is.

        Args:
            data: the worlds.
            mass: above 0 [kg], shape () or (*B,).
        """
        set_override(self, data, "body_mass", self._id, mass, POSITIVE, "mass")

    def get_center_of_mass_override(self, data: SceneData) -> FloatArray:
        """Centre of mass in each world, in the link's frame [m], shape (*B, 3)."""
        return get_override(self, data, "body_ipos", self._id)

    def set_center_of_mass_override(self, data: SceneData, center_of_mass: ArrayLike) -> None:
        """Set the centre of mass in each world.

        Args:
            data: the worlds.
            center_of_mass: in the link's frame [m], shape (3,) or (*B, 3).
        """
        set_override(self, data, "body_ipos", self._id, center_of_mass, FINITE, "center of mass")

    # Forces --------------------------------------------------------------------------------------

    def add_external_force(
        self,
        data: SceneData,
        force: ArrayLike,
        point: ArrayLike | None = None,
        local: bool = True,
    ) -> None:
        """Push the link during the next step; several pushes add up.

        Args:
            data: the worlds.
            force: [N], shape (3,) or (*B, 3).
            point: where it acts [m], shape (3,) or (*B, 3); None: the centre of mass.
            local: whether force and point are in the link's frame or in world.
        """
        vector = self._vector(data, force, "external force")
        if local:
            vector = self._to_world(data, vector)
        torque: NDArray[np.float64] = np.zeros(3)
        if point is not None:
            at = self._vector(data, point, "point of the external force")
            if local:
                at = data.field(self._model, "xpos")[..., self._id, :] + self._to_world(data, at)
            torque = np.cross(at - data.field(self._model, "xipos")[..., self._id, :], vector)
        data.push_body(self._id, vector, torque)

    def add_external_torque(self, data: SceneData, torque: ArrayLike, local: bool = True) -> None:
        """Twist the link during the next step; several torques add up.

        Args:
            data: the worlds.
            torque: [N m], shape (3,) or (*B, 3).
            local: whether it is in the link's frame or in world.
        """
        vector = self._vector(data, torque, "external torque")
        if local:
            vector = self._to_world(data, vector)
        data.push_body(self._id, np.zeros(3), vector)

    def _vector(self, data: SceneData, values: ArrayLike, what: str) -> NDArray[np.float64]:
        what = f"{what} on {self.title}"
        data.check_model(self._model)
        array = numbers(values, data.shape, (3,), what)
        require_finite(array, (3,), what, data.world_ids)
        return array

    def _to_world(self, data: SceneData, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        quat = data.field(self._model, "xquat")[..., self._id, :]
        return quat_apply(quat_from_wxyz(quat), vector)
