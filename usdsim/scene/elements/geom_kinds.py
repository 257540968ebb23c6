"""Geom classes by shape, with the parameters each has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.domains import POSITIVE
from usdsim.math.rotations import (
    quat_apply,
    quat_conjugate,
    quat_from_wxyz,
    quat_multiply,
    quat_to_matrix,
)
from usdsim.scene.arrays import FloatArray
from usdsim.scene.parameters.engine_fields import PhysicalParameter, Place
from usdsim.scene.parameters.overrides import accessors
from usdsim.scene.terrain.heights import sample_heights

from .geom import Geom
from .shape import Shape

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

    from .hfield import HField

__all__ = [
    "GEOM_CLASSES",
    "GeomCapsule",
    "GeomCuboid",
    "GeomCylinder",
    "GeomEllipsoid",
    "GeomHField",
    "GeomInfinitePlane",
    "GeomMesh",
    "GeomPlane",
    "GeomSDF",
    "GeomSphere",
]


def _size(columns: slice) -> PhysicalParameter:
    return PhysicalParameter(
        "size",
        "size",
        "m",
        POSITIVE,
        (Place("geom_size", columns),),
        note="The shape's own half sizes in order of `size`; mass and inertia stay.",
    )


class _Round(Geom):
    """A shape with a radius."""

    __slots__ = ()

    @property
    def radius(self) -> float:
        """Radius [m]."""
        return float(self._model.low.geom_size[self._id, 0])


class _Long(_Round):
    """A shape with a radius and a length along z."""

    __slots__ = ()

    get_size_override, set_size_override = accessors(_size(slice(0, 2)))

    @property
    def half_height(self) -> float:
        """Half the length of the cylindrical part [m]."""
        return float(self._model.low.geom_size[self._id, 1])


class _Extended(Geom):
    """A shape with three half extents."""

    __slots__ = ()

    get_size_override, set_size_override = accessors(_size(slice(0, 3)))

    @property
    def half_extents(self) -> FloatArray:
        """Half extents along x, y and z [m], shape (3,)."""
        return self.size


class GeomSphere(_Round):
    """A sphere."""

    __slots__ = ()

    get_size_override, set_size_override = accessors(_size(slice(0, 1)))


class GeomCapsule(_Long):
    """A cylinder along z with half spheres on both ends."""

    __slots__ = ()


class GeomCylinder(_Long):
    """A cylinder along z."""

    __slots__ = ()


class GeomCuboid(_Extended):
    """A box."""

    __slots__ = ()


class GeomEllipsoid(_Extended):
    """An ellipsoid; its half extents are its semi-axes."""

    __slots__ = ()


class GeomPlane(Geom):
    """A rectangle with normal z. It collides as an infinite plane does."""

    __slots__ = ()


class GeomInfinitePlane(Geom):
    """An unbounded plane with normal z."""

    __slots__ = ()


class GeomHField(Geom):
    """Terrain: elevations on a grid."""

    __slots__ = ()

    @property
    def hfield(self) -> HField:
        """The elevations."""
        return self._model.catalog("hfield").items[int(self._model.low.geom_dataid[self._id])]

    def sample_height(
        self, data: SceneData, xy: ArrayLike, out: FloatArray | None = None
    ) -> FloatArray:
        """Height of the terrain below world points, bilinear; beyond its border that of the border.

        Args:
            data: the worlds.
            xy: world coordinates [m], shape (n, 2) or (*B, n, 2).
            out: array to fill, float32 of shape (*B, n).

        Returns:
            World z of the surface [m], shape (*B, n).
        """
        pose = self.get_pose(data).astype(np.float64)
        return sample_heights(self.hfield, pose, xy, data.shape, out)


class GeomMesh(Geom):
    """A triangle mesh. Its pose is that of the mesh's own frame, as authored."""

    __slots__ = ()

    @property
    def mesh_name(self) -> str | None:
        """Name or path of the mesh."""
        names = self._model.compiled.names
        mesh = int(self._model.low.geom_dataid[self._id])
        return names.names("mesh")[mesh] or names.paths("mesh")[mesh] or None

    @property
    def mesh_scale(self) -> FloatArray | None:
        """Scale applied to the mesh, shape (3,); None where there is none."""
        scale = self._model.low.mesh_scale[int(self._model.low.geom_dataid[self._id])]
        return None if (scale == 1.0).all() else scale.astype(np.float32)

    @property
    def mesh_transform(self) -> FloatArray | None:
        """Scale applied to the mesh as a matrix, shape (3, 3); None where there is none."""
        return None if self.mesh_scale is None else np.diag(self.mesh_scale)

    # The engine moves a mesh's frame to its centre of mass and principal axes; these undo that.

    def get_pose(self, data: SceneData) -> FloatArray:
        """World pose: position [m] and quaternion (x, y, z, w), shape (*B, 7)."""
        quat = quat_from_wxyz(self._column(data, "geom_xquat"))
        parts = self._undone(self._column(data, "geom_xpos"), quat, data)
        return np.concatenate(parts, axis=-1).astype(np.float32)

    def get_position(self, data: SceneData) -> FloatArray:
        """World position of the origin [m], shape (*B, 3)."""
        return self.get_pose(data)[..., :3]

    def get_rotation(self, data: SceneData) -> FloatArray:
        """World orientation as a quaternion (x, y, z, w), shape (*B, 4)."""
        return self.get_pose(data)[..., 3:]

    def get_rotation_mat(self, data: SceneData) -> FloatArray:
        """Rotation matrix that takes local vectors to world, shape (*B, 3, 3)."""
        mat = self._column(data, "geom_xmat").reshape(*data.shape, 3, 3)
        turn = quat_to_matrix(quat_conjugate(self._offset(data)[1]))
        return (mat @ turn).astype(np.float32)

    def get_linear_velocity(self, data: SceneData) -> FloatArray:
        """World velocity of the origin [m/s], shape (*B, 3)."""
        centre = super().get_linear_velocity(data).astype(np.float64)
        arm = self.get_pose(data)[..., :3] - self._column(data, "geom_xpos")
        return (centre + np.cross(self.get_angular_velocity(data), arm)).astype(np.float32)

    @property
    def authored_place(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Position [m] and quaternion xyzw in the frame of `link`, as authored."""
        return self._undone(*super().authored_place, None)

    def _offset(self, data: SceneData | None) -> tuple[NDArray[Any], NDArray[Any]]:
        """Engine's frame in the mesh's own: position [m] and quaternion xyzw, of each world."""
        low = self._model.low
        if data is None or not data.differs("geom_dataid"):
            mesh = int(low.geom_dataid[self._id])
            return low.mesh_pos[mesh], quat_from_wxyz(low.mesh_quat[mesh])
        meshes = data.param("geom_dataid")[..., self._id]
        solid = (meshes < 0)[..., None]
        pos = np.where(solid, 0.0, low.mesh_pos[meshes])
        return pos, np.where(solid, (0.0, 0.0, 0.0, 1.0), quat_from_wxyz(low.mesh_quat[meshes]))

    def _undone(
        self, pos: NDArray[np.float64], quat: NDArray[np.float64], data: SceneData | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        moved, turned = self._offset(data)
        rotation = quat_multiply(quat, quat_conjugate(turned))
        return pos - quat_apply(rotation, moved), rotation


class GeomSDF(GeomMesh):
    """A shape given by a signed distance function."""

    __slots__ = ()


GEOM_CLASSES: dict[Shape, type[Geom]] = {
    Shape.Sphere: GeomSphere,
    Shape.Capsule: GeomCapsule,
    Shape.Cylinder: GeomCylinder,
    Shape.Cuboid: GeomCuboid,
    Shape.Ellipsoid: GeomEllipsoid,
    Shape.Plane: GeomPlane,
    Shape.InfinitePlane: GeomInfinitePlane,
    Shape.HField: GeomHField,
    Shape.Mesh: GeomMesh,
    Shape.Sdf: GeomSDF,
}
