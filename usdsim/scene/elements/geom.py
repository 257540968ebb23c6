"""Geoms: the shapes of links and of the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.math.rotations import quat_from_wxyz
from usdsim.scene.arrays import FloatArray
from usdsim.scene.kinematics.frames import GEOM
from usdsim.scene.parameters.contacts import (
    ADHESION,
    FRICTION,
    GAP,
    MARGIN,
    SOLIMP_CONTACT,
    SOLREF_CONTACT,
    SURFACE_VELOCITY,
)
from usdsim.scene.parameters.overrides import accessors

from .bounds import local_bounds, world_bounds
from .frame_element import FrameElement
from .shape import Shape
from .shape_overrides import chosen_mesh, chosen_shape, set_shape

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

    from .body import Body
    from .hfield import HField
    from .link import Link

__all__ = ["Geom"]

_NO_SIZE = {Shape.InfinitePlane, Shape.Mesh, Shape.HField, Shape.Sdf}


class Geom(FrameElement):
    """A shape on a link or in the world. Subclasses know the shape's own parameters."""

    __slots__ = ()

    kind = "geom"
    frames = GEOM

    @property
    def described(self) -> Geom:
        """The geom that the engine has numbers of: itself."""
        return self

    @property
    def shape(self) -> Shape:
        """Kind of shape."""
        return Shape.of_geom(self._model.low, self._id)

    @property
    def link(self) -> Link | None:
        """The link it is attached to; None: the world."""
        return self._model.link_of_body(int(self._model.low.geom_bodyid[self._id]))

    @property
    def body(self) -> Body | None:
        """The kinematic tree it belongs to; None: the world."""
        return self.link.body if self.link is not None else None

    @property
    def local_pose(self) -> FloatArray:
        """Pose in the frame of `link`: position [m], quaternion (x, y, z, w), shape (7,)."""
        return np.concatenate(self.authored_place).astype(np.float32)

    @property
    def size(self) -> FloatArray:
        """Half sizes [m], shape (3,).

        Sphere (radius, 0, 0); capsule and cylinder (radius, half height, 0); box and ellipsoid
        half extents; plane half extents (x, y, 0); zeros for other shapes.
        """
        size = np.zeros(3, dtype=np.float32)
        if self.shape not in _NO_SIZE:
            size[:] = self._model.low.geom_size[self._id]
        if self.shape is Shape.Plane:
            size[2] = 0.0
        return size

    @property
    def margin(self) -> float:
        """Distance below which contacts act; those of two geoms add up [m]."""
        return float(self._model.low.geom_margin[self._id])

    @property
    def gap(self) -> float:
        """Distance beyond `margin` in which contacts are found but do not act [m]."""
        return float(self._model.low.geom_gap[self._id])

    @property
    def collision_group(self) -> int:
        """Bits of the groups it belongs to.

        Two geoms collide where one's group and the other's affinity share a bit.
        """
        return int(self._model.low.geom_contype[self._id])

    @property
    def collision_affinity(self) -> int:
        """Bits of the groups it collides with."""
        return int(self._model.low.geom_conaffinity[self._id])

    @property
    def friction(self) -> FloatArray:
        """Sliding, torsional and rolling friction in the model [1, m, m], shape (3,)."""
        return self._model.low.geom_friction[self._id].astype(np.float32)

    @property
    def visual_only(self) -> bool:
        """Whether it collides with nothing."""
        return not (self.collision_group or self.collision_affinity)

    @property
    def mesh_variant_set(self) -> str | None:
        """Name of the set of meshes that `set_shape_override` may choose from; None: no set."""
        return self._model.variant_set_of(self._id)[0]

    @property
    def mesh_variants(self) -> list[int]:
        """Engine ids of the meshes of `mesh_variant_set`, in order."""
        return self._model.variant_set_of(self._id)[1]

    @property
    def authored_place(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Position [m] and quaternion xyzw in the frame of `link`, as authored."""
        low = self._model.low
        return low.geom_pos[self._id], quat_from_wxyz(low.geom_quat[self._id])

    def get_shape_override(self, data: SceneData) -> NDArray[np.int64]:
        """Shape in each world as its number, ``int(Shape.Mesh)`` and so on, shape (*B,)."""
        return chosen_shape(self, data)

    def get_mesh_variant_override(self, data: SceneData) -> NDArray[np.int64]:
        """Place of the mesh in `mesh_variant_set` in each world, -1: none of it, shape (*B,)."""
        return chosen_mesh(self, data)

    def set_shape_override(
        self,
        data: SceneData,
        shape: ArrayLike | Shape,
        size: ArrayLike | None = None,
        variant: ArrayLike | None = None,
    ) -> None:
        """Choose the collision shape in each world; mass and inertia stay.

        Args:
            data: the worlds.
            shape: Sphere, Cylinder, Capsule, Cuboid, Ellipsoid or Mesh, as `Shape` or its number;
                one, or one per world.
            size: half sizes in the order of `size` [m], (3,) or (*B, 3); None: those it has.
            variant: where a mesh is chosen, its place in `mesh_variant_set`.

        Raises:
            InvalidValueError: another shape, a size that it cannot have, or no such variant.
            UnsupportedError: the geom is a plane or terrain, is in no set while a mesh is asked
                for, or the device's engine has one shape for all worlds. Nothing is changed in any
                of these cases.
        """
        set_shape(self, data, shape, size, variant)

    @property
    def hfield(self) -> HField | None:
        """The height field it shows; None for other shapes."""
        return None

    def get_local_aabb(self, data: SceneData, out: FloatArray | None = None) -> FloatArray | None:
        """Bounding box in its own frame with each world's sizes [m], shape (*B, 2, 3).

        Args:
            data: the worlds.
            out: array to fill, float32 of shape (*B, 2, 3).

        Returns:
            The lowest, then the highest corner; None for an infinite plane.
        """
        return local_bounds(self, data, out)

    def get_world_aabb(self, data: SceneData, out: FloatArray | None = None) -> FloatArray | None:
        """Box along world's axes around `get_local_aabb` [m], shape (*B, 2, 3); see there."""
        return world_bounds(self, data, out)

    get_friction_override, set_friction_override = accessors(FRICTION)
    get_adhesion_override, set_adhesion_override = accessors(ADHESION)
    get_surface_velocity_override, set_surface_velocity_override = accessors(SURFACE_VELOCITY)
    get_margin_override, set_margin_override = accessors(MARGIN)
    get_gap_override, set_gap_override = accessors(GAP)
    get_solref_override, set_solref_override = accessors(SOLREF_CONTACT)
    get_solimp_override, set_solimp_override = accessors(SOLIMP_CONTACT)
