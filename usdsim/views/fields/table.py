"""Field table: what can be written to an asset, one row per quantity.

Writers of the asset classes are bound to these rows; their names, documentation and tests follow
from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.domains import FINITE, LIMIT, NON_NEGATIVE, POSITIVE, RANGE, Domain
from usdsim.core.errors import UnknownNameError
from usdsim.views.copies.device import DeviceCopies
from usdsim.views.copies.device_selection import DeviceSelection
from usdsim.views.nodes.writers import NodePosition, NodeState, NodeTarget, NodeVelocity
from usdsim.views.roots.writers import RootPose, RootState, RootVelocity

from .body_parameters import Inertia, PoseParameter
from .materials import SURFACE, SurfaceMaterial
from .parameters import Flagged, Friction, Gain, ModelValue, Parameter, VelocityLimit

if TYPE_CHECKING:
    from usdsim.views.view import AssetView

__all__ = [
    "AXES",
    "FIELDS",
    "BufferColumns",
    "DirectStore",
    "ElementAxis",
    "FieldSpec",
    "StateColumns",
    "Store",
]

Array = NDArray[Any]
Ids = NDArray[np.intp]


@dataclass(frozen=True)
class ElementAxis:
    """Elements that a quantity has one value of each, besides instances."""

    shape: str
    """Kind of element."""
    ids: str
    """Keyword of indices; empty: there is no choice."""
    mask: str
    """Keyword of a mask."""
    count: str
    """Name of its number in shapes; empty: there is no such axis."""
    instances_first: bool = False
    """Whether writers take the choice of instances before that of elements."""


AXES = {
    "root": ElementAxis("root", "", "", ""),
    "object": ElementAxis("root", "object_ids", "object_mask", "num_objects", True),
    "object_body": ElementAxis("root", "body_ids", "body_mask", "num_bodies", True),
    "body": ElementAxis("body", "body_ids", "body_mask", "num_bodies"),
    "joint": ElementAxis("joint", "joint_ids", "joint_mask", "num_joints"),
    "fixed_tendon": ElementAxis(
        "fixed_tendon", "fixed_tendon_ids", "fixed_tendon_mask", "num_fixed_tendons"
    ),
    "spatial_tendon": ElementAxis(
        "spatial_tendon", "spatial_tendon_ids", "spatial_tendon_mask", "num_spatial_tendons"
    ),
    "thruster": ElementAxis("thruster", "thruster_ids", "thruster_mask", "num_thrusters"),
    "geom": ElementAxis("geom", "shape_ids", "shape_mask", "num_shapes"),
    "node": ElementAxis("node", "", "", "max_sim_vertices_per_body"),
}


class Store(Protocol):
    """Destination of the values of a row."""

    def write(self, view: AssetView, values: Array, rows: Ids | None, ids: Ids | None) -> None:
        """Set checked values of some instances and elements, shape (rows, ids, ...)."""
        ...


class DirectStore(Store, Protocol):
    """Destination of values on a device, which the host does not look at."""

    def write_directly(
        self, view: AssetView, copies: DeviceCopies, values: wp.array, selection: DeviceSelection
    ) -> bool:
        """Set values of some instances and elements.

        Args:
            view: window of the asset.
            copies: of the view.
            values: numbers on the device, shape (rows, ids, size of one value).
            selection: which instances and elements.

        Returns:
            Whether it could be done.
        """
        ...


@dataclass(frozen=True)
class StateColumns:
    """Columns of a state array of the engine."""

    field: str
    table: str

    def write(self, view: AssetView, values: Array, rows: Ids | None, ids: Ids | None) -> None:
        """See `Store.write`."""
        view.copies.scatter(self.field, self.table, values, rows, ids)

    def write_directly(
        self, view: AssetView, copies: DeviceCopies, values: wp.array, selection: DeviceSelection
    ) -> bool:
        """Write what is on the device without looking at it; see `DirectStore`."""
        copies.columns(self.table).scatter_direct(self.field, values, selection)
        return True


@dataclass(frozen=True)
class BufferColumns:
    """An array of the asset itself, which a later call brings to the engine."""

    name: str

    def write(self, view: AssetView, values: Array, rows: Ids | None, ids: Ids | None) -> None:
        """See `Store.write`."""
        view.copies.buffer(view.buffers[self.name]).write(values, rows, ids)

    def write_directly(
        self, view: AssetView, copies: DeviceCopies, values: wp.array, selection: DeviceSelection
    ) -> bool:
        """See `DirectStore.write_directly`."""
        copies.buffer(view.buffers[self.name]).write_directly(values, selection)
        return True


@dataclass(frozen=True)
class ParameterColumns:
    """A parameter of the engine's model."""

    parameter: Parameter

    def write(self, view: AssetView, values: Array, rows: Ids | None, ids: Ids | None) -> None:
        """See `Store.write`."""
        self.parameter.write(view.engine, view.layout, values, rows, ids)


@dataclass(frozen=True)
class FieldSpec:
    """One quantity that can be written."""

    name: str
    axis: ElementAxis
    arg: str
    """Keyword that carries the values."""
    unit: str
    doc: str
    store: Store
    tail: tuple[int, ...] = ()
    """Shape of one value."""
    domain: Domain = FINITE
    one_each: bool = False
    """Whether values of a single axis are one for each instance rather than for each element."""

    @property
    def parameter(self) -> Parameter | None:
        """The model parameter behind it, if it is one."""
        return self.store.parameter if isinstance(self.store, ParameterColumns) else None

    def read(self, view: AssetView) -> Array:
        """Value in the engine now, shape (num_instances, elements, ...).

        Raises:
            TypeError: it is no parameter of the engine's model.
        """
        if self.parameter is None:
            raise TypeError(f"{self.name} is not a parameter of the engine")
        return self.parameter.read(view.engine, view.layout)

    @property
    def shape(self) -> str:
        """Shape of the quantity for all instances, as written in documentation."""
        sizes = ["num_instances", *([self.axis.count] if self.axis.count else [])]
        sizes += [str(n) for n in self.tail]
        return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


class _Table(dict[str, FieldSpec]):
    def __missing__(self, name: str) -> FieldSpec:
        raise UnknownNameError("field", name, self, "the field table")


_GAIN_P = "N/m or N m/rad"
_GAIN_D = "N s/m or N m s/rad"
_POSE = "m, unit quaternion"
_VELOCITY = "m/s, rad/s"


def _roots(axis: str, p: str, *, plural: bool = False) -> list[FieldSpec]:
    """Rows of poses, velocities and states, whose names and keywords begin with `p`."""
    a = AXES[axis]
    pose, velocity, state = (
        f"{p}_{many if plural else one}"
        for one, many in (("pose", "poses"), ("velocity", "velocities"), ("state", "states"))
    )
    link_pose, com_pose = RootPose(of_com=False), RootPose(of_com=True)
    link_velocity, com_velocity = RootVelocity(of_com=False), RootVelocity(of_com=True)
    poses = (
        ("pose", link_pose, "link frame"),
        ("link_pose", link_pose, "link frame"),
        ("com_pose", com_pose, "centre of mass and principal axes of inertia"),
    )
    velocities = (
        ("velocity", com_velocity, "centre of mass"),
        ("com_velocity", com_velocity, "centre of mass"),
        ("link_velocity", link_velocity, "link origin"),
    )
    states = (
        ("state", RootState(link_pose, com_velocity), "link frame, and velocity of the com"),
        ("link_state", RootState(link_pose, link_velocity), "link frame"),
        ("com_state", RootState(com_pose, com_velocity), "centre of mass"),
    )
    rows = [
        FieldSpec(f"{p}_{n}", a, pose, _POSE, f"pose in world of the {what}", s, (7,))
        for n, s, what in poses
    ]
    rows += [
        FieldSpec(f"{p}_{n}", a, velocity, _VELOCITY, f"velocity in world of the {what}", s, (6,))
        for n, s, what in velocities
    ]
    rows += [
        FieldSpec(
            f"{p}_{n}", a, state, f"{_POSE}, {_VELOCITY}", f"state in world of the {what}",
            s, (13,),
        )
        for n, s, what in states
    ]  # fmt: skip
    return rows


def _joint(
    name: str, arg: str, unit: str, doc: str, store: Store | Parameter, **options: Any
) -> FieldSpec:
    where = ParameterColumns(store) if isinstance(store, Parameter) else store
    return FieldSpec(f"joint_{name}", AXES["joint"], arg, unit, doc, where, **options)


_DOFS = "joint_dofs"
_JOINTS = [
    _joint("position", "position", "m or rad", "positions", StateColumns("qpos", "joint_qpos")),
    _joint("velocity", "velocity", "m/s or rad/s", "velocities", StateColumns("qvel", _DOFS)),
    *(
        _joint(
            f"{n}_target", "target", unit, f"{n} targets", BufferColumns(f"joint_{short}_target")
        )
        for n, short, unit in (
            ("position", "pos", "m or rad"),
            ("velocity", "vel", "m/s or rad/s"),
            ("effort", "effort", "N or N m"),
        )
    ),
    _joint(
        "stiffness", "stiffness", _GAIN_P, "stiffness of the drives",
        Gain("drives", "actuator_biasprm", 1, -1.0), domain=NON_NEGATIVE,
    ),
    _joint(
        "damping", "damping", _GAIN_D, "damping of the drives",
        Gain("drives", "actuator_biasprm", 2, -1.0), domain=NON_NEGATIVE,
    ),
    _joint(
        "armature", "armature", "kg or kg m^2", "armature",
        ModelValue(_DOFS, "dof_armature"), domain=NON_NEGATIVE,
    ),
    _joint(
        "friction_coefficient", "joint_friction_coeff", "N or N m", "static friction",
        Friction(_DOFS, False), domain=NON_NEGATIVE,
    ),
    _joint(
        "dynamic_friction_coefficient", "joint_dynamic_friction_coeff", "N or N m",
        "dynamic friction", Friction(_DOFS, True), domain=NON_NEGATIVE,
    ),
    _joint(
        "viscous_friction_coefficient", "joint_viscous_friction_coeff", _GAIN_D,
        "viscous friction", ModelValue(_DOFS, "dof_damping", None), domain=NON_NEGATIVE,
    ),
    _joint(
        "position_limit", "limits", "m or rad", "position limits (lower, upper)",
        Flagged("joints", "jnt_range", "jnt_limited"), tail=(2,), domain=RANGE,
    ),
    _joint(
        "velocity_limit", "limits", "m/s or rad/s", "largest speeds", VelocityLimit(_DOFS),
        domain=LIMIT,
    ),
    _joint(
        "effort_limit", "limits", "N or N m", "largest efforts of the drives",
        Flagged("drives", "actuator_forcerange", "actuator_forcelimited", symmetric=True),
        domain=LIMIT,
    ),
]  # fmt: skip

_THRUSTERS = [
    FieldSpec(
        "thrust_target", AXES["thruster"], "target", "N", "thrusts along the rotors' axes",
        BufferColumns("thrust_target"), one_each=True,
    ),
]  # fmt: skip

_BODIES = [
    FieldSpec(
        "masses", AXES["body"], "masses", "kg", "masses",
        ParameterColumns(ModelValue("bodies", "body_mass")), (), POSITIVE,
    ),
    FieldSpec(
        "coms", AXES["body"], "coms", _POSE,
        "centre of mass and principal axes of inertia in the link frame",
        ParameterColumns(PoseParameter("bodies", "body_ipos", "body_iquat")), (7,),
    ),
    FieldSpec(
        "inertias", AXES["body"], "inertias", "kg m^2",
        "inertia about the centre of mass in the link's axes, row by row",
        ParameterColumns(Inertia("bodies")), (9,),
    ),
]  # fmt: skip

_SHAPES = [
    FieldSpec(
        "material_properties", AXES["geom"], "materials", "1",
        "static friction, dynamic friction and restitution",
        ParameterColumns(SurfaceMaterial("geoms")), (3,), SURFACE,
    ),
]  # fmt: skip

_NODES = [
    FieldSpec(
        "nodal_pos", AXES["node"], "nodal_pos", "m", "positions of the vertices in world",
        NodePosition(), (3,),
    ),
    FieldSpec(
        "nodal_velocity", AXES["node"], "nodal_vel", "m/s", "velocities of the vertices in world",
        NodeVelocity(), (3,),
    ),
    FieldSpec(
        "nodal_state", AXES["node"], "nodal_state", "m, m/s",
        "positions and velocities of the vertices in world", NodeState(), (6,),
    ),
    FieldSpec(
        "nodal_kinematic_target", AXES["node"], "targets", "m, 1",
        "where vertices are to be in world, and 0.0 for those held there, 1.0 for free ones",
        NodeTarget(), (4,),
    ),
]  # fmt: skip


def _tendons(axis: str, more: bool) -> list[FieldSpec]:
    rows: list[tuple[str, str, str, str, tuple[int, ...], Domain]] = [
        ("stiffness", "stiffness", "N/m", "stiffness", (), NON_NEGATIVE),
        ("damping", "damping", "N s/m", "damping", (), NON_NEGATIVE),
        ("limit_stiffness", "limit_stiffness", "N/m", "stiffness of the limits", (), NON_NEGATIVE),
        ("offset", "offset", "m", "what is added to the length", (), FINITE),
    ]
    if more:
        rows += [
            ("position_limit", "limit", "m", "limits of the length (lower, upper)", (2,), RANGE),
            ("rest_length", "rest_length", "m", "length without force", (), FINITE),
        ]
    return [
        FieldSpec(
            f"{axis}_{name}", AXES[axis], arg, unit, doc, BufferColumns(f"{axis}_{name}"), tail,
            domain,
        )
        for name, arg, unit, doc, tail, domain in rows
    ]  # fmt: skip


FIELDS: dict[str, FieldSpec] = _Table(
    (row.name, row)
    for row in (
        *_roots("root", "root"),
        *_roots("object", "object"),
        *_roots("object_body", "body", plural=True),
        *_JOINTS,
        *_THRUSTERS,
        *_BODIES,
        *_SHAPES,
        *_NODES,
        *_tendons("fixed_tendon", True),
        *_tendons("spatial_tendon", False),
    )
)
"""Rows by name."""
