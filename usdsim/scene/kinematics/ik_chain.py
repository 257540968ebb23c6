"""Kinematic chains: the joints between two links, with the equations of motion of these alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.math.transforms import IDENTITY_POSE, compose_poses
from usdsim.scene.arrays import FloatArray
from usdsim.scene.checks import element_index, finite_pose
from usdsim.scene.data.given import check_data

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.elements.joint import Joint
    from usdsim.scene.elements.link import Link
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["IkChain"]


class IkChain:
    """The hinges and slides from a link to one that hangs on it, and an end effector on the last.

    Args:
        model: the model.
        end_link: name, path or index of the last link.
        start_link: of the first one, whose joints take part too; None: that at the root.
        end_effector_offset: pose of the end effector in the frame of the last link: [m] and unit
            quaternion (x, y, z, w), shape (7,); None: the link's own frame.

    Raises:
        UnknownNameError: there is no such link.
        InvalidValueError: the last link does not hang on the first, or no joint is between them.
        UnsupportedError: a joint is a ball.
    """

    def __init__(
        self,
        model: SceneModel,
        end_link: str | int,
        start_link: str | int | None = None,
        end_effector_offset: ArrayLike | None = None,
    ):
        self._model = model
        self._links = _path(model, end_link, start_link)
        self.joints: tuple[Joint, ...] = tuple(j for link in self._links for j in link.joints())
        """The joints, from the root outwards."""
        if not self.joints:
            raise InvalidValueError("end_link", end_link, "a link that joints move")
        for joint in self.joints:
            if joint.typ == "ball":
                raise UnsupportedError(f"{joint.title} is a ball; a chain has hinges and slides.")
        pose = IDENTITY_POSE if end_effector_offset is None else end_effector_offset
        self.offset: NDArray[np.float64] = finite_pose(pose, (), "end_effector_offset")
        """Pose of the end effector in the last link's frame, shape (7,)."""
        self._pos = np.array([joint.dof_pos_index for joint in self.joints])
        self._vel = np.array([joint.dof_vel_index for joint in self.joints])

    @property
    def model(self) -> SceneModel:
        """The model."""
        return self._model

    @property
    def end_link(self) -> Link:
        """The last link."""
        return self._links[-1]

    @property
    def num_links(self) -> int:
        """Number of links."""
        return len(self._links)

    @property
    def num_dof_pos(self) -> int:
        """Number of joint positions."""
        return len(self.joints)

    @property
    def num_dof_vel(self) -> int:
        """Number of joint velocities."""
        return len(self.joints)

    def get_link(self, index: int) -> Link:
        """A link of the chain, 0 the first.

        Raises:
            OutOfRangeError: there is no such link.
        """
        return self._links[element_index("link", index, len(self._links), "link of the chain")]

    def get_dof_pos(self, data: SceneData) -> FloatArray:
        """Joint positions [m or rad], shape (*B, n)."""
        check_data(data, self._model)
        return data.dof_pos[..., self._pos]

    def get_dof_vel(self, data: SceneData) -> FloatArray:
        """Joint velocities [m/s or rad/s], shape (*B, n)."""
        check_data(data, self._model)
        return data.dof_vel[..., self._vel]

    def get_end_effector_pose(self, data: SceneData) -> FloatArray:
        """World pose of the end effector: [m], (x, y, z, w), shape (*B, 7)."""
        pose = self.end_link.get_pose(data).astype(np.float64)
        return compose_poses(pose, self.offset).astype(np.float32)

    def get_end_effector_vel(self, data: SceneData) -> FloatArray:
        """Velocity of the end effector in world: angular [rad/s], linear [m/s], shape (*B, 6).

        It is the velocity it has, whatever else than the chain moves it.
        """
        angular = self.end_link.get_angular_velocity(data)
        turn = self.end_link.get_rotation_mat(data)
        linear = self.end_link.get_linear_velocity(data)
        linear = linear + np.cross(angular, turn @ self.offset[:3])
        return np.concatenate([angular, linear], axis=-1).astype(np.float32)

    def get_end_effector_jac(self, data: SceneData) -> FloatArray:
        """Jacobian from joint velocities to the end effector's, angular first, shape (*B, 6, n)."""
        return self.get_end_point_jac(data, self.offset[:3])

    def get_end_point_jac(self, data: SceneData, end_point: ArrayLike) -> FloatArray:
        """Jacobian from joint velocities to that of a point on the last link, shape (*B, 6, n).

        Args:
            data: the worlds.
            end_point: in the last link's frame [m], shape (3,) or (*B, 3).

        Returns:
            Rows of the angular, then of the linear velocity in world.
        """
        jacobian = self.end_link.get_jacobian(data, end_point)
        return jacobian[..., np.searchsorted(self.end_link.dof_vel_indices, self._vel)]

    def get_inertia_matrix(self, data: SceneData) -> FloatArray:
        """Mass matrix of the joints of the chain, shape (*B, n, n)."""
        matrix = self._model.get_mass_matrix(data)
        return matrix[..., self._vel[:, None], self._vel]

    def get_bias_force(self, data: SceneData) -> FloatArray:
        """Bias force of the joints: gravity, Coriolis and centrifugal forces, shape (*B, n)."""
        return self._model.get_bias_forces(data)[..., self._vel]


def _path(model: SceneModel, end: str | int, start: str | int | None) -> list[Link]:
    """Links from the first to the last."""
    links = [model.catalog("link").get(end)]
    first = None if start is None else model.catalog("link").get(start)
    while links[-1] is not first:
        parent = links[-1].parent
        if parent is None:
            break
        links.append(parent)
    if first is not None and links[-1] is not first:
        raise InvalidValueError("start_link", start, f"a link that {links[0].title} hangs on")
    return links[::-1]
