"""URDF model: a file as data, what it says, not yet what it means."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from usdsim.math.transforms import Pose

from .xmltree import Node

__all__ = [
    "CommandKind",
    "UrdfCamera",
    "UrdfFrame",
    "UrdfGeometry",
    "UrdfInertial",
    "UrdfJoint",
    "UrdfLink",
    "UrdfMaterial",
    "UrdfMimic",
    "UrdfRobot",
    "UrdfShape",
]

Array = NDArray[np.float64]
CommandKind = Literal["position", "velocity", "effort"]
GeometryKind = Literal["box", "sphere", "cylinder", "capsule", "ellipsoid", "plane", "mesh"]


@dataclass(eq=False)
class UrdfGeometry:
    """A shape: primitive sizes as half extents, or a mesh file."""

    kind: GeometryKind
    size: Array = field(default_factory=lambda: np.zeros(3))
    """Half sizes [m] in the order of `GeomDescription.size`, shape (3,)."""
    filename: str = ""
    scale: Array = field(default_factory=lambda: np.ones(3))
    convex: bool = False
    """Whether the file declares its mesh convex."""
    turn: Array | None = None
    """Orientation in the frame of the shape, xyzw; None: none of its own."""


@dataclass(eq=False)
class UrdfMaterial:
    """A display material."""

    name: str
    rgba: Array | None = None
    texture: str | None = None
    where: str = ""


@dataclass(eq=False)
class UrdfShape:
    """A visual or a collision."""

    name: str
    origin: Pose
    geometry: UrdfGeometry
    material: UrdfMaterial | None
    where: str
    extras: list[Node] = field(default_factory=list)


@dataclass(eq=False)
class UrdfInertial:
    """Mass properties as written."""

    origin: Pose
    mass: float
    inertia: Array
    """About the centre of mass in the axes of `origin` [kg m^2], shape (3, 3)."""
    where: str
    has_tensor: bool = True


@dataclass(eq=False)
class UrdfLink:
    """A link."""

    name: str
    where: str
    inertial: UrdfInertial | None = None
    density: float | None = None
    """Density of its collision shapes [kg/m^3], where it has no mass; None: not given."""
    visuals: list[UrdfShape] = field(default_factory=list)
    collisions: list[UrdfShape] = field(default_factory=list)
    friction: tuple[float, float] | None = None
    """First and second friction coefficient of its surface."""
    rolling_friction: float | None = None
    torsional_friction: float | None = None
    restitution: float | None = None
    contact_stiffness: float | None = None
    """Stiffness of the link's surface [N/m]; None: rigid."""
    contact_damping: float | None = None
    """Damping of the link's surface [N s/m]."""
    gravity: bool = True
    """Whether gravity acts on it."""
    velocity_decay: float = 0.0
    """Rate at which its velocity decays [1/s]."""
    self_collide: bool | None = None
    """Whether it collides with other links that do so too; None: as the robot does."""
    extras: list[Node] = field(default_factory=list)

    @property
    def is_frame(self) -> bool:
        """Whether the link is only a coordinate frame: nothing to weigh, see or touch."""
        return self.inertial is None and not self.visuals and not self.collisions


@dataclass(eq=False)
class UrdfMimic:
    """position = multiplier * position of `joint` + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(eq=False)
class UrdfJoint:
    """A joint; angles in radians."""

    name: str
    kind: str
    parent: str
    child: str
    origin: Pose
    where: str
    axis: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    mimic: UrdfMimic | None = None
    child_origin: Pose = field(default_factory=Pose)
    """Joint frame in the child link; differs from the identity for loop joints only."""
    loop: bool = False
    """Closes a kinematic loop instead of carrying its child."""
    preserved: bool = False
    """Stays a joint, although it is fixed."""
    spring_stiffness: float = 0.0
    """Stiffness of a spring in the joint [N m/rad or N/m]."""
    spring_reference: float = 0.0
    """Position where that spring rests [rad or m]."""
    position: float = 0.0
    """Initial position [rad or m]."""
    speed: float = 0.0
    """Initial velocity [rad/s or m/s]."""
    command: CommandKind | None = None
    """Command interface of its controller; None: the file does not say."""
    stiffness: float | None = None
    """Stiffness of that command's drive [N m/rad or N/m]; None: the file does not say."""
    drive_damping: float | None = None
    """Damping of that command's drive [N m s/rad or N s/m]."""
    target: float | None = None
    """Position it commands at first [rad or m]; None: where the joint starts."""
    actuators: list[tuple[str, float]] = field(default_factory=list)
    """Name of each actuator that drives it, and how many turns of that make one of the joint."""
    extras: list[Node] = field(default_factory=list)

    @property
    def single(self) -> bool:
        """Whether it moves along or about one axis."""
        return self.kind in ("revolute", "continuous", "prismatic")


@dataclass(eq=False)
class UrdfFrame:
    """A named frame on a link, outside the link tree."""

    name: str
    link: str
    origin: Pose
    where: str


@dataclass(eq=False)
class UrdfCamera:
    """A camera on a link, with the axes of USD: it looks along -z, up is +y."""

    name: str
    link: str
    origin: Pose
    field_of_view: float
    """Horizontal field of view [rad]."""
    resolution: tuple[int, int]
    """Width and height [pixels]."""
    clipping: tuple[float, float]
    """Nearest and farthest distance that is seen [m]."""
    where: str


@dataclass(eq=False)
class UrdfRobot:
    """A whole file."""

    name: str
    file: str
    where: str
    links: dict[str, UrdfLink] = field(default_factory=dict)
    joints: dict[str, UrdfJoint] = field(default_factory=dict)
    materials: dict[str, UrdfMaterial] = field(default_factory=dict)
    frames: list[UrdfFrame] = field(default_factory=list)
    cameras: list[UrdfCamera] = field(default_factory=list)
    filtered_pairs: list[tuple[str, str]] = field(default_factory=list)
    """Pairs of links that never collide."""
    self_collide: bool | None = None
    """Whether its links collide with one another; None: the file does not say."""
    extras: list[Node] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)
    """Links without a parent, filled in by `tree.arrange`."""
    order: list[str] = field(default_factory=list)
    """Links, parents first, filled in by `tree.arrange`."""
    parent_joint: dict[str, UrdfJoint] = field(default_factory=dict)
    """Joint that carries each link, filled in by `tree.arrange`."""
