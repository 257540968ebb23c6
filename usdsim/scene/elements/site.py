"""Sites: named frames on links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.trees import moving_dofs
from usdsim.math.rotations import quat_from_wxyz
from usdsim.scene.arrays import FloatArray
from usdsim.scene.kinematics.frames import SITE
from usdsim.scene.kinematics.jacobian import point_jacobian

from .frame_element import FrameElement
from .shape import Shape

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

    from .link import Link

__all__ = ["Site", "SiteShape"]

_SHAPES = {
    int(mujoco.mjtGeom.mjGEOM_SPHERE): Shape.Sphere,
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): Shape.Capsule,
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): Shape.Cylinder,
    int(mujoco.mjtGeom.mjGEOM_BOX): Shape.Cuboid,
    int(mujoco.mjtGeom.mjGEOM_ELLIPSOID): Shape.Ellipsoid,
    int(mujoco.mjtGeom.mjGEOM_MESH): Shape.Mesh,
}


@dataclass(frozen=True)
class SiteShape:
    """The volume that a site marks: where touch sensors feel and what `insidesite` means."""

    shape_type: Shape
    """Kind of shape."""
    size: tuple[float, float, float]
    """Half sizes as of geoms [m], see `Geom.size`."""


class Site(FrameElement):
    """A named frame on a link or in the world."""

    __slots__ = ()

    kind = "site"
    frames = SITE

    @property
    def parent_link(self) -> Link | None:
        """The link it is attached to; None: the world."""
        return self._model.link_of_body(self._body)

    @property
    def shape(self) -> SiteShape:
        """The volume it marks."""
        low = self._model.low
        x, y, z = (float(value) for value in low.site_size[self._id])
        return SiteShape(_SHAPES[int(low.site_type[self._id])], (x, y, z))

    @property
    def local_pos(self) -> FloatArray:
        """Position in the frame of `parent_link` [m], shape (3,)."""
        return self._model.low.site_pos[self._id].astype(np.float32)

    @property
    def local_quat(self) -> FloatArray:
        """Orientation in the frame of `parent_link`, quaternion (x, y, z, w), shape (4,)."""
        return quat_from_wxyz(self._model.low.site_quat[self._id]).astype(np.float32)

    @property
    def dof_vel_indices(self) -> NDArray[np.intp]:
        """The velocities that move this site, from the root outwards, shape (k,)."""
        return moving_dofs(self._model.low, self._body)

    def get_jacobian(self, data: SceneData) -> FloatArray:
        """Jacobian from ``dof_vel[dof_vel_indices]`` to the site's velocity in world, (*B, 6, k).

        The first three rows give the angular, the last three the linear velocity.
        """
        return point_jacobian(self._model, data, self._body, self._column(data, "site_xpos"))

    @property
    def _body(self) -> int:
        return int(self._model.low.site_bodyid[self._id])
