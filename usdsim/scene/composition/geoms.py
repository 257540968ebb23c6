"""Shapes of an editable world: geoms and sites with what they are made of."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import mujoco
import numpy as np

from usdsim.core.errors import UnsupportedError
from usdsim.math.rotations import quat_from_wxyz, quat_normalize, quat_to_wxyz

from .contact_values import ConstraintForceModel, ImpedanceSpring, force_model
from .elements import Field, HangingPart, refused
from .fields import array, choice, codes, listed, number, optional_name, turn
from .values import LiveList, Value, vector

__all__ = [
    "CollisionMask",
    "GeomVisualAttrs",
    "Geometry",
    "Inertia",
    "PhysicsMaterial",
    "ShapeType",
    "Site",
    "SiteShape",
]

_GEOM = mujoco.mjtGeom
_MOST = 2**31 - 1
_UNSAID = np.array([0.5, 0.5, 0.5, 1.0], np.float32)
"""Colour of shapes of which none is said, in MuJoCo."""


class ShapeType(Enum):
    """Kind of a geom."""

    Plane = "plane"
    Sphere = "sphere"
    Capsule = "capsule"
    Cylinder = "cylinder"
    Box = "box"
    Ellipsoid = "ellipsoid"
    Mesh = "mesh"
    HField = "hfield"
    InfinitePlane = "infinite plane"
    Sdf = "sdf"


class SiteShape(Enum):
    """Kind of a site."""

    Sphere = "sphere"
    Capsule = "capsule"
    Cylinder = "cylinder"
    Box = "box"


@dataclass
class CollisionMask(Value):
    """Bits that decide which geoms collide: one's group must be among the other's."""

    collide_group: int = 1
    """Groups of the geom, MuJoCo's ``contype``."""
    collide_with: int = 1
    """Groups that it collides with, MuJoCo's ``conaffinity``."""

    @staticmethod
    def collide_with_all() -> CollisionMask:
        """Mask that collides with every geom."""
        return CollisionMask(0x7FFFFFFF, 0x7FFFFFFF)

    @staticmethod
    def non_collidable() -> CollisionMask:
        """Mask that collides with nothing."""
        return CollisionMask(0, 0)


@dataclass
class GeomVisualAttrs(Value):
    """Look of a geom."""

    material: str | None = None
    """Name of its material."""
    color: list[float] | None = None
    """Colour and opacity; None: that of the material, or grey."""
    group: int = 0
    """Group by which it is shown."""


@dataclass
class PhysicsMaterial(Value):
    """Matter of a geom."""

    contact_model: ConstraintForceModel = field(
        default_factory=lambda: ConstraintForceModel.impedance(ImpedanceSpring())
    )
    """Law of its contacts."""
    force_mix: float = 1.0
    """Weight of its law where two meet."""
    density: float = 1000.0
    """Density [kg/m^3], where no mass is said."""
    friction: list[float] = field(default_factory=lambda: [1.0, 0.005, 1e-4])
    """Friction: sliding, turning [m] and rolling [m]."""
    condim: int = 3
    """Dimension of contacts: 1, 3, 4 or 6."""


@dataclass
class Inertia(Value):
    """Mass and its distribution; None: from the shapes."""

    pos: np.ndarray | None = None
    """Centre of mass in the element's frame [m]."""
    orientation: np.ndarray | None = None
    """Principal axes in the element's frame, xyzw."""
    mass: float | None = None
    """Mass [kg]."""
    diag_inertia: np.ndarray | None = None
    """Principal moments of inertia [kg m^2]."""


_contact = force_model()


def _matter(owner: Any) -> PhysicsMaterial:
    geom = owner.element
    friction = [float(value) for value in geom.friction]
    law = _contact.__get__(owner, type(owner))
    return PhysicsMaterial(law, geom.solmix, geom.density, friction, geom.condim)


def _set_matter(owner: Any, value: PhysicsMaterial) -> None:
    geom = owner.element
    friction = vector(value.friction, 3, f"friction of {owner!r}")
    _contact.__set__(owner, value.contact_model)
    geom.solmix, geom.density, geom.friction = value.force_mix, value.density, friction
    geom.condim = int(value.condim)


def _look(owner: Any) -> GeomVisualAttrs:
    geom = owner.element
    said = not np.array_equal(geom.rgba, _UNSAID)
    colour = [float(value) for value in geom.rgba] if said else None
    return GeomVisualAttrs(geom.material or None, colour, geom.group)


def _set_look(owner: Any, value: GeomVisualAttrs) -> None:
    geom = owner.element
    colour = _UNSAID if value.color is None else value.color
    geom.rgba = vector(colour, 4, f"color of {owner!r}")
    geom.material, geom.group = value.material or "", int(value.group)


def _geom_mass(owner: Any) -> Inertia:
    mass = float(owner.element.mass)
    return Inertia(mass=None if math.isnan(mass) else mass)


def _set_geom_mass(owner: Any, value: Inertia) -> None:
    if not (value.pos is value.orientation is value.diag_inertia is None):
        raise UnsupportedError(
            f"The inertia of {owner!r} is that of its shape; link.inertial can be any."
        )
    owner.element.mass = math.nan if value.mass is None else float(value.mass)


def link_inertia(owner: Any) -> Inertia:
    """Inertia that a link says."""
    body = owner.element
    if not body.explicitinertial:
        return Inertia()
    centre = None if math.isnan(body.ipos[0]) else np.array(body.ipos, np.float32)
    turn_ = quat_normalize(quat_from_wxyz(body.iquat)).astype(np.float32)
    return Inertia(centre, turn_, float(body.mass), np.array(body.inertia, np.float32))


def set_link_inertia(owner: Any, value: Inertia) -> None:
    """Set the inertia of a link."""
    body, mass, moments = owner.element, value.mass, value.diag_inertia
    if mass is None or moments is None:
        if any(part is not None for part in (mass, moments, value.pos, value.orientation)):
            raise UnsupportedError(
                f"{owner!r} says a part of its inertia; mass and diag_inertia are needed, or "
                "nothing: then the geoms have masses and densities."
            )
        body.explicitinertial = False
        return
    body.explicitinertial, body.mass = True, float(mass)
    body.inertia = vector(moments, 3, f"diag_inertia of {owner!r}")
    body.ipos = vector((0, 0, 0) if value.pos is None else value.pos, 3, f"pos of {owner!r}")
    quat = (0, 0, 0, 1) if value.orientation is None else value.orientation
    body.iquat = quat_to_wxyz(vector(quat, 4, f"orientation of {owner!r}"))
    body.fullinertia = [math.nan, 0, 0, 0, 0, 0]


def _mask(owner: Any) -> CollisionMask:
    return CollisionMask(owner.element.contype, owner.element.conaffinity)


def _set_mask(owner: Any, value: CollisionMask) -> None:
    owner.element.contype = int(value.collide_group)
    owner.element.conaffinity = int(value.collide_with)


def _shape(owner: Any) -> ShapeType:
    geom = owner.element
    if geom.type == _GEOM.mjGEOM_PLANE and not np.any(geom.size[:2]):
        return ShapeType.InfinitePlane
    return _SHAPE_OF[int(geom.type)]


def _set_shape(owner: Any, value: ShapeType) -> None:
    geom = owner.element
    geom.type = _SHAPES[value]
    if value is ShapeType.InfinitePlane:
        geom.size = [0, 0, 1]


_SHAPES = {
    shape: getattr(_GEOM, f"mjGEOM_{shape.value.removeprefix('infinite ').upper()}")
    for shape in ShapeType
}
_SHAPE_OF = {int(kind): shape for shape, kind in reversed(_SHAPES.items())}
_SHAPE_OF[int(_GEOM.mjGEOM_PLANE)] = ShapeType.Plane


class Geometry(HangingPart):
    """Geom of an editable world, in the frame of what it belongs to."""

    name = optional_name("name")
    priority = number("priority", int, -_MOST)
    shape = Field(_shape, _set_shape, ShapeType)
    position = array("pos", 3)
    orientation = turn()
    mesh = optional_name("meshname")
    mesh_variant_set = refused(None, "World.spec.add_tuple makes a set of meshes for geoms")
    mesh_transform = refused(None, "the transform of the MeshAsset scales a mesh")
    hfield = optional_name("hfieldname")
    size = listed("size", 3)
    collision_mask = Field(_mask, _set_mask, CollisionMask)
    visual = Field(_look, _set_look, GeomVisualAttrs)
    inertial = Field(_geom_mass, _set_geom_mass, Inertia)
    physics_material = Field(_matter, _set_matter, PhysicsMaterial)
    margin = number("margin")
    gap = number("gap")

    @staticmethod
    def _hang(body: Any) -> Any:
        return body.add_geom(type=_GEOM.mjGEOM_SPHERE, size=[0, 0, 0])


def _from_to(owner: Any) -> LiveList | None:
    ends = [float(value) for value in owner.element.fromto]
    return None if math.isnan(ends[0]) else LiveList(ends)


def _set_from_to(owner: Any, value: Any) -> None:
    unsaid = [math.nan, 0, 0, 0, 0, 0]
    owner.element.fromto = unsaid if value is None else vector(value, 6, f"from_to of {owner!r}")


class Site(HangingPart):
    """Site of an editable world, in the frame of what it belongs to."""

    name = optional_name("name")
    position = array("pos", 3)
    orientation = turn()
    shape = choice("type", codes(SiteShape, _GEOM, "mjGEOM_"))
    group = number("group", int)
    material = optional_name("material")
    rgba = listed("rgba", 4)
    size = listed("size", 3)
    from_to = Field(_from_to, _set_from_to)

    @staticmethod
    def _hang(body: Any) -> Any:
        return body.add_site()
