"""Rigid body views of Isaac Sim: poses, velocities, masses and forces of bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pxr import UsdPhysics

from usdsim.assets.common.root_view import RootView
from usdsim.assets.common.wrenches import BodyWrenches
from usdsim.compat.classes.physics_views import PhysicsSimView
from usdsim.sim import SimulationContext
from usdsim.usd.attributes import author
from usdsim.usd.schemas import apply_api
from usdsim.views.selection import Indices, selected

from .backends import given, poses_given, rows
from .moving import MovingPrims

__all__ = ["RigidPrim", "RigidPrimView"]


class RigidPrim(MovingPrims):
    """Bodies that expressions match; prims that are none become bodies before the start.

    Links of robots are bodies as well; their poses and velocities are read only.

    Args:
        prim_paths_expr: expression of paths, or several.
        name: what it is called.
        masses: masses [kg], shape (n,); None: as authored.
        densities: densities [kg/m^3], shape (n,); None: as authored.
        linear_velocities: first ones in world [m/s], shape (n, 3).
        angular_velocities: first ones in world [rad/s], shape (n, 3).
        **others: see `XFormPrim`; settings of contacts have no effect.
    """

    _pushed: SimulationContext | None = None

    def __init__(
        self,
        prim_paths_expr: str | Sequence[str],
        name: str = "rigid_prim_view",
        *args: Any,
        masses: Any = None,
        densities: Any = None,
        linear_velocities: Any = None,
        angular_velocities: Any = None,
        track_contact_forces: bool = False,
        prepare_contact_sensors: bool = True,
        disable_stablization: bool = True,
        contact_filter_prim_paths_expr: Sequence[str] = (),
        max_contact_count: int = 0,
        **others: Any,
    ):
        super().__init__(prim_paths_expr, name, *args, **others)
        for prim in self.prims:
            if not prim.HasAPI(UsdPhysics.RigidBodyAPI) and not prim.IsInstanceProxy():
                apply_api(prim, "PhysicsRigidBodyAPI")
        for values, attribute in ((masses, "mass"), (densities, "density")):
            if values is not None:
                self._author_mass(attribute, values)
        self._author_velocities("velocity", linear_velocities)
        self._author_velocities("angularVelocity", angular_velocities, np.degrees(1.0))

    def _bind(self, simulation: SimulationContext) -> RootView:
        views = PhysicsSimView(simulation)
        view = views.create_rigid_body_view(self.expressions)
        self._wrenches = BodyWrenches(view, view._data)
        return view

    def _push(self, dt: float) -> None:
        """Write forces with the step that they are for; the next step's write takes them away."""
        if self._physics_view is not None:
            self._wrenches.applied.write()

    def _author_mass(self, name: str, values: Any) -> None:
        for prim, value in zip(self.prims, np.broadcast_to(rows(values), self.count), strict=True):  # type: ignore[arg-type]
            api = UsdPhysics.MassAPI.Apply(prim)
            create = api.CreateMassAttr if name == "mass" else api.CreateDensityAttr
            create(float(value))

    def _author_velocities(self, name: str, values: Any, unit: float = 1.0) -> None:
        for prim, value in zip(self.prims, [] if values is None else rows(values), strict=False):  # type: ignore[arg-type]
            author(prim, f"physics:{name}", "vector3f", (unit * value).tolist())

    # -- masses --------------------------------------------------------------------------------

    def get_masses(self, indices: Indices = None, clone: bool = True) -> Any:
        """Masses [kg], shape (n,)."""
        return given(self._read("masses", indices).reshape(-1))

    def set_masses(self, masses: Any, indices: Indices = None) -> None:
        """Set masses [kg], shape (n,); moments of inertia stay."""
        if self._physics_view is None:
            self._author_mass("mass", masses)
        else:
            self._write("masses", [(slice(0, 1), np.reshape(rows(masses), (-1, 1)))], indices)  # type: ignore[arg-type]

    def get_coms(self, indices: Indices = None, clone: bool = True) -> Any:
        """Centres of mass [m], shape (n, 3), and principal axes wxyz, (n, 4), in the bodies."""
        return poses_given(self._read("coms", indices).reshape(-1, 7))

    def get_inertias(self, indices: Indices = None, clone: bool = True) -> Any:
        """Moments of inertia about the centres of mass [kg m^2], shape (n, 9)."""
        return given(self._read("inertias", indices).reshape(-1, 9))

    # -- forces --------------------------------------------------------------------------------

    def apply_forces(self, forces: Any, indices: Indices = None, is_global: bool = True) -> None:
        """Push bodies at their centres of mass; see `apply_forces_and_torques_at_pos`."""
        self.apply_forces_and_torques_at_pos(forces, indices=indices, is_global=is_global)

    def apply_forces_and_torques_at_pos(
        self,
        forces: Any = None,
        torques: Any = None,
        positions: Any = None,
        indices: Indices = None,
        is_global: bool = True,
    ) -> None:
        """Push bodies in the next time step, and in no other.

        Args:
            forces: forces [N], shape (n, 3); None: none.
            torques: torques [N m], shape (n, 3); None: none.
            positions: points of action [m], shape (n, 3); None: the centres of mass.
            indices: some bodies; None: all.
            is_global: whether all of these are in world, rather than in the frames of the bodies.
        """
        view = self._running
        simulation = SimulationContext.instance()
        if self._pushed is not simulation:
            self._pushed = simulation
            simulation.add_physics_callback(f"forces of {self.name} {id(self)}", self._push)  # type: ignore[union-attr]
        chosen = selected("indices", indices, view.count)
        force, torque, point = (
            None if values is None else rows(values)[:, None]  # type: ignore[index]
            for values in (forces, torques, positions)
        )
        self._wrenches.instantaneous.set_forces_and_torques_index(
            force, torque, point, env_ids=chosen, is_global=is_global
        )


RigidPrimView = RigidPrim
"""Its name before Isaac Sim 4.5."""
