"""Robot views of Isaac Sim: joints, drives and roots of articulations."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from usdsim.actuators import ArticulationActions
from usdsim.assets import Articulation as _Articulation
from usdsim.assets import ArticulationCfg
from usdsim.assets.common.root_view import RootView
from usdsim.core.errors import UnknownNameError
from usdsim.sim import SimulationContext
from usdsim.views.selection import Indices, selected

from .backends import given
from .moving import MovingPrims

__all__ = ["Articulation", "ArticulationView"]

_JOINTS: dict[str, str] = {
    "joint_positions": "dof_positions",
    "joint_velocities": "dof_velocities",
    "joint_position_targets": "dof_position_targets",
    "joint_velocity_targets": "dof_velocity_targets",
    "joint_efforts": "dof_actuation_forces",
    "applied_joint_efforts": "dof_actuation_forces",
    "max_efforts": "dof_max_forces",
    "max_joint_velocities": "dof_max_velocities",
    "joint_max_velocities": "dof_max_velocities",
    "armatures": "dof_armatures",
    "friction_coefficients": "dof_friction_coefficients",
}
"""Name in `RootView` of what joints have one number of, by that in Isaac Sim."""

_TARGETS = {"dof_position_targets", "dof_velocity_targets", "dof_actuation_forces"}
"""Those that act through the drives."""

_FOLLOWING = {
    "dof_positions": "dof_position_targets",
    "dof_velocities": "dof_velocity_targets",
}
"""Targets that states which are set become as well, as they do there."""


class _Asset(_Articulation):
    """Robot of a view; joints whose limits leave zero out start at the limit next to it."""

    def _fill_defaults(self) -> None:
        super()._fill_defaults()
        limits = self.data.joint_pos_limits.numpy()
        start = self.data.default_joint_pos.numpy()
        self.data.default_joint_pos = np.clip(start, limits[..., 0], limits[..., 1])


class ArticulationView(MovingPrims):
    """Articulations that an expression matches, with their drives as authored.

    Joints are the hinges and slides. Values have the shape (articulations, joints). One that is
    made after the start can be read, and driven where its joints have drives on the stage; in a
    `World`, all have.

    Args:
        prim_paths_expr: expression of paths, of the roots or of prims above them.
        name: what it is called.
        **others: see `XFormPrim`.
    """

    kind: ClassVar[str] = "root_"
    _asset: _Asset | None = None

    def __init__(
        self,
        prim_paths_expr: str | Sequence[str],
        name: str = "articulation_prim_view",
        *args: Any,
        enable_residual_reports: bool = False,
        **others: Any,
    ):
        super().__init__(prim_paths_expr, name, *args, **others)
        if len(self.expressions) > 1:
            raise UnknownNameError(
                "expression", ", ".join(self.expressions), ["one expression"], f"{name!r}"
            )
        if SimulationContext.instance() is not None:
            self._make()

    def _make(self) -> _Asset:
        cfg = ArticulationCfg(prim_path=self.expressions[0], actuators={})
        self._asset = _Asset(cfg)
        return self._asset

    def _bind(self, simulation: SimulationContext) -> RootView:
        known = self._asset is not None and self._asset._simulation is simulation
        asset = self._asset if known else self._make()
        if not asset.is_initialized:  # type: ignore[union-attr]
            asset.initialize(simulation)  # type: ignore[union-attr]
        return asset.root_view  # type: ignore[union-attr]

    # -- what it is ----------------------------------------------------------------------------

    @property
    def dof_names(self) -> list[str] | None:
        """Names of the joints; None before the start."""
        view = self._physics_view
        return None if view is None else list(view.layout.joint_names)

    joint_names = dof_names

    @property
    def num_dof(self) -> int | None:
        """Number of joints; None before the start."""
        view = self._physics_view
        return None if view is None else view.layout.num_joints

    @property
    def body_names(self) -> list[str] | None:
        """Names of the links; None before the start."""
        view = self._physics_view
        return None if view is None else list(view.layout.body_names)

    @property
    def num_bodies(self) -> int | None:
        """Number of links; None before the start."""
        view = self._physics_view
        return None if view is None else view.layout.num_bodies

    def get_dof_index(self, dof_name: str) -> int:
        """Place of a joint in arrays.

        Raises:
            UnknownNameError: there is none of this name.
        """
        return _place("joint", dof_name, self._running.layout.joint_names)

    get_joint_index = get_dof_index

    def get_body_index(self, body_name: str) -> int:
        """Place of a link in arrays; see `get_dof_index`."""
        return _place("link", body_name, self._running.layout.body_names)

    get_link_index = get_body_index

    # -- joints --------------------------------------------------------------------------------

    def get(
        self,
        name: str,
        indices: Indices = None,
        joint_indices: Any = None,
        joint_names: Sequence[str] | None = None,
        clone: bool = True,
    ) -> Any:
        """Numbers of the joints under a name of Isaac Sim, shape (n, joints)."""
        columns = self._columns(joint_indices, joint_names)
        return given(self._read(_JOINTS[name], indices)[:, columns])

    def put(
        self,
        name: str,
        values: Any,
        indices: Indices = None,
        joint_indices: Any = None,
        joint_names: Sequence[str] | None = None,
    ) -> None:
        """Set it; states become targets as well, as they do there."""
        columns = self._columns(joint_indices, joint_names)
        for each in (_JOINTS[name], _FOLLOWING.get(_JOINTS[name])):
            if each is not None:
                self._write(each, [(columns, values)], indices)
                if each in _TARGETS:
                    self._asset.write_data_to_sim()  # type: ignore[union-attr]

    def _columns(self, joint_indices: Any, joint_names: Sequence[str] | None = None) -> Any:
        view = self._running
        if joint_names is not None:
            joint_indices = [self.get_dof_index(name) for name in joint_names]
        found = selected("joint_indices", joint_indices, view.layout.num_joints)
        return slice(None) if found is None else tuple(int(i) for i in found)

    def apply_action(self, control_actions: Any, indices: Indices = None) -> None:
        """Set the targets of an action; what it leaves out stays."""
        action = control_actions
        at = action.joint_indices, getattr(action, "joint_names", None)
        for name, values in (
            ("joint_position_targets", action.joint_positions),
            ("joint_velocity_targets", action.joint_velocities),
            ("joint_efforts", action.joint_efforts),
        ):
            if values is not None:
                self.put(name, values, indices, *at)

    def get_applied_actions(self, clone: bool = True) -> ArticulationActions:
        """Targets as they were set last."""
        names = ("joint_position_targets", "joint_velocity_targets", "joint_efforts")
        positions, velocities, efforts = (self.get(name) for name in names)
        return ArticulationActions(
            joint_positions=positions, joint_velocities=velocities, joint_efforts=efforts
        )

    def get_measured_joint_efforts(
        self, indices: Indices = None, joint_indices: Any = None, clone: bool = True
    ) -> Any:
        """Efforts of the drives in the present state [N or N m], shape (n, joints)."""
        self._running  # noqa: B018
        self._asset.write_data_to_sim()  # type: ignore[union-attr]
        efforts = self._asset.data.applied_torque.numpy()  # type: ignore[union-attr]
        chosen = selected("indices", indices, self._running.count)
        efforts = efforts if chosen is None else efforts[chosen]
        return given(efforts[:, self._columns(joint_indices)])

    def get_dof_limits(self) -> Any:
        """Lower and upper limits of the joints [m or rad], shape (n, joints, 2)."""
        return given(self._read("dof_limits"))

    def get_gains(self, indices: Indices = None, joint_indices: Any = None) -> Any:
        """Stiffness [N/m or N m/rad] and damping of the drives, shape (n, joints) each."""
        at = self._columns(joint_indices)
        return tuple(
            given(self._read(name, indices)[:, at]) for name in ("dof_stiffnesses", "dof_dampings")
        )

    def set_gains(
        self, kps: Any = None, kds: Any = None, indices: Indices = None, joint_indices: Any = None
    ) -> None:
        """Set stiffness and damping of the drives; None: as they are."""
        at = self._columns(joint_indices)
        self._write("dof_stiffnesses", [(at, kps)], indices)
        self._write("dof_dampings", [(at, kds)], indices)

    # -- state ---------------------------------------------------------------------------------

    def get_joints_state(self) -> Any:
        """Positions and velocities of the joints, as ``positions`` and ``velocities``."""
        names = ("joint_positions", "joint_velocities", "applied_joint_efforts")
        positions, velocities, efforts = (self.get(name) for name in names)
        return SimpleNamespace(positions=positions, velocities=velocities, efforts=efforts)

    def set_joints_default_state(self, positions: Any = None, velocities: Any = None) -> None:
        """Say which state of the joints `post_reset` sets; None: as it was."""
        self.set_default_state(joint_positions=positions, joint_velocities=velocities)

    def post_reset(self) -> None:
        """Put them in the state that was said to be the default one."""
        super().post_reset()
        for name in ("joint_positions", "joint_velocities"):
            if name in self._defaults:
                self.put(name, self._defaults[name])

    def get_jacobians(self, indices: Indices = None, clone: bool = True) -> Any:
        """Jacobians of the links in world, shape (n, links, 6, columns)."""
        return given(self._read("jacobians", indices))

    def get_mass_matrices(self, indices: Indices = None, clone: bool = True) -> Any:
        """Mass matrices, shape (n, columns, columns)."""
        return given(self._read("mass_matrices", indices))

    def get_body_masses(self, indices: Indices = None, clone: bool = True) -> Any:
        """Masses of the links [kg], shape (n, links)."""
        return given(self._read("masses", indices))

    def set_body_masses(
        self, values: Any, indices: Indices = None, body_indices: Any = None
    ) -> None:
        """Set masses of links [kg], shape (n, links)."""
        chosen = selected("body_indices", body_indices, self._running.max_links)
        at = slice(None) if chosen is None else tuple(int(i) for i in chosen)
        self._write("masses", [(at, values)], indices)


Articulation = ArticulationView
"""Its name since Isaac Sim 4.5."""


def _place(kind: str, name: str, names: Sequence[str]) -> int:
    if name not in names:
        raise UnknownNameError(kind, name, names, "the articulation")
    return list(names).index(name)


def _accessors(name: str) -> None:
    """Add the two methods of a quantity of joints."""

    def read(self: ArticulationView, *args: Any, **kwargs: Any) -> Any:
        return self.get(name, *args, **kwargs)

    def write(self: ArticulationView, values: Any = None, *args: Any, **kwargs: Any) -> None:
        told = [key for key in kwargs if key in ("positions", "velocities", "efforts")]
        self.put(name, kwargs.pop(told[0]) if told else values, *args, **kwargs)

    for verb, method in (("get", read), ("set", write)):
        method.__name__, method.__doc__ = f"{verb}_{name}", f"See `{verb}`."
        if not hasattr(ArticulationView, method.__name__):
            setattr(ArticulationView, method.__name__, method)


for _name in _JOINTS:
    _accessors(_name)
