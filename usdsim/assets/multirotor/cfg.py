"""Multirotor configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from usdsim.actuators import ActuatorBaseCfg, ThrusterCfg
from usdsim.assets.articulation.cfg import ArticulationCfg
from usdsim.core.arguments import of_kind, table
from usdsim.core.errors import InvalidValueError
from usdsim.math.rotations import UNIT_TOLERANCE

from .allocation import given_allocation, rotor_signs
from .multirotor import Multirotor

__all__ = ["MultirotorCfg"]

_ANY_STEP = 1e-9
"""Stands for a time step that is not known yet [s]; no scheme diverges at it."""


def _usual_speed() -> dict[str, float]:
    return {".*": 100.0}


@dataclass(kw_only=True)
class MultirotorCfg(ArticulationCfg):
    """Configuration of a multirotor: an articulation that thrusters move.

    Thrusters are numbered group by group, and in a group in the order of bodies.
    """

    @dataclass(kw_only=True)
    class InitialStateCfg(ArticulationCfg.InitialStateCfg):
        """Initial state of a multirotor, and the speed of its rotors."""

        rps: dict[str, float] = field(default_factory=_usual_speed)
        """Rotor speeds by regular expression over thruster names; a later match wins, rotors
        without one stand still [1/s]. The thrust at the start and after a reset is that of these
        speeds."""

        def validate(self, where: str) -> None:
            """Check every value; see `InitialStateCfg.validate`."""
            super().validate(where)
            rps: Any = self.rps
            of_kind(f"{where}.rps", rps, Mapping, "{pattern: speed in 1/s}")
            for pattern, value in rps.items():
                table(f"{where}.rps[{pattern!r}]", [value], (1,))

    class_type: type[Any] | None = Multirotor
    """Class of the asset."""
    init_state: InitialStateCfg = field(default_factory=InitialStateCfg)
    """Default state; only the rotors start with it by themselves."""
    actuators: dict[str, ThrusterCfg] = field(default_factory=dict)  # type: ignore[assignment]
    """Thrusters by name of the group. Joints are driven as on the stage."""
    thruster_force_direction: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """Direction of thrust in the frame of each rotor's body [unit vector]. It counts where the
    allocation matrix is not given."""
    allocation_matrix: Sequence[Sequence[float]] | None = None
    """Force and torque on the vehicle per thrust: six rows Fx, Fy, Fz, Tx, Ty, Tz in the root's
    frame about its centre of mass, and a column for each thruster [-, m]. A matrix given is used as
    it is. None: from where the rotors are with joints as on the stage, `thruster_force_direction`,
    `rotor_directions` and the torque ratios of the thrusters; it follows the centre of mass."""
    rotor_directions: Sequence[int] | None = None
    """For each thruster 1 if it turns counter-clockwise, seen against its thrust, hence from above
    where it lifts, or -1 if clockwise. Drag turns the vehicle the other way. None: the rotors make
    no torque about their axes. It counts where the allocation matrix is not given."""

    def validate(self) -> None:
        """Check every value; how many thrusters there are is known when the simulation starts.

        Raises:
            StageError: there is no prim path, or one is not absolute.
            InvalidValueError: a value is outside what is allowed.
            ShapeError: there are too many numbers, or too few.
        """
        super().validate()
        title = type(self).__name__
        if not self.actuators:
            raise InvalidValueError(
                f"{title}.actuators", self.actuators, "one group of thrusters or more"
            )
        axis = table(f"{title}.thruster_force_direction", self.thruster_force_direction, (3,))
        if abs(float(np.linalg.norm(axis)) - 1.0) > UNIT_TOLERANCE:
            raise InvalidValueError(
                f"{title}.thruster_force_direction", self.thruster_force_direction, "a unit vector"
            )
        if self.allocation_matrix is not None:
            given_allocation(f"{title}.allocation_matrix", self.allocation_matrix)
        if self.rotor_directions is not None:
            rotor_signs(f"{title}.rotor_directions", self.rotor_directions)

    def _validate_group(self, where: str, group: Any) -> None:
        if isinstance(group, ActuatorBaseCfg):
            raise InvalidValueError(
                where,
                type(group).__name__,
                "a ThrusterCfg",
                "A multirotor is moved by thrusters only; drive its joints by drives on the stage.",
            )
        of_kind(where, group, ThrusterCfg)
        replace(group, dt=_ANY_STEP if group.dt is None else group.dt).validate()
