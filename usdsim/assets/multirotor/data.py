"""Multirotor data."""

from __future__ import annotations

import warp as wp

from usdsim.assets.articulation.data import ArticulationData
from usdsim.assets.common.data import Default
from usdsim.views.usable import usable

from .thrusters import ThrusterGroups

__all__ = ["MultirotorData"]


class MultirotorData(ArticulationData):
    """Data of a multirotor: that of an articulation, and of its thrusters."""

    default_thruster_rps: Default = Default()
    """Rotor speeds a reset starts from, as configured [1/s], shape
    (num_instances, num_thrusters)."""
    thrust_target: Default = Default()
    """Thrusts asked for, at first and after a reset those of the default speeds [N], shape
    (num_instances, num_thrusters)."""

    @property
    def computed_thrust(self) -> wp.array:
        """Thrusts of the rotors before they are limited to their range, along their axes.

        They are as of the last `write_data_to_sim` or reset [N], shape
        (num_instances, num_thrusters).
        """
        return usable(self._thrusters.computed)

    @property
    def applied_thrust(self) -> wp.array:
        """Thrusts that act on the vehicle, along the axes of the rotors.

        They are as of the last `write_data_to_sim` or reset [N], shape
        (num_instances, num_thrusters).
        """
        return usable(self._thrusters.applied)

    @property
    def thruster_names(self) -> list[str]:
        """Names of the thrusters, in the order of arrays."""
        return list(self._thrusters.names)

    def record_thrusters(self, thrusters: ThrusterGroups) -> None:
        """Attach the thrusters, whose arrays the data reads."""
        self._thrusters = thrusters
        self.defaults["default_thruster_rps"] = thrusters.default_rps
        self.defaults["thrust_target"] = thrusters.target
