"""Multirotors: vehicles that rotors lift and turn."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import warp as wp

from usdsim.actuators import ActuatorBaseCfg, Thruster
from usdsim.assets.articulation.articulation import Articulation
from usdsim.assets.members import ThrusterMembers
from usdsim.assets.participation import Simulation
from usdsim.views import AssetLayout
from usdsim.views.selection import Indices, Mask
from usdsim.views.usable import usable

from .data import MultirotorData
from .thrusters import ThrusterGroups, thruster_bodies
from .wrench import ThrustWrench

if TYPE_CHECKING:
    from .cfg import MultirotorCfg

__all__ = ["Multirotor"]


class Multirotor(Articulation, ThrusterMembers):
    """An articulation that thrusters move instead of joints.

    Thrusters are bodies of it, the rotors. `set_thrust_target` says what they shall give,
    `write_data_to_sim` lets them follow by one time step and brings force and torque of all of them
    together to the root. Rotors need not turn: their speed is a state of the thruster.

    Args:
        cfg: the configuration, which is copied.
    """

    cfg: MultirotorCfg
    data: MultirotorData
    data_class: ClassVar[type[MultirotorData]] = MultirotorData
    kind: ClassVar[str] = "multirotor"

    # -- what it is ----------------------------------------------------------------------------

    @property
    def actuators(self) -> Mapping[str, Thruster]:  # type: ignore[override]
        """Thrusters by name of their group, as a read-only mapping.

        Raises:
            StageError: the simulation was not started.
        """
        self._require()
        return self._thrusters.models

    @property
    def thruster_names(self) -> list[str]:
        """Names of the thrusters, in the order of arrays; none before the start."""
        return self.data.thruster_names if self.is_initialized else []

    @property
    def num_thrusters(self) -> int:
        """Number of thrusters of an instance; 0 before the start."""
        return len(self.thruster_names)

    @property
    def allocation_matrix(self) -> wp.array:
        """Force and torque per thrust: rows Fx, Fy, Fz, Tx, Ty, Tz in the root's frame.

        Torques are about the root's centre of mass [-, m], shape (6, num_thrusters). Where
        instances differ, it is that of the first; see `allocation_matrices`.

        Raises:
            StageError: the simulation was not started.
        """
        self._require()
        return usable(self._wrench.matrices[0])

    @property
    def allocation_matrices(self) -> wp.array:
        """`allocation_matrix` of every instance [-, m], shape (num_instances, 6, num_thrusters).

        Raises:
            StageError: the simulation was not started.
        """
        self._require()
        matrices = self._wrench.matrices.numpy()
        rows = np.arange(self.num_instances) % len(matrices)
        return usable(wp.array(matrices[rows], dtype=wp.float32, device=self.device))

    # -- time ----------------------------------------------------------------------------------

    def reset(self, env_ids: Indices = None, env_mask: Mask = None) -> None:
        """Start the rotors anew, and forget external forces and torques.

        Rotors turn with ``data.default_thruster_rps`` again, and that thrust is what they are asked
        for. Their parameters are drawn anew where they are ranges. Pose and velocity stay: write
        the default state, or another, to start over.

        Args:
            env_ids: instances, as indices or a slice; None: all.
            env_mask: which instances, instead of `env_ids`.
        """
        rows = self._selection(env_ids, env_mask)
        super().reset(env_ids, env_mask)
        self._thrusters.reset(rows)

    def write_data_to_sim(self) -> None:
        """Advance the rotors to their targets by one time step, and apply their thrusts.

        External forces and torques act as well. Call it before each step.
        """
        self._require()
        adds = self._acting.active
        super().write_data_to_sim()
        self._thrusters.advance()
        self._wrench.apply(adds)

    def prepare_step(self, dt: float) -> Hashable | None:
        """Get ready for a step; see `StepPart`."""
        others = super().prepare_step(dt)
        return None if others is None else (others, self._wrench.prepare())

    def launch_step(self) -> None:
        """Launch what brings thrusts, wrenches and commands to the engine; see `StepPart`."""
        adds = self._acting.active
        super().launch_step()
        self._thrusters.advance()
        self._wrench.launch(adds)

    def note_step(self, dt: float) -> None:
        """Record that a step was made; see `StepPart`."""
        super().note_step(dt)
        self._wrench.note()

    # -- taking part ---------------------------------------------------------------------------

    def invalidate(self) -> None:
        """Forget the engine; see `Participant.invalidate`."""
        super().invalidate()
        for name in ("_thrusters", "_wrench"):
            self.__dict__.pop(name, None)

    def _joint_groups(self) -> dict[str, ActuatorBaseCfg]:
        return {}

    def _layout(self, simulation: Simulation, prims: tuple[str, ...]) -> AssetLayout:
        layout = super()._layout(simulation, prims)
        bodies = [i for group in thruster_bodies(layout, self.cfg).values() for i in group]
        names = tuple(layout.body_names[i] for i in bodies)
        return replace(
            layout,
            title=self._title,
            thrusters=layout.bodies[:, bodies],
            thruster_names=names,
        )

    def _start(self) -> None:
        super()._start()
        view, dt = self._view, self._simulation.physics_dt
        self._thrusters = ThrusterGroups(view, self.cfg, dt, self._title)
        view.buffers["thrust_target"] = self._thrusters.target
        self.data.record_thrusters(self._thrusters)
        self._wrench = ThrustWrench(view, self.cfg, self._thrusters, self._title)
