"""Multirotors: vehicles that rotors lift and turn."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import warp as wp

from usdsim.actuators import ActuatorBaseCfg, Thruster
from usdsim.assets.articulation.articulation import Articulation
from usdsim.views.selection import Indices, Mask
from usdsim.views.values import Values

from .data import MultirotorData
from .targets import ThrustTargets
from .thrusters import ThrusterGroups
from .wrench import ThrustWrench

if TYPE_CHECKING:
    from .cfg import MultirotorCfg

__all__ = ["Multirotor"]


class Multirotor(Articulation):
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

    def __init__(self, cfg: MultirotorCfg):
        super().__init__(cfg)

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
        return self._wrench.matrices[0]

    @property
    def allocation_matrices(self) -> wp.array:
        """`allocation_matrix` of every instance [-, m], shape (num_instances, 6, num_thrusters).

        Raises:
            StageError: the simulation was not started.
        """
        self._require()
        matrices = self._wrench.matrices.numpy()
        rows = np.arange(self.num_instances) % len(matrices)
        return wp.array(matrices[rows], dtype=wp.float32, device=self.device)

    # -- targets -------------------------------------------------------------------------------

    def set_thrust_target(
        self, target: Values, thruster_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the thrusts that thrusters shall give, from the next `write_data_to_sim` on.

        Thrusts beyond the range of a thruster count as its ends.

        Args:
            target: thrusts along the rotors' axes [N], shape (len(env_ids), len(thruster_ids)) or
                what broadcasts to it; with one axis, one for each instance.
            thruster_ids: thrusters, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.

        Raises:
            InvalidValueError: a value or an index is not allowed; nothing is written then.
            ShapeError: the values do not fit.
        """
        self.set_thrust_target_index(target=target, thruster_ids=thruster_ids, env_ids=env_ids)

    def set_thrust_target_index(
        self,
        *,
        target: Values,
        thruster_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the thrusts that thrusters shall give; see `set_thrust_target`.

        Args:
            target: thrusts along the rotors' axes [N], shape (len(env_ids), len(thruster_ids)) or
                what broadcasts to it; with one axis, one for each instance.
            thruster_ids: thrusters, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
            full_data: whether values are those of all instances and thrusters.

        Raises:
            InvalidValueError: a value or an index is not allowed; nothing is written then.
            ShapeError: the values do not fit.
        """
        self._require()
        self._targets.write(target, thruster_ids, env_ids, full_data)

    def set_thrust_target_mask(
        self, *, target: Values, thruster_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set the thrusts that thrusters shall give where masks are true.

        Args:
            target: thrusts along the rotors' axes [N], shape (num_instances, num_thrusters) or what
                broadcasts to it; with one axis, one for each instance.
            thruster_mask: which thrusters, shape (num_thrusters,); None: all.
            env_mask: which instances, shape (num_instances,); None: all.

        Raises:
            InvalidValueError: a value or a mask is not allowed; nothing is written then.
            ShapeError: the values do not fit.
        """
        self._require()
        self._targets.write_masked(target, thruster_mask, env_mask)

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
        """Let the rotors follow their targets by one time step, and apply what they give.

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
        """Take note of a step; see `StepPart`."""
        super().note_step(dt)
        self._wrench.note()

    # -- taking part ---------------------------------------------------------------------------

    def invalidate(self) -> None:
        """Forget the engine; see `Participant.invalidate`."""
        super().invalidate()
        for name in ("_thrusters", "_targets", "_wrench"):
            self.__dict__.pop(name, None)

    def _joint_groups(self) -> dict[str, ActuatorBaseCfg]:
        return {}

    def _start(self) -> None:
        super()._start()
        view, dt = self._view, self._simulation.physics_dt
        self._thrusters = ThrusterGroups(view, self.cfg, dt, self._title)
        self.data.record_thrusters(self._thrusters)
        self._targets = ThrustTargets(view, self._thrusters.target, self._title)
        self._wrench = ThrustWrench(view, self.cfg, self._thrusters, self._title)
