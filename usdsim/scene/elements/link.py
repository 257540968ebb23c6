"""Links: the rigid bodies of kinematic trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import truth
from usdsim.core.errors import UnknownNameError
from usdsim.engine.trees import moving_dofs
from usdsim.math.rotations import cross, quat_apply, quat_from_wxyz
from usdsim.math.transforms import pose_rows
from usdsim.scene.arrays import FloatArray
from usdsim.scene.checks import numbers
from usdsim.scene.data.given import check_data
from usdsim.scene.kinematics.frames import BODY
from usdsim.scene.kinematics.jacobian import com_jacobian, point_jacobian
from usdsim.scene.parameters.masses import (
    CENTER_OF_MASS,
    GRAVITY_COMPENSATION,
    INERTIA_ABOUT_COM,
    MASS,
    SCALED_MASS,
    inertia_from_principal,
)
from usdsim.scene.parameters.overrides import (
    InvalidPolicy,
    accessors,
    read_override,
    write_override,
)

from .frame_element import FrameElement

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

    from .body import Body
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
        found = np.flatnonzero(self._model.low.body_parentid[self._model.link_ids] == self._id)
        return [self._model.catalog("link").items[int(index)] for index in found]

    @property
    def geoms(self) -> list[Geom]:
        """The shapes attached to this link."""
        items = self._model.catalog("geom").items
        return [items[index] for index in self._model.geoms_of_body(self._id)]

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
        joints = self.joints()
        if not isinstance(index, int | np.integer) or not 0 <= index < len(joints):
            raise UnknownNameError("joint", index, range(len(joints)), self.title)
        return joints[index]

    @property
    def local_pose(self) -> FloatArray:
        """Pose in the frame of `parent` or world, as authored: [m], (x, y, z, w), shape (7,)."""
        low = self._model.low
        return pose_rows(low.body_pos[self._id], low.body_quat[self._id]).astype(np.float32)

    # Mass ----------------------------------------------------------------------------------------

    @property
    def mass(self) -> float:
        """Mass in the model [kg]."""
        return float(self._model.low.body_mass[self._id])

    @property
    def center_of_mass(self) -> FloatArray:
        """Centre of mass in the model, in the link's frame [m], shape (3,)."""
        return self._model.low.body_ipos[self._id].astype(np.float32)

    def get_mass_override(self, data: SceneData) -> FloatArray:
        """Mass in each world [kg], shape (*B,)."""
        return read_override(MASS, self, data)

    def set_mass_override(
        self,
        data: SceneData,
        mass: ArrayLike,
        scale_inertia: bool = False,
        invalid: InvalidPolicy = "raise",
    ) -> None:
        """Set the mass in each world.

        Args:
            data: the worlds.
            mass: above 0 [kg], shape () or (*B,).
            scale_inertia: multiply the inertia by the same factor, as for a body of the same shape
                and another density; otherwise it stays as it is.
            invalid: ``"ignore"`` leaves worlds with values that are not allowed as they are;
                ``"raise"`` refuses the call.

        Raises:
            ShapeError: the values have another shape.
            InvalidValueError: a value is not allowed; nothing is changed then.
        """
        scaled = truth("scale_inertia", scale_inertia)
        write_override(SCALED_MASS if scaled else MASS, self, data, mass, invalid)

    set_mass_override.__dict__["parameter"] = MASS

    def set_principal_inertia_override(
        self,
        data: SceneData,
        principal_moments: ArrayLike,
        principal_axes: ArrayLike = (0.0, 0.0, 0.0, 1.0),
        invalid: InvalidPolicy = "raise",
    ) -> None:
        """Set the inertia about the centre of mass in each world by its principal moments.

        Args:
            data: the worlds.
            principal_moments: above 0 and within the triangle inequality [kg m^2], shape (3,) or
                (*B, 3).
            principal_axes: quaternion (x, y, z, w) from the principal axes to the link's frame, of
                any length but 0, shape (4,) or (*B, 4).
            invalid: ``"ignore"`` leaves worlds with values that are not allowed as they are;
                ``"raise"`` refuses the call.

        Raises:
            ShapeError: the values have another shape.
            InvalidValueError: a value is not allowed; nothing is changed then.
        """
        check_data(data, self._model)
        what = f"of {self.title}"
        moments = numbers(principal_moments, data.shape, (3,), f"principal moments {what}")
        quats = numbers(principal_axes, data.shape, (4,), f"principal axes {what}")
        inertia = inertia_from_principal(moments, quats)
        write_override(INERTIA_ABOUT_COM, self, data, inertia, invalid)

    get_center_of_mass_override, set_center_of_mass_override = accessors(CENTER_OF_MASS)
    get_inertia_override, set_inertia_override = accessors(INERTIA_ABOUT_COM)
    get_gravity_compensation_override, set_gravity_compensation_override = accessors(
        GRAVITY_COMPENSATION
    )

    def get_com(self, data: SceneData, subtree: bool = False) -> FloatArray:
        """World position of the centre of mass [m], shape (*B, 3).

        Args:
            data: the worlds.
            subtree: of the link and all that hangs on it together.
        """
        whole = truth("subtree", subtree)
        return self._column(data, "subtree_com" if whole else "xipos").astype(np.float32)

    # Jacobians -----------------------------------------------------------------------------------

    @property
    def dof_vel_indices(self) -> NDArray[np.intp]:
        """The velocities that move this link, from the root outwards, shape (k,)."""
        return moving_dofs(self._model.low, self._id)

    def get_jacobian(
        self, data: SceneData, point: ArrayLike | None = None, local: bool = True
    ) -> FloatArray:
        """Jacobian from ``dof_vel[dof_vel_indices]`` to a point's velocity in world, (*B, 6, k).

        The first three rows give the angular, the last three the linear velocity.

        Args:
            data: the worlds.
            point: on the link [m], shape (3,) or (*B, 3); None: its origin.
            local: whether the point is in the link's frame or in world.
        """
        at, local = self._column(data, "xpos"), truth("local", local)
        if point is not None:
            given = self._vector(data, point, "point of the Jacobian")
            at = at + self._to_world(data, given) if local else np.broadcast_to(given, at.shape)
        return point_jacobian(self._model, data, self._id, at)

    def get_com_jacobian(self, data: SceneData, subtree: bool = False) -> FloatArray:
        """Jacobian from all of ``dof_vel`` to the centre of mass in world, shape (*B, 3, nv).

        Args:
            data: the worlds.
            subtree: of the link and all that hangs on it together.
        """
        check_data(data, self._model)
        if truth("subtree", subtree):
            return com_jacobian(self._model, data, self._id)
        jacobian = np.zeros((*data.shape, 3, self._model.num_dof_vel), dtype=np.float32)
        at = self._column(data, "xipos")
        compact = point_jacobian(self._model, data, self._id, at)
        jacobian[..., self.dof_vel_indices] = compact[..., 3:, :]
        return jacobian

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
        if truth("local", local):
            vector = self._to_world(data, vector)
        torque: NDArray[np.float64] = np.zeros(3)
        if point is not None:
            at = self._vector(data, point, "point of the external force")
            if local:
                at = self._column(data, "xpos") + self._to_world(data, at)
            torque = cross(at - self._column(data, "xipos"), vector)
        data.push_body(self._id, vector, torque)

    def add_external_torque(self, data: SceneData, torque: ArrayLike, local: bool = True) -> None:
        """Twist the link during the next step; several torques add up.

        Args:
            data: the worlds.
            torque: [N m], shape (3,) or (*B, 3).
            local: whether it is in the link's frame or in world.
        """
        vector = self._vector(data, torque, "external torque")
        if truth("local", local):
            vector = self._to_world(data, vector)
        data.push_body(self._id, np.zeros(3), vector)

    def _vector(self, data: SceneData, values: ArrayLike, what: str) -> NDArray[np.float64]:
        check_data(data, self._model)
        return data.finite(values, (3,), f"{what} on {self.title}")

    def _to_world(self, data: SceneData, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        quat = self._column(data, "xquat")
        return quat_apply(quat_from_wxyz(quat), vector)
