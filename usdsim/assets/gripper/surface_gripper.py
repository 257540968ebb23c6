"""Surface grippers: open, closing on what is in front of them, or holding it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.assets.common.checks import NotInitializedError
from usdsim.assets.common.spawning import ensure_prims
from usdsim.assets.participation import Simulation, current_simulation
from usdsim.core.arguments import table
from usdsim.core.errors import InvalidValueError
from usdsim.engine.device import assign_rows
from usdsim.parser.description import SceneDescription
from usdsim.views.selection import Indices, Mask, selected_either
from usdsim.views.usable import UsableArray, usable
from usdsim.views.values import to_numpy

from .holds import Holds, with_holds
from .mounts import PROPERTIES, Mount, find_mounts
from .phases import OPEN, Phases

if TYPE_CHECKING:
    from .cfg import SurfaceGripperCfg

__all__ = ["SurfaceGripper"]

_THRESHOLD = 0.3
"""Size of commands beyond which they open or close."""


class SurfaceGripper:
    """Suction cups or magnets that hold the bodies which rays from their attachment points meet.

    Its prims are spawned at once, if they are to be. A closing gripper looks along the axes of its
    points, before and after each step; the first body within reach that forces move is welded to
    the gripper where it is, until the gripper opens or the weld bears more than a limit. What is
    nearer, such as a wall, hides what is behind it. One gripper is numbered after the other, world
    by world.

    Args:
        cfg: the configuration, which is copied.

    Attributes:
        cfg: the copy.

    Raises:
        StageError: there is no simulation, no prim path, or no prim at it.
        InvalidValueError: a value of the configuration is not allowed.
    """

    cfg: SurfaceGripperCfg

    def __init__(self, cfg: SurfaceGripperCfg):
        cfg.validate()
        self.cfg = cfg.copy()
        self._mounts: tuple[Mount, ...] = ()
        self._phases: Phases | None = None
        self._simulation = current_simulation()
        ensure_prims(self._simulation.stage, self.cfg, "the surface gripper")
        self._simulation.register(self)

    def __str__(self) -> str:
        """Prim path and number."""
        count = self.num_instances if self.is_initialized else "not initialized"
        return f"{type(self).__name__}, {self._title}: instances {count}"

    # -- what it is ----------------------------------------------------------------------------

    @property
    def is_initialized(self) -> bool:
        """Whether the simulation was started."""
        return self._phases is not None

    @property
    def num_instances(self) -> int:
        """Number of grippers: those of each world, in all worlds."""
        self._require()
        return len(self._mounts) * self._simulation.num_envs

    @property
    def device(self) -> str:
        """Device of the arrays."""
        return self._simulation.device

    @property
    def state(self) -> UsableArray:
        """State of each gripper, -1 open, 0 closing, 1 closed, float32, shape (num_instances,).

        It is that of the last `update` or `reset`.
        """
        self._require()
        return self._state

    @property
    def command(self) -> UsableArray:
        """Command of each gripper, float32, shape (num_instances,).

        Below -0.3 it opens, above 0.3 it closes, and in between it does nothing.
        """
        self._require()
        return self._command

    # -- what it is told -----------------------------------------------------------------------

    def set_grippers_command(self, states: Any, indices: Indices = None) -> None:
        """Set commands, which act from the next `write_data_to_sim` on.

        Args:
            states: commands, see `command`, shape (len(indices),).
            indices: instances; None: all.
        """
        self.set_grippers_command_index(states, indices)

    def set_grippers_command_index(
        self, states: Any, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set commands of instances by indices.

        Args:
            states: commands, see `command`, shape (len(env_ids),).
            env_ids: instances; None: all.
            full_data: whether there is a command for each instance, of which these are taken.
        """
        self._set_command(self._chosen(env_ids), states, full_data)

    def set_grippers_command_mask(self, states: Any, env_mask: Mask = None) -> None:
        """Set commands of instances by a mask.

        Args:
            states: commands, see `command`, shape (num_instances,).
            env_mask: which instances; None: all.
        """
        self._set_command(self._chosen(None, env_mask), states, True)

    def update_gripper_properties(
        self,
        max_grip_distance: Any = None,
        coaxial_force_limit: Any = None,
        shear_force_limit: Any = None,
        retry_interval: Any = None,
        indices: Indices = None,
    ) -> None:
        """Set properties of instances; see `update_gripper_properties_index`."""
        self.update_gripper_properties_index(
            max_grip_distance, coaxial_force_limit, shear_force_limit, retry_interval, indices
        )

    def update_gripper_properties_index(
        self,
        max_grip_distance: Any = None,
        coaxial_force_limit: Any = None,
        shear_force_limit: Any = None,
        retry_interval: Any = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set properties of instances by indices; what is None stays.

        Args:
            max_grip_distance: reach of the points [m], shape (len(env_ids),).
            coaxial_force_limit: largest force along the axis [N], shape (len(env_ids),).
            shear_force_limit: largest force across it [N], shape (len(env_ids),).
            retry_interval: time to look for something [s], shape (len(env_ids),).
            env_ids: instances; None: all.
            full_data: whether there are values for each instance, of which these are taken.

        Raises:
            InvalidValueError: a value is negative or not finite; nothing is set then.
            ShapeError: there is not one value, or one of each instance.
        """
        rows = self._chosen(env_ids)
        given = (max_grip_distance, coaxial_force_limit, shear_force_limit, retry_interval)
        found = {
            name: self._values(name, values, rows, full_data)
            for name, values in zip(PROPERTIES, given, strict=True)
            if values is not None
        }
        for name, each in found.items():
            if (each < 0.0).any():
                raise InvalidValueError(name, each.tolist(), "numbers >= 0")
        for name, each in found.items():
            self._properties[name][rows] = each

    def update_gripper_properties_mask(
        self,
        max_grip_distance: Any = None,
        coaxial_force_limit: Any = None,
        shear_force_limit: Any = None,
        retry_interval: Any = None,
        env_mask: Mask = None,
    ) -> None:
        """Set properties of instances by a mask, as `update_gripper_properties_index` does."""
        rows = self._chosen(None, env_mask)
        self.update_gripper_properties_index(
            max_grip_distance, coaxial_force_limit, shear_force_limit, retry_interval, rows, True
        )

    # -- time ----------------------------------------------------------------------------------

    def write_data_to_sim(self) -> None:
        """Open and close grippers as commanded."""
        phases, command = self._require(), self._command.numpy()
        phases.open(np.flatnonzero(command < -_THRESHOLD))
        phases.close(np.flatnonzero(command > _THRESHOLD))
        phases.look()

    def update(self, dt: float) -> None:
        """Bring `state` up to date, after a step.

        Args:
            dt: time since the last call [s].
        """
        phases = self._require()
        phases.advance(dt)
        self._state.assign(phases.values)

    def reset(
        self, indices: Indices = None, env_mask: Mask = None, *, env_ids: Indices = None
    ) -> None:
        """Open grippers and forget their commands.

        Args:
            indices: instances; None: all.
            env_mask: which instances, instead of `indices`.
            env_ids: the same as `indices`.
        """
        rows = self._chosen(indices if env_ids is None else env_ids, env_mask)
        self._require().open(rows)
        assign_rows(self._command, rows, 0.0)
        assign_rows(self._state, rows, OPEN)

    def reset_index(self, env_ids: Indices = None) -> None:
        """Open grippers by indices; see `reset`."""
        self.reset(env_ids)

    def reset_mask(self, env_mask: Mask = None) -> None:
        """Open grippers by a mask; see `reset`."""
        self.reset(env_mask=env_mask)

    # -- taking part ---------------------------------------------------------------------------

    def prepare(self, scene: SceneDescription) -> SceneDescription:
        """Ask for what holds bodies; see `Participant.prepare`."""
        simulation = self._simulation
        self._mounts = find_mounts(
            simulation.stage, scene, self.cfg.prim_path, simulation.env_paths
        )
        for mount in self._mounts:
            scene = with_holds(scene, mount)
        return scene

    def initialize(self, simulation: Simulation) -> None:
        """Bind to the engine; see `Participant.initialize`.

        Raises:
            InvalidValueError: neither the configuration nor the prim states a property.
        """
        self._simulation = simulation
        count = simulation.num_envs * len(self._mounts)
        self._properties = {name: self._property(name) for name in PROPERTIES}
        self._state, self._command = (
            usable(wp.array(np.full(count, value), dtype=wp.float32, device=self.device))
            for value in (OPEN, 0.0)
        )
        holds = [Holds(simulation.engine, mount) for mount in self._mounts]
        self._phases = Phases(holds, self._properties)

    def invalidate(self) -> None:
        """Forget the engine; see `Participant.invalidate`."""
        self._phases = None

    # -- inside --------------------------------------------------------------------------------

    @property
    def _title(self) -> str:
        return f"surface gripper {self.cfg.prim_path!r}"

    def _require(self) -> Phases:
        if self._phases is None:
            raise NotInitializedError(self._title)
        return self._phases

    def _chosen(self, ids: Indices, mask: Mask = None) -> NDArray[np.intp]:
        rows = selected_either("env", ids, mask, self.num_instances)
        return np.arange(self.num_instances) if rows is None else rows

    def _values(
        self, what: str, values: Any, rows: NDArray[np.intp], full: bool
    ) -> NDArray[np.float64]:
        """Values of these instances: one for all, one for each, or taken from those of all."""
        count = self.num_instances if full else len(rows)
        found = np.broadcast_to(table(what, to_numpy(values), (), (count,)), (count,))
        return found[rows] if full else found

    def _set_command(self, rows: NDArray[np.intp], states: Any, full: bool) -> None:
        assign_rows(self._command, rows, self._values("states", states, rows, full))

    def _property(self, name: str) -> NDArray[np.float64]:
        """Values of each instance, from the configuration or else from the prim."""
        given, attribute = getattr(self.cfg, name), PROPERTIES[name]
        for mount in self._mounts:
            if given is None and name not in mount.properties:
                raise InvalidValueError(
                    f"{type(self.cfg).__name__}.{name}",
                    given,
                    f"a number, as {mount.path} has no {attribute}",
                )
        each = [mount.properties[name] if given is None else given for mount in self._mounts]
        return np.tile(np.array(each, np.float64), self._simulation.num_envs)
