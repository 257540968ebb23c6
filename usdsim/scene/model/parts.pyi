"""Parts of a `SceneModel`, whose members are its own.

Written by ``python -m usdsim.views.stubs usdsim.scene.model.parts``.
"""

from collections.abc import Iterable, Mapping, Sequence
import numpy as np
from numpy.typing import ArrayLike, NDArray
from usdsim.scene.arrays import FloatArray
from usdsim.scene.cameras.manager import CameraMgr
from usdsim.scene.contacts.constraints_report import ConstraintsReport
from usdsim.scene.contacts.contacts import Contacts
from usdsim.scene.contacts.query import ContactQuery
from usdsim.scene.contacts.reports import ReportFlags
from usdsim.scene.data.scene_data import SceneData
from usdsim.scene.elements.element import Element
from usdsim.scene.elements.link import Link
from usdsim.scene.kinematics.frames import Select
from usdsim.scene.model.dynamics import ModelDynamics
from usdsim.scene.model.links import Indices, ModelLinks
from usdsim.scene.model.overrides import ModelOverrides
from usdsim.scene.model.queries import ModelQueries
from usdsim.scene.model.readings import ModelReadings
from usdsim.scene.parameters.overrides import InvalidPolicy
from usdsim.scene.queries.query import Request
from usdsim.scene.queries.read_plan import QueryPlan
from usdsim.scene.queries.write_plan import WritePlan
from usdsim.scene.sensors.lidar import Lidar
from usdsim.scene.sensors.values import SensorLayout
from usdsim.scene.terrain.rays import RayHits

__all__ = [
    "ModelParts",
]

class ModelParts:
    """Operations on the data of a model, by subject."""

    _link_readings: ModelLinks

    def get_link_poses(
        self,
        data: SceneData,
        indices: Indices = None,
        out: FloatArray | None = None,
    ) -> FloatArray:
        """World poses of links: position [m] and quaternion (x, y, z, w), shape (*B, L, 7).

        Args:
            data: the worlds.
            indices: which links, shape (L,), or a slice; None: all.
            out: array to fill, float32 of shape (*B, L, 7).
        """

    def get_link_positions(
        self,
        data: SceneData,
        indices: Indices = None,
        out: FloatArray | None = None,
    ) -> FloatArray:
        """World positions of links [m], shape (*B, L, 3). Arguments as `get_link_poses`."""

    def get_link_rotations(
        self,
        data: SceneData,
        indices: Indices = None,
        out: FloatArray | None = None,
    ) -> FloatArray:
        """World orientations of links (x, y, z, w), shape (*B, L, 4). As `get_link_poses`."""

    def get_link_states(
        self,
        data: SceneData,
        indices: Indices = None,
        quat_order: str = "xyzw",
        out_pos: FloatArray | None = None,
        out_quat: FloatArray | None = None,
        out_linvel: FloatArray | None = None,
        out_angvel: FloatArray | None = None,
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """World positions, orientations, linear and angular velocities of links.

        Args:
            data: the worlds.
            indices: which links, shape (L,), or a slice; None: all.
            quat_order: ``"xyzw"`` or ``"wxyz"``.
            out_pos: array to fill with positions [m], shape (*B, L, 3).
            out_quat: array to fill with quaternions, shape (*B, L, 4).
            out_linvel: array to fill with velocities of origins [m/s], shape (*B, L, 3).
            out_angvel: array to fill with angular velocities [rad/s], shape (*B, L, 3).
        """

    def get_link_rotation_mats(
        self,
        data: SceneData,
        indices: Indices = None,
        out: FloatArray | None = None,
    ) -> FloatArray:
        """Matrices from links to world, shape (*B, L, 3, 3). Arguments as `get_link_poses`."""

    def get_link_linear_velocities(
        self,
        data: SceneData,
        indices: Indices = None,
        out: FloatArray | None = None,
    ) -> FloatArray:
        """World velocities of link origins [m/s], shape (*B, L, 3). As `get_link_poses`."""

    def get_link_angular_velocities(
        self,
        data: SceneData,
        indices: Indices = None,
        out: FloatArray | None = None,
    ) -> FloatArray:
        """World angular velocities of links [rad/s], shape (*B, L, 3). As `get_link_poses`."""

    def get_link_velocities(
        self,
        data: SceneData,
        indices: Indices = None,
        out: FloatArray | None = None,
    ) -> FloatArray:
        """Linear [m/s] and angular [rad/s] velocities of links in world, shape (*B, L, 6)."""

    def link_bodies(
        self,
        indices: Indices,
    ) -> Select:
        """Engine bodies of link indices, shape (L,), or of a slice of them; None: all."""

    _queries: ModelQueries

    @property
    def reports_constraints(self) -> bool:
        """Whether every step also makes the report; see `enable_constraints_report`."""

    def enable_constraints_report(
        self,
        enabled: bool = True,
    ) -> None:
        """Make the report on constraints part of every step of all data of this model.

        Without, `get_constraints_report` makes it when asked, which costs about 20 us per world;
        with, that time is spent in the step, and asking afterwards costs nothing.

        Args:
            enabled: whether to.
        """

    def get_constraints_report(
        self,
        data: SceneData,
    ) -> ConstraintsReport:
        """Iterations, residuals, numbers and forces of constraints in the current state."""

    @property
    def breakable_joints(self) -> tuple[str, ...]:
        """Prim paths of the joints that break, in stage order."""

    def get_broken_joints(
        self,
        data: SceneData,
    ) -> NDArray[np.bool_]:
        """Broken joints among `breakable_joints`, shape (*B, joints). Resets mend joints.

        A joint breaks at the end of the first step in which the force or the torque it transmits,
        about its frame, is above what the stage says. How large they were is what the sensors
        ``<path>:force`` and ``<path>:torque`` say.
        """

    @property
    def cameras(self) -> CameraMgr:
        """All cameras: ``model.cameras["name"]``, ``model.cameras[0]``, iteration and `len`."""

    def get_camera_poses(
        self,
        data: SceneData,
    ) -> FloatArray:
        """World poses of all cameras: position [m], quaternion (x, y, z, w), (*B, cameras, 7)."""

    @property
    def reports(self) -> ReportFlags:
        """Switches of reports, which programs may set; see `ReportFlags`."""

    def get_contact_query(
        self,
        data: SceneData,
    ) -> ContactQuery:
        """Query of contacts between elements in `data`, now and whenever it is asked later."""

    def get_contacts(
        self,
        data: SceneData,
    ) -> Contacts:
        """All contacts of the current state with their forces, worlds one after the other."""

    def get_link_net_contact_forces(
        self,
        data: SceneData,
    ) -> FloatArray:
        """Sum of the contact forces on each link in the current state, in world, shape (*B, L, 6).

        Force [N], then torque about the link's centre of mass [N m]. See `ContactQuery` for what
        the current state means.
        """

    def cast_rays(
        self,
        data: SceneData,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: float = ...,
        exclude: Link | None = None,
        groups: Iterable[int] | None = None,
        include_static: bool = True,
    ) -> RayHits:
        """Find what rays meet first in the current state of each world.

        Geoms that are fully transparent are not hit, and rays that start inside a geom hit its far
        side. Reading changes nothing; the next step computes positions anew.

        Args:
            data: the worlds.
            origins: where rays start, in world [m]: (3,), (R, 3) for all worlds, or (*B, R, 3).
            directions: where they go, in world, of any length but zero; shapes as `origins`.
            max_distance: hits beyond this do not count [m].
            exclude: a link whose geoms are not hit.
            groups: groups of geoms that may be hit, 0 to 5; None: all.
            include_static: whether what cannot move may be hit.
        """

    @property
    def reference_positions(self) -> NDArray[np.float64]:
        """Origins of the engine's bodies in the reference pose, in world [m], shape (nbody, 3)."""

    _dynamics: ModelDynamics

    def get_link_jacobians(
        self,
        data: SceneData,
        indices: ArrayLike | slice | None = None,
    ) -> FloatArray:
        """Jacobians from ``dof_vel`` to link origins in world, shape (*B, L, 6, num_dof_vel).

        The first three rows give the angular, the last three the linear velocity.

        Args:
            data: the worlds.
            indices: which links, shape (L,), or a slice; None: all.
        """

    def get_com(
        self,
        data: SceneData,
    ) -> FloatArray:
        """Centre of mass of everything in world [m], shape (*B, 3)."""

    def get_com_jacobian(
        self,
        data: SceneData,
    ) -> FloatArray:
        """Jacobian from ``dof_vel`` to the centre of mass, shape (*B, 3, num_dof_vel)."""

    def get_mass_matrix(
        self,
        data: SceneData,
    ) -> FloatArray:
        """Inertia of all degrees of freedom, armature included, shape (*B, nv, nv)."""

    def get_bias_forces(
        self,
        data: SceneData,
    ) -> FloatArray:
        """Coriolis, centrifugal and gravity forces, as to be balanced, shape (*B, nv)."""

    def get_gravity_forces(
        self,
        data: SceneData,
    ) -> FloatArray:
        """The part of `get_bias_forces` due to weight: what holds everything, shape (*B, nv)."""

    def get_coriolis_forces(
        self,
        data: SceneData,
    ) -> FloatArray:
        """The part of `get_bias_forces` due to motion, shape (*B, nv)."""

    def get_passive_forces(
        self,
        data: SceneData,
    ) -> FloatArray:
        """Forces of springs, dampers and gravity compensation, shape (*B, nv)."""

    def inverse_dynamics(
        self,
        data: SceneData,
        acceleration: ArrayLike,
        passive: bool = True,
    ) -> FloatArray:
        """Forces that give an acceleration in the current state, shape (*B, nv).

        Args:
            data: the worlds.
            acceleration: [m/s^2 or rad/s^2], shape (nv,) or (*B, nv).
            passive: let springs and dampers do their part; without, forces have to replace them.
        """

    def forward_dynamics(
        self,
        data: SceneData,
        forces: ArrayLike,
        passive: bool = True,
    ) -> FloatArray:
        """Acceleration that forces give in the current state, shape (*B, nv).

        Args:
            data: the worlds.
            forces: [N or N m], shape (nv,) or (*B, nv).
            passive: count the forces of springs and dampers.
        """

    _overrides: ModelOverrides

    def get_gravity_override(
        self,
        data: SceneData,
    ) -> FloatArray:
        """Gravity of each world [m/s^2], shape (*B, 3)."""

    def set_gravity_override(
        self,
        data: SceneData,
        gravity: ArrayLike,
        invalid: InvalidPolicy = "raise",
    ) -> None:
        """Set the gravity of each world [m/s^2], shape (3,) or (*B, 3).

        Args:
            data: the worlds.
            gravity: in world.
            invalid: ``"ignore"`` leaves worlds whose gravity is not finite as they are;
                ``"raise"`` refuses the call.
        """

    def get_overrides(
        self,
        data: SceneData,
        elements: Sequence[Element],
        name: str,
    ) -> FloatArray:
        """A parameter of several elements of one kind, such as ``"mass"``, shape (*B, n, ...)."""

    def set_overrides(
        self,
        data: SceneData,
        elements: Sequence[Element],
        name: str,
        values: ArrayLike,
        invalid: InvalidPolicy = "raise",
    ) -> None:
        """Set a parameter of several elements at once, which is faster than one by one.

        Args:
            data: the worlds.
            elements: links, joints, geoms, actuators or tendons of one kind, without repetition.
            name: the parameter, such as ``"mass"``: see `Element.override_names`.
            values: shape (n, ...) for all worlds alike, or (*B, n, ...).
            invalid: ``"ignore"`` leaves worlds with values that are not allowed as they are;
                ``"raise"`` refuses the call.
        """

    _readings: ModelReadings

    def get_sensor_value(
        self,
        id: str | int,
        data: SceneData,
        noise: bool = True,
    ) -> FloatArray:
        """Values of a sensor by name, path or index, shape (*B, size).

        Args:
            id: which sensor.
            data: the worlds.
            noise: add noise, if `SceneData.seed_sensor_noise` was called.
        """

    def get_sensor_values(
        self,
        names: Sequence[str | int],
        data: SceneData,
        noise: bool = True,
    ) -> FloatArray:
        """Values of several sensors, one after the other, shape (*B, sum of sizes).

        Args:
            names: which sensors, by name, path or index.
            data: the worlds.
            noise: add noise, if `SceneData.seed_sensor_noise` was called.
        """

    def compile_query(
        self,
        requests: Sequence[Request] | Mapping[str, Request],
    ) -> QueryPlan:
        """Resolve once what is read at every step.

        Args:
            requests: what to read, in this order: ``"hand.pose"`` (element by name or path, and
                quantity), ``"link:hand.pose"`` if elements of several kinds have the name,
                ``(element, "pose")``, or ``"dof_pos"``, ``"dof_vel"``, ``"actuator_ctrls"``,
                ``"com"`` and ``"time"`` of the whole scene. A mapping gives the parts other names.
                Links, sites and geoms have ``pose``, ``position``, ``rotation``,
                ``rotation_mat``, ``linear_velocity``, ``angular_velocity`` and ``velocity``, links
                ``com`` too; bodies the same as their base link, ``joint_dof_pos`` and
                ``joint_dof_vel``; joints and floating bases ``dof_pos`` and ``dof_vel``; sensors
                ``value``; actuators ``ctrl``; tendons ``length`` and ``velocity``; cameras
                ``pose``. Sources of `usdsim.query`, such as ``LinkPosition(["hand"])``, are for
                many elements at once; they need a mapping.
        """

    def compile_write(
        self,
        requests: Sequence[Request] | Mapping[str, Request],
        reset: bool = False,
        reset_overrides: bool = True,
        forward_kinematic: bool = False,
    ) -> WritePlan:
        """Resolve once what is written again and again.

        Args:
            requests: what to write, as for `compile_query`: ``dof_pos`` and ``dof_vel`` of joints,
                floating bases and the whole scene, ``joint_dof_pos`` and ``joint_dof_vel`` of
                bodies, ``ctrl`` of actuators, ``actuator_ctrls``, and ``pose`` of mocap bodies.
                Sources of `usdsim.write`, such as ``LinkMassOverride()``, are for many elements at
                once; they need a mapping.
            reset: whether programs of the plan put worlds back to their initial state first.
            reset_overrides: whether that also drops parameters set for single worlds.
            forward_kinematic: whether programs of the plan compute kinematics at once.
        """

    @property
    def sensor_layout(self) -> SensorLayout:
        """Layout of the values of sensors."""

    @property
    def lidars(self) -> dict[int, Lidar]:
        """Lidars, by engine id of the sensor."""
