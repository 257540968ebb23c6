"""Scene description: the physics of a stage as plain data, between USD and the engines.

Frozen dataclasses of NumPy float64 values: SI units, radians, quaternions xyzw, Z up. A body's
frame is its prim's frame without scale; scale is already inside sizes, anchors and mesh points.
Nothing here knows pxr or an engine: parser tests read it, engine tests build it by hand.

Indices refer to the tuples of `SceneDescription`; body index -1 is the world. `overrides` holds
values of the MuJoCo dialect (``mjc:``) by the field of the MuJoCo spec element they set: those that
no field here can say. Every other quantity has one value, in its field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from usdsim.math.time_samples import PoseSamples, TargetSamples
from usdsim.math.transforms import Pose

from .element import ElementDescription
from .soft_description import DeformableDescription, DeformableVisual, PinDescription

__all__ = [
    "APART",
    "ActuatorDescription",
    "ArticulationDescription",
    "BallDriveDescription",
    "BodyDescription",
    "CollisionGroupDescription",
    "ConeDescription",
    "DeformableDescription",
    "DeformableVisual",
    "DofDescription",
    "DriveDescription",
    "ElementDescription",
    "EnvelopeDescription",
    "GenericDescription",
    "GeomDescription",
    "GeomKind",
    "HeightFieldDescription",
    "JointDescription",
    "JointKind",
    "MaterialDescription",
    "MeshDescription",
    "MimicDescription",
    "PinDescription",
    "SceneDescription",
    "SiteDescription",
]

Array = NDArray[np.float64]
WORLD = -1
APART = -1e6
"""Rest offset [m] of shapes that touch nothing, as other environments have them: rays miss them."""

GeomKind = Literal[
    "plane", "sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh", "hfield", "sdf"
]
JointKind = Literal["revolute", "prismatic", "spherical", "fixed", "distance", "d6", "free"]
DofKind = Literal["hinge", "slide", "ball", "free"]


def _zeros() -> Array:
    return np.zeros(3)


@dataclass(frozen=True, kw_only=True, eq=False)
class BodyDescription(ElementDescription):
    """A rigid body."""

    parent: int = WORLD
    """Index of the body this one hangs on through `joints`; -1: the world."""
    joints: tuple[int, ...] = ()
    """Indices of the joints to the parent, in order. Empty and not `kinematic`: free to move."""
    rest_pose: Pose = field(default_factory=Pose)
    """Pose in the parent body's frame when every joint position equals its reference."""
    initial_pose_w: Pose = field(default_factory=Pose)
    """Authored pose in world."""
    linear_velocity: Array = field(default_factory=_zeros)
    """Authored velocity of the body origin in world [m/s], shape (3,)."""
    angular_velocity: Array = field(default_factory=_zeros)
    """Authored angular velocity in world [rad/s], shape (3,)."""
    kinematic: bool = False
    """Moved by the user, not by forces."""
    carries: bool = True
    """Whether a kinematic body pulls along what it touches; those of the MuJoCo dialect do not."""
    samples: PoseSamples | None = None
    """Animation of a kinematic body: poses in world from the start of the simulation [s]."""
    fixed: bool = False
    """Rigidly attached to `parent` without a joint prim (static geometry with a name)."""
    mass: float = 0.0
    """Mass [kg] after USD's precedence rules."""
    com: Array = field(default_factory=_zeros)
    """Centre of mass in the body frame [m], shape (3,)."""
    inertia: Array = field(default_factory=_zeros)
    """Principal moments of inertia about the centre of mass [kg m^2], shape (3,)."""
    inertia_quat: Array = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))
    """Orientation of the principal axes in the body frame, xyzw, shape (4,)."""
    mass_source: Literal["authored", "density", "default", "none"] = "none"
    """Source of the mass."""
    gravity_compensation: float = 0.0
    """Share of its weight that is compensated: 0 falls, 1 floats."""
    linear_damping: float = 0.0
    """Rate of linear velocity decay [1/s]."""
    angular_damping: float = 0.0
    """Rate of angular velocity decay [1/s]."""
    starts_asleep: bool = False
    """Whether it rests until something touches, pushes or moves it."""
    sleep_threshold: float | None = None
    """Kinetic energy per mass below which it may sleep [m^2/s^2]; 0: never, None: by default."""
    solves_contacts: bool = True
    """Whether contacts push it, and what it touches; without, they are only found."""
    gyroscopic: bool = True
    """Whether gyroscopic torque acts on it; without, it keeps its angular velocity."""
    max_linear_velocity: float = np.inf
    """Largest speed of its centre of mass [m/s]; of links, see `LinkSpeeds`."""
    max_angular_velocity: float = np.inf
    """Largest speed of its rotation [rad/s]."""
    locked: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(6, np.bool_))
    """Whether it cannot move along, and not turn about, the axes of the world, of a free body; it
    is the centre of mass that stays, shape (6,)."""
    surface_velocity: Array = field(default_factory=lambda: np.zeros(6))
    """Motion of its colliders' surfaces relative to it, as of a belt: linear [m/s] at the body's
    origin, then angular [rad/s], in the body frame, shape (6,)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EnvelopeDescription:
    """|f| <= max_force - resistance |v| and |v| <= max_velocity - gradient |f|, of a drive."""

    max_velocity: float = np.inf
    """[m/s or rad/s]"""
    gradient: float = 0.0
    """[m/s/N or rad/s/(N m)]"""
    resistance: float = 0.0
    """[N s/m or N m s/rad]"""


@dataclass(frozen=True, kw_only=True, eq=False)
class DriveDescription:
    """force = clip(stiffness (q* - q) + damping (v* - v), -max_force, max_force)."""

    stiffness: float = 0.0
    """[N/m or N m/rad]; [1/s^2] for an acceleration drive."""
    damping: float = 0.0
    """[N s/m or N m s/rad]; [1/s] for an acceleration drive."""
    target_position: float = 0.0
    """[m or rad]"""
    target_velocity: float = 0.0
    """[m/s or rad/s]"""
    max_force: float = np.inf
    """[N or N m]"""
    envelope: EnvelopeDescription | None = None
    """Limits of force and speed on each other, of hinges and slides; None: there are none."""
    acceleration: bool = False
    """Whether gains are per unit of mass or inertia."""
    samples: TargetSamples | None = None
    """Target position and velocity from the start of the simulation, where they are sampled."""


@dataclass(frozen=True, kw_only=True, eq=False)
class BallDriveDescription:
    """A drive of a ball about one axis: it acts on that component of the rotation vector.

    The rotation vector is the axis of the child's rotation from the rest pose, times its angle.
    Three like drives of one ball act on the rotation vector of the error instead.
    """

    path: str
    """The joint's path, followed by ``:rotX`` and the like."""
    axis: Array
    """Unit axis in the child body's frame, shape (3,)."""
    drive: DriveDescription


@dataclass(frozen=True, kw_only=True, eq=False)
class ConeDescription:
    """Limit of a ball joint: how far its axis may lean away from where it is at rest.

    It may turn about its axis as it likes. An axis that leans toward one of the two directions goes
    as far as the angle of that one, and between them as on an ellipse.
    """

    axis: Array
    """Unit axis in the joint frames, shape (3,)."""
    toward: Array
    """The first direction, at right angles to the axis, in the joint frames, shape (3,)."""
    angles: tuple[float, float]
    """Largest angle toward that direction, and at right angles to it [rad], each below pi."""
    in_child: bool = False
    """Whether the cone is fixed to the child, and the axis to the parent."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DofDescription:
    """One moving axis of a joint (a ball is one axis with three degrees of freedom)."""

    path: str
    """The joint's path; for D6 joints followed by ``:rotX`` and the like."""
    kind: DofKind
    axis: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    """Unit axis in the child body's frame, shape (3,)."""
    anchor: Array = field(default_factory=_zeros)
    """A point on the axis in the child body's frame [m], shape (3,)."""
    reference: float = 0.0
    """The joint's coordinate at the rest pose [m or rad], in which limits are counted."""
    lower: float = -np.inf
    """Lower limit [m or rad]; -inf: none. For a ball, 0."""
    upper: float = np.inf
    """Upper limit [m or rad]; inf: none. For a ball, the largest rotation angle."""
    cone: ConeDescription | None = None
    """Cone limit of a ball whose axis alone is limited."""
    position: float = 0.0
    """Initial position, counted from the rest pose [m or rad] (hinge and slide)."""
    velocity: float = 0.0
    """Initial velocity [m/s or rad/s] (hinge and slide)."""
    drive: DriveDescription | None = None
    """Drive of a hinge or slide."""
    ball_drives: tuple[BallDriveDescription, ...] = ()
    """Drives of a ball: at most one per axis of the joint frame."""
    armature: float = 0.0
    """[kg or kg m^2]"""
    friction: float = 0.0
    """Dry friction [N or N m]."""
    damping: float = 0.0
    """Viscous friction [N s/m or N m s/rad]."""
    velocity_limit: float = np.inf
    """[m/s or rad/s]"""
    limit_stiffness: float | None = None
    """Stiffness of the limits [N/m or N m/rad]; None: as rigid as the solver allows."""
    limit_damping: float | None = None
    """Damping of the limits [N s/m or N m s/rad]."""
    overrides: Mapping[str, Any] = field(default_factory=dict)
    """MuJoCo-dialect values by field of the spec's joint."""
    name: str | None = None
    """Source name of this axis where it differs from the joint's."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MimicDescription:
    """position = offset [m or rad] + gearing * position of `joint`."""

    joint: str
    """Path of the leading joint's degree of freedom."""
    offset: float = 0.0
    gearing: float = 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class JointDescription(ElementDescription):
    """A connection between two bodies.

    `in_tree` joints carry their child body; the others close loops and become constraints.
    Two joints of one child body both in the tree stack: motion of the later one happens in the
    frame the earlier one has moved.
    """

    kind: JointKind
    parent: int
    child: int
    parent_frame: Pose = field(default_factory=Pose)
    """Joint frame in the parent body (world if -1)."""
    child_frame: Pose = field(default_factory=Pose)
    """Joint frame in the child body (world if -1)."""
    dofs: tuple[DofDescription, ...] = ()
    in_tree: bool = True
    collision_enabled: bool = False
    """Whether the two bodies may collide."""
    mimic: MimicDescription | None = None
    min_distance: float = 0.0
    max_distance: float = np.inf
    """Largest distance of distance joints [m]."""
    spring_stiffness: float | None = None
    """Stiffness of distance joints beyond these two distances [N/m]; None: rigid limits."""
    spring_damping: float = 0.0
    """Damping of that spring [N s/m]."""
    break_force: float = np.inf
    """Largest force it transmits before it breaks [N]. Joints in a tree do not break."""
    break_torque: float = np.inf
    """Largest torque it transmits before it breaks [N m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MaterialDescription(ElementDescription):
    """Surface properties of colliders."""

    static_friction: float = 0.5
    dynamic_friction: float = 0.5
    restitution: float = 0.0
    torsional_friction: float | None = None
    rolling_friction: float | None = None
    """Both [m]; None: the engine's default."""
    density: float = 0.0
    """[kg/m^3]; 0: not specified."""
    friction_combine: Literal["average", "min", "multiply", "max"] | None = None
    restitution_combine: Literal["average", "min", "multiply", "max"] | None = None
    contact_stiffness: float | None = None
    """Stiffness of compliant contact [N/m]."""
    contact_damping: float | None = None
    """Damping of compliant contact [N s/m]."""
    damping_combine: Literal["average", "min", "multiply", "max"] | None = None
    """Of two compliant materials."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GeomDescription(ElementDescription):
    """A shape attached to a body (or to the world), colliding or only visible."""

    body: int
    kind: GeomKind
    pose: Pose = field(default_factory=Pose)
    """In the body's frame (world if -1)."""
    size: Array = field(default_factory=_zeros)
    """Half sizes [m], shape (3,): sphere (r, 0, 0); capsule and cylinder (r, half length, 0) along
    z; box and ellipsoid half extents; plane half extents x and y (0: infinite) with normal z."""
    mesh: str | None = None
    """Key into `SceneDescription.meshes` or `height_fields`."""
    collides: bool = True
    material: int | None = None
    """Index into `SceneDescription.materials`."""
    friction: Array | None = None
    """Sliding, torsional [m] and rolling [m] coefficient of its own, shape (3,), where they differ
    from its material's; None: the material's."""
    native_mixing: bool = False
    """Whether its friction combines with that of others as MuJoCo's does, unless a material says
    how: the larger of two, or that of the shape with priority."""
    torsional_radius: float = 0.0
    """Torsional friction over sliding friction where it meets spheres, or is one [m]; the larger
    one of two geoms counts."""
    rest_offset: float = 0.0
    """Distance at which surfaces rest [m]."""
    contact_gap: float | None = None
    """Contact gap: distance beyond that at which contacts are generated [m]; None: the engine's."""
    rgba: Array | None = None
    """Display colour and opacity, shape (4,)."""
    purpose: Literal["default", "render", "proxy", "guide"] = "default"
    visual_material: str | None = None
    """Path of the bound display material."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshDescription(ElementDescription):
    """Triangles in the frame of the geoms that use them.

    Where `overrides` carry ``scale``, ``refpos`` or ``refquat``, the points are those of the source
    file and the engine applies them.
    """

    points: Array
    """[m], shape (n, 3)."""
    faces: NDArray[np.int32]
    """Triangle corner indices, shape (m, 3)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class HeightFieldDescription(ElementDescription):
    """A grid of elevations over a rectangle centred on the geom's origin."""

    elevation: NDArray[np.float64]
    """Elevation divided by `size[2]`, in [0, 1], shape (rows along y, columns along x)."""
    size: Array
    """Half extent x, half extent y, height of elevation 1, depth of the base [m], shape (4,)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SiteDescription(ElementDescription):
    """A named frame on a body."""

    body: int
    pose: Pose = field(default_factory=Pose)
    """In the body's frame (world if -1)."""
    kind: GeomKind = "sphere"
    size: Array = field(default_factory=lambda: np.full(3, 0.005))
    """As for geoms [m], shape (3,)."""
    mesh: str | None = None
    rgba: Array | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class ActuatorDescription(ElementDescription):
    """An actuator prim (drives of joints are in `DofDescription.drive`)."""

    targets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Prim paths by relationship: ``target``, ``refsite``, ``slidersite``."""
    control: float = 0.0
    """Initial control of the actuator, in the units of its gain."""
    samples: TargetSamples | None = None
    """Control from the start of the simulation, where it is sampled."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GenericDescription(ElementDescription):
    """An element only the MuJoCo dialect has.

    `kind` is the spec's own word: camera, light, material, texture, tendon, equality, sensor, key,
    pair, exclude, numeric, text, tuple, skin, flex, plugin. All values are in `overrides`.
    """

    kind: str
    body: int = WORLD
    pose: Pose = field(default_factory=Pose)
    targets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Prim paths by relationship."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CollisionGroupDescription(ElementDescription):
    """Colliders that share filtering; merging and inversion are already resolved."""

    geoms: tuple[int, ...] = ()
    deformables: tuple[int, ...] = ()
    filtered: frozenset[int] = frozenset()
    """Indices of the groups (itself included, if so authored) this one does not collide with."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ArticulationDescription(ElementDescription):
    """A tree of bodies simulated in joint coordinates."""

    root: int
    """Index of the root body."""
    bodies: tuple[int, ...] = ()
    joints: tuple[int, ...] = ()
    fixed_base: bool = False
    self_collision: bool = True


@dataclass(frozen=True, kw_only=True, eq=False)
class SceneDescription:
    """Everything simulated on a stage."""

    source: str = ""
    """Identifier of the stage's root layer."""
    gravity: Array = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))
    """[m/s^2], shape (3,)."""
    timestep: float | None = None
    """[s]; None: the engine's default."""
    bounce_threshold: float | None = None
    """Speed of approach up to which nothing bounces [m/s]; None: the engine's own."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """MuJoCo-dialect scene values by dotted spec field (``option.cone``, ``stat.extent``); authored
    `mjc:` options mark the stage as one that brings its own solver settings."""
    bodies: tuple[BodyDescription, ...] = ()
    """Parents before children; children in stage order."""
    joints: tuple[JointDescription, ...] = ()
    geoms: tuple[GeomDescription, ...] = ()
    """In stage order within each body."""
    sites: tuple[SiteDescription, ...] = ()
    materials: tuple[MaterialDescription, ...] = ()
    meshes: Mapping[str, MeshDescription] = field(default_factory=dict)
    height_fields: Mapping[str, HeightFieldDescription] = field(default_factory=dict)
    actuators: tuple[ActuatorDescription, ...] = ()
    elements: tuple[GenericDescription, ...] = ()
    groups: tuple[CollisionGroupDescription, ...] = ()
    body_filters: frozenset[tuple[int, int]] = frozenset()
    """Pairs of bodies (smaller index first, -1 the world) that never collide."""
    geom_filters: frozenset[tuple[int, int]] = frozenset()
    """Pairs of geoms (smaller index first) that never collide."""
    deformables: tuple[DeformableDescription, ...] = ()
    """In stage order."""
    deformable_filters: frozenset[tuple[int, int]] = frozenset()
    """A deformable body and what it never touches: a geom, or -1 - index of another deformable."""
    varied_surfaces: frozenset[str] = frozenset()
    """Paths of colliding geoms whose friction may change while they are simulated although a scene
    is large: they get contact pairs, which combine it with others as materials do."""
    articulations: tuple[ArticulationDescription, ...] = ()
    world_from_stage: Pose = field(default_factory=Pose)
    """Rotation from the stage's axes to Z up; with `meters_per_unit` it takes poses back to USD."""
    meters_per_unit: float = 1.0
    name: str | None = None
    """Model name of the converted source."""
