"""Bodies moved by the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from usdsim.scene.arrays import FloatArray

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

        Args:
            data: the worlds.
            pose: world position [m] and unit quaternion (x, y, z, w), shape (7,) or (*B, 7).
        """
        data.check_model(self._model)
        checked = data.checked_pose(pose, f"pose of {self.title}")
        data.write_state("mocap_pos", self._id, checked[..., :3])
        data.write_state("mocap_quat", self._id, np.roll(checked[..., 3:], 1, axis=-1))

    def get_pose(self, data: SceneData) -> FloatArray:
        """World position [m] and quaternion (x, y, z, w), shape (*B, 7)."""
        quat = self._column(data, "mocap_quat")
        pose = np.concatenate(
            [self._column(data, "mocap_pos"), np.roll(quat, -1, axis=-1)], axis=-1
        )
        return pose.astype(np.float32)
