"""Mocap bodies: moved by the user instead of forces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from usdsim.core.errors import UnsupportedError
from usdsim.math.rotations import quat_to_wxyz
from usdsim.math.transforms import pose_rows
from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import check_data

from .element import Element

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

    from .body import Body
    from .link import Link

__all__ = ["Mocap"]


class Mocap(Element):
    """A body that collides and pushes, but follows the poses it is given and nothing else."""

    __slots__ = ()

    kind = "mocap"

    @property
    def body(self) -> Body:
        """The body it moves."""
        return self._model.catalog("body").items[self._model.body_of_link(self.link.engine_id)]

    @property
    def link(self) -> Link:
        """The base link of the body it moves."""
        body = int(np.flatnonzero(self._model.low.body_mocapid == self._id)[0])
        return self._model.catalog("link").items[self._model.link_index_of_body(body)]

    def set_pose(self, data: SceneData, pose: ArrayLike) -> None:
        """Move the body.

        It gets there evenly within the next call of step and carries what rests on it, unless it is
        further away than it could go at 50 m/s, or the world was just reset: then it is placed.

        Args:
            data: the worlds.
            pose: world position [m] and unit quaternion (x, y, z, w), shape (7,) or (*B, 7).
        """
        check_data(data, self._model)
        checked = data.checked_pose(pose, f"pose of {self.title}")
        data.write_state("mocap_pos", self._id, checked[..., :3])
        data.write_state("mocap_quat", self._id, quat_to_wxyz(checked[..., 3:]))

    def set_velocity(
        self, data: SceneData, linear: ArrayLike = (0, 0, 0), angular: ArrayLike = (0, 0, 0)
    ) -> None:
        """Set the body's velocity, also of what it carries, until a pose or velocity is set.

        Args:
            data: the worlds.
            linear: velocity of the body's origin in world [m/s], shape (3,) or (*B, 3).
            angular: angular velocity in world [rad/s], shape (3,) or (*B, 3).

        Raises:
            ShapeError: a velocity has another shape.
            InvalidValueError: it is no finite number.
            UnsupportedError: the body comes from a converted MuJoCo file, where such bodies have a
                pose and no velocity.
        """
        check_data(data, self._model)
        parts = [
            data.finite(part, (3,), f"{name} velocity of {self.title}")
            for name, part in (("linear", linear), ("angular", angular))
        ]
        rows = np.concatenate([np.broadcast_to(p, (*data.shape, 3)) for p in parts], axis=-1)
        if not data.write_kinematic_velocity(self.link.engine_id, rows.reshape(-1, 1, 6)):
            raise UnsupportedError(
                f"{self.title} moves by MuJoCo's own rule: it has a pose and no velocity. Set its "
                "pose, or remove mjc:mocap from its prim."
            )

    def get_pose(self, data: SceneData) -> FloatArray:
        """World position [m] and quaternion (x, y, z, w), shape (*B, 7)."""
        pose = pose_rows(self._column(data, "mocap_pos"), self._column(data, "mocap_quat"))
        return pose.astype(np.float32)
