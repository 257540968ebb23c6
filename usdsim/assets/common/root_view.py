"""Root view: masses, drives, states and dynamics of an asset under the names of PhysX tensor views.

Getters give copies, with an axis for the numbers of poses, velocities and limits. Setters take
values of all instances and write those of the given ones, at once; targets and efforts act with the
next `write_data_to_sim` of the asset. Quaternions are xyzw.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np
import warp as wp

from usdsim.core.errors import StageError
from usdsim.views import FIELDS, AssetView
from usdsim.views.layout import FREE
from usdsim.views.memory import part_of
from usdsim.views.selection import Indices
from usdsim.views.usable import UsableArray, usable
from usdsim.views.values import Values, broadcast, reshaped

from .matching import instance_paths

__all__ = ["GETTERS", "SETTERS", "RootView", "numbers"]

GETTERS: dict[str, str] = {
    "masses": "body_mass",
    "coms": "body_com_pose_b",
    "inertias": "body_inertia",
    "material_properties": "material_properties",
    "root_transforms": "root_link_pose_w",
    "root_velocities": "root_com_vel_w",
    "transforms": "root_link_pose_w",
    "velocities": "root_com_vel_w",
    "accelerations": "body_com_acc_w",
    "link_transforms": "body_link_pose_w",
    "link_velocities": "body_com_vel_w",
    "link_accelerations": "body_com_acc_w",
    "link_incoming_joint_force": "body_incoming_joint_wrench_b",
    "dof_positions": "joint_pos",
    "dof_velocities": "joint_vel",
    "dof_accelerations": "joint_acc",
    "dof_position_targets": "joint_pos_target",
    "dof_velocity_targets": "joint_vel_target",
    "dof_actuation_forces": "joint_effort_target",
    "dof_stiffnesses": "joint_stiffness",
    "dof_dampings": "joint_damping",
    "dof_armatures": "joint_armature",
    "dof_friction_coefficients": "joint_friction_coeff",
    "dof_limits": "joint_pos_limits",
    "dof_max_velocities": "joint_vel_limits",
    "dof_max_forces": "joint_effort_limits",
    "fixed_tendon_stiffnesses": "fixed_tendon_stiffness",
    "fixed_tendon_dampings": "fixed_tendon_damping",
    "fixed_tendon_limit_stiffnesses": "fixed_tendon_limit_stiffness",
    "fixed_tendon_limits": "fixed_tendon_pos_limits",
    "fixed_tendon_rest_lengths": "fixed_tendon_rest_length",
    "fixed_tendon_offsets": "fixed_tendon_offset",
    "spatial_tendon_stiffnesses": "spatial_tendon_stiffness",
    "spatial_tendon_dampings": "spatial_tendon_damping",
    "spatial_tendon_limit_stiffnesses": "spatial_tendon_limit_stiffness",
    "spatial_tendon_offsets": "spatial_tendon_offset",
    "jacobians": "body_com_jacobian_w",
    "mass_matrices": "mass_matrix",
    "generalized_mass_matrices": "mass_matrix",
    "gravity_compensation_forces": "gravity_compensation_forces",
    "generalized_gravity_forces": "gravity_compensation_forces",
}
"""Quantity of the data behind ``get_`` and the name."""

SETTERS: dict[str, str] = {
    "masses": "masses",
    "coms": "coms",
    "inertias": "inertias",
    "material_properties": "material_properties",
    "root_transforms": "root_link_pose",
    "root_velocities": "root_com_velocity",
    "transforms": "root_link_pose",
    "velocities": "root_com_velocity",
    "dof_positions": "joint_position",
    "dof_velocities": "joint_velocity",
    "dof_position_targets": "joint_position_target",
    "dof_velocity_targets": "joint_velocity_target",
    "dof_actuation_forces": "joint_effort_target",
    "dof_stiffnesses": "joint_stiffness",
    "dof_dampings": "joint_damping",
    "dof_armatures": "joint_armature",
    "dof_friction_coefficients": "joint_friction_coefficient",
    "dof_limits": "joint_position_limit",
    "dof_max_velocities": "joint_velocity_limit",
    "dof_max_forces": "joint_effort_limit",
}
"""Row of the field table behind ``set_`` and the name."""


_FRICTION = ("", "dynamic_", "viscous_")
"""Kinds of friction of joints, in the order of PhysX."""


def numbers(array: wp.array) -> UsableArray:
    """An array of numbers over the memory of one of vectors or poses, whose axis comes last."""
    width = getattr(array.dtype, "_length_", 1)
    if width == 1:
        return usable(array)
    shape, strides = (*array.shape, width), (*array.strides, 4)
    return usable(part_of(array, wp.float32, shape, strides))


class RootView(AssetView):
    """The window of an asset on the engine, with the getters and setters of PhysX tensor views.

    ``get_masses()`` and its like are the rows of `GETTERS`, ``set_masses(values, indices)`` those
    of `SETTERS`.
    """

    _data: Any = None
    _paths: Sequence[str] = ()
    _env_paths: Sequence[str] = ()

    def attach(self, data: Any, prims: Sequence[str], env_paths: Sequence[str]) -> None:
        """Attach the data and the prims of the asset.

        Args:
            data: its data.
            prims: paths of its instances in one world.
            env_paths: prim paths of the environments.
        """
        self._data, self._paths, self._env_paths = data, prims, env_paths

    # -- what it is ----------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """Number of instances."""
        return self.layout.num_instances

    @property
    def max_links(self) -> int:
        """Number of bodies of an instance."""
        return self.layout.num_bodies

    @property
    def max_shapes(self) -> int:
        """Number of colliders of an instance."""
        return len(self.layout.geom_names)

    @property
    def max_dofs(self) -> int:
        """Number of hinges and slides of an instance."""
        return self.layout.num_joints

    @property
    def max_fixed_tendons(self) -> int:
        """Number of fixed tendons of an instance."""
        return len(self.layout.fixed_tendon_names)

    @property
    def max_spatial_tendons(self) -> int:
        """Number of spatial tendons of an instance."""
        return len(self.layout.spatial_tendon_names)

    @property
    def shapes_per_link(self) -> list[int]:
        """Number of colliders of each body, in whose order material properties are."""
        layout = self.layout
        owners = self.engine.compiled.mj.geom_bodyid[layout.geoms[0]]
        return [int((owners == body).sum()) for body in layout.bodies[0]]

    @property
    def prim_paths(self) -> list[str]:
        """Prim path of each instance."""
        return instance_paths(self._paths, self._env_paths, self.layout.num_worlds)

    @property
    def link_paths(self) -> list[list[str]]:
        """Prim paths of the bodies of each instance."""
        known = self.engine.compiled.names.paths("body")
        bodies = [known[body] for body in self.layout.bodies.ravel()]
        paths = instance_paths(bodies, self._env_paths, self.layout.num_worlds)
        each = self.layout.num_bodies
        return [paths[i : i + each] for i in range(0, len(paths), each)]

    @cached_property
    def shared_metatype(self) -> SimpleNamespace:
        """Names and numbers that all instances have in common.

        ``link_names``, ``dof_names``, ``link_count``, ``dof_count``, ``fixed_base`` and
        ``link_indices``, ``dof_indices`` by name.
        """
        layout = self.layout
        links, dofs = list(layout.body_names), list(layout.joint_names)
        return SimpleNamespace(
            link_names=links,
            dof_names=dofs,
            joint_names=dofs,
            link_count=len(links),
            dof_count=len(dofs),
            joint_count=len(dofs),
            fixed_base=bool((layout.root_kinds != FREE).all()),
            link_indices={name: i for i, name in enumerate(links)},
            dof_indices={name: i for i, name in enumerate(dofs)},
        )

    # -- reading and writing -------------------------------------------------------------------

    def read(self, name: str) -> UsableArray:
        """A copy of a quantity of the data, with an axis for the numbers of vectors and poses.

        That of the one body of rigid objects is left out.

        Raises:
            StageError: the asset has none of this name.
        """
        array = getattr(self._data, name, None)
        if array is None:
            raise StageError(f"{self.layout.title} has no {name}.")
        found = numbers(wp.clone(array))
        of_bodies = name != "material_properties"
        if self._of_rigid_object and of_bodies and found.ndim > 2 and found.shape[1] == 1:
            found = usable(found.reshape((found.shape[0], *found.shape[2:])))
        return found

    def put(self, field: str, values: Values, indices: Indices = None) -> None:
        """Write a row of the field table, of values of all instances.

        Args:
            field: the row.
            values: in the shape `read` gives.
            indices: which instances are written; None: all.
        """
        spec, array = self.spec(field), values
        if self._of_rigid_object and spec.tail and spec.axis.shape in ("body", "geom"):
            array = reshaped(field, values, (self.count, -1, *spec.tail))
        self.write(field, array, indices, full_data=True)

    @property
    def _of_rigid_object(self) -> bool:
        """Whether there is one body, so that poses and inertias have no axis of bodies."""
        return self._flat and not hasattr(self._quantities, "joint_pos")

    def get_dof_friction_properties(self) -> UsableArray:
        """Static, dynamic and viscous friction, shape (num_instances, num_joints, 3)."""
        arrays = [self.read(f"joint_{kind}friction_coeff").numpy() for kind in _FRICTION]
        stacked = np.stack(arrays, axis=-1)
        return usable(wp.array(stacked, dtype=wp.float32, device=self.device))

    def set_dof_friction_properties(self, values: Values, indices: Indices = None) -> None:
        """Write static, dynamic and viscous friction of the joints.

        Args:
            values: those of all instances, shape (num_instances, num_joints, 3).
            indices: which instances are written; None: all.
        """
        shape = (self.layout.num_instances, self.layout.num_joints, len(_FRICTION))
        given = broadcast("friction of joints", values, shape, domain=None)
        parts = np.moveaxis(given, -1, 0)
        for kind, part in zip(_FRICTION, parts, strict=True):
            self.write(f"joint_{kind}friction_coefficient", part, indices, full_data=True)


def _getter(name: str, quantity: str) -> Callable[[RootView], UsableArray]:
    def get(self: RootView) -> UsableArray:
        return self.read(quantity)

    get.__name__, get.__qualname__ = f"get_{name}", f"RootView.get_{name}"
    get.__doc__ = f"A copy of ``data.{quantity}``, as plain numbers."
    return get


def _setter(name: str, row: str) -> Callable[..., None]:
    spec = FIELDS[row]

    def write(self: RootView, values: Values, indices: Indices = None) -> None:
        self.put(row, values, indices)

    write.__name__, write.__qualname__ = f"set_{name}", f"RootView.set_{name}"
    write.__doc__ = (
        f"Write {spec.doc} [{spec.unit}].\n\nArgs:\n"
        f"    values: those of all instances, shape {spec.shape}.\n"
        "    indices: which instances are written; None: all."
    )
    return write


for _name, _quantity in GETTERS.items():
    setattr(RootView, f"get_{_name}", _getter(_name, _quantity))
for _name, _row in SETTERS.items():
    setattr(RootView, f"set_{_name}", _setter(_name, _row))
