"""Dynamics data: Jacobians, mass matrix and gravity of an articulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.assets.common.data import AssetData
from usdsim.math.rotations import quat_from_wxyz, quat_to_matrix
from usdsim.views import FIELDS, AssetView
from usdsim.views.layout import FREE
from usdsim.views.memory import part_of
from usdsim.views.usable import usable

from .dynamics_kernels import jacobians

__all__ = ["DynamicsData"]

_BASE = 6
_INPUTS = (
    "engine:cdof",
    "engine:subtree_com",
    "model:last_dofs",
    "model:dof_parentid",
    "layout:bodies",
    "model:body_trees",
)


class _Dynamics:
    """Computes the dynamics of an articulation when they are read.

    Args:
        view: window of the articulation on the engine.
    """

    def __init__(self, view: AssetView):
        self._view = view
        layout, model = view.layout, view.engine.compiled.mj
        self._base = _BASE if (layout.root_kinds == FREE).all() else 0
        self.count = self._base + layout.num_joints
        table = np.full((layout.matches, model.nv), -1, np.int32)
        rows = np.arange(layout.matches)[:, None]
        if self._base:
            table[rows, layout.root_dofs + np.arange(_BASE)] = np.arange(_BASE)
        table[rows, layout.joint_dofs] = self._base + np.arange(layout.num_joints)
        self._columns = wp.array(table, dtype=wp.int32, device=view.device)
        self._arrays: dict[str, wp.array] = {}
        self._parts: dict[str, wp.array] = {}
        self._seen: dict[str, tuple[int, ...]] = {}

    def jacobian(self, origin: str) -> wp.array:
        """Jacobians of bodies at engine points ``xpos`` or ``xipos``."""
        layout = self._view.layout
        out = self._array(origin, (layout.num_bodies, 6, self.count))
        if not self._fresh(origin):
            out.zero_()
            inputs = []
            for name in (*_INPUTS[:2], f"engine:{origin}", *_INPUTS[2:]):
                array, ready = self._view.input(name)
                if ready is not None:
                    ready()
                inputs.append(array)
            wp.launch(
                self._view.arrays.kernel(jacobians),
                dim=(layout.num_instances, layout.num_bodies),
                inputs=[*inputs, self._columns],
                outputs=[out],
                device=self._view.device,
            )
            self._turn_base(out)
        return out

    def movable(self, origin: str) -> wp.array:
        """The same without the row of a root that counts as fixed."""
        whole = self.jacobian(origin)
        if self._base:
            return whole
        layout = self._view.layout
        others = np.flatnonzero(layout.bodies[0] != layout.roots[0, 0])
        shape = (whole.shape[0], len(others), *whole.shape[2:])
        if len(others) and others[0] == 1:  # the root comes first
            if origin not in self._parts:
                part = part_of(whole, wp.float32, shape, whole.strides, whole.strides[1])
                self._parts[origin] = usable(part)
            return self._parts[origin]
        out = self._array(f"movable {origin}", shape[1:])
        out.assign(whole.numpy()[:, others])
        return out

    def mass_matrix(self) -> wp.array:
        """Kinetic energy's matrix, shape (num_instances, count, count)."""
        out = self._array("mass", (self.count, self.count))
        if not self._fresh("mass"):
            view = self._view
            jacobian = self.jacobian("xipos").numpy().astype(np.float64)
            linear, angular = jacobian[:, :, :3], jacobian[:, :, 3:]
            mass = FIELDS["masses"].read(view)[..., None, None]
            inertia = FIELDS["inertias"].read(view).reshape(*mass.shape[:2], 3, 3)
            turn = quat_to_matrix(view.slot("body_link_quat_w").current().numpy())
            world = turn @ inertia @ np.swapaxes(turn, -1, -2)
            matrix = np.swapaxes(linear, -1, -2) @ (mass * linear)
            matrix += np.swapaxes(angular, -1, -2) @ (world @ angular)
            total = matrix.sum(axis=1)
            joints = np.arange(self._base, self.count)
            total[:, joints, joints] += FIELDS["joint_armature"].read(view)
            out.assign(total.astype(np.float32))
        return out

    def gravity_forces(self) -> wp.array:
        """Forces that hold the articulation against gravity, shape (num_instances, count)."""
        out = self._array("gravity", (self.count,))
        if not self._fresh("gravity"):
            engine, layout = self._view.engine, self._view.layout
            linear = self.jacobian("xipos").numpy()[:, :, :3].astype(np.float64)
            shape = (layout.num_instances, layout.num_bodies)
            felt = 1.0 - engine.param("body_gravcomp")[:, layout.bodies].reshape(shape)
            weight = FIELDS["masses"].read(self._view) * felt
            gravity = np.repeat(engine.param("opt.gravity"), layout.matches, axis=0)
            force = -np.einsum("nb,nk,nbkd->nd", weight, gravity, linear, optimize=True)
            out.assign(force.astype(np.float32))
        return out

    def _turn_base(self, jacobians_inout: wp.array) -> None:
        """Turn the root's angular velocity in Jacobians from its own axes to those of the world."""
        if not self._base:
            return
        roots = self._view.layout.roots[:, 0]
        quat = self._view.engine.read("xquat")[:, roots].reshape(-1, 4)
        turn = quat_to_matrix(quat_from_wxyz(quat))[:, None]
        values = np.array(jacobians_inout.numpy())
        values[..., 3:_BASE] = values[..., 3:_BASE] @ np.swapaxes(turn, -1, -2)
        jacobians_inout.assign(values)

    def _array(self, name: str, size: tuple[int, ...]) -> wp.array:
        if name not in self._arrays:
            shape = (self._view.layout.num_instances, *size)
            array = wp.zeros(shape, dtype=wp.float32, device=self._view.device)
            self._arrays[name] = usable(array)
        return self._arrays[name]

    def _fresh(self, name: str) -> bool:
        """Whether an array is of the present state; it will be."""
        versions = self._view.engine.versions
        now = (versions.motion, versions.parameters)
        known = self._seen.get(name) == now
        self._seen[name] = now
        return known


class DynamicsData(AssetData):
    """Dynamics in terms of the velocities of a floating root's link and of the joints.

    A floating base comes first with six columns, the linear and angular velocity of the root link's
    origin in world; then come the joints. Ball joints have no column: they count as locked.
    """

    def _open_defaults(self, initial: NDArray[Any]) -> None:
        super()._open_defaults(initial)
        self._dynamics = _Dynamics(self._view)

    @property
    def num_dofs(self) -> int:
        """Number of these velocities."""
        return self._dynamics.count

    @property
    def body_link_jacobian_w(self) -> wp.array:
        """Velocities of the links' origins in world, linear first, per velocity.

        [m, 1], shape (num_instances, num_rows, 6, num_dofs): a row per body, but for a fixed root.
        """
        return self._dynamics.movable("xpos")

    @property
    def body_com_jacobian_w(self) -> wp.array:
        """Velocities of the links' centres of mass in world, linear first, per velocity.

        [m, 1], shape (num_instances, num_rows, 6, num_dofs): a row per body, but for a fixed root.
        """
        return self._dynamics.movable("xipos")

    @property
    def mass_matrix(self) -> wp.array:
        """Mass matrix with armature, in the same velocities.

        [kg, kg m, kg m^2], shape (num_instances, num_dofs, num_dofs).
        """
        return self._dynamics.mass_matrix()

    @property
    def gravity_compensation_forces(self) -> wp.array:
        """Forces on the same velocities that hold the articulation against gravity.

        [N, N m], shape (num_instances, num_dofs).
        """
        return self._dynamics.gravity_forces()
