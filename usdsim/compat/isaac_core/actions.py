"""Articulation actions: targets of some joints of one robot in one value."""

from __future__ import annotations

from typing import Any

from usdsim.actuators import ArticulationActions

__all__ = ["ArticulationAction", "ArticulationActions"]


class ArticulationAction(ArticulationActions):
    """Targets of joints of one articulation, shape (joints,) each.

    Args:
        joint_positions: positions [m or rad]; None: as they are.
        joint_velocities: velocities [m/s or rad/s]; None: as they are.
        joint_efforts: efforts [N or N m]; None: as they are.
        joint_indices: which joints; None: all.
        joint_names: names of joints, instead of `joint_indices`.
    """

    def __init__(
        self,
        joint_positions: Any = None,
        joint_velocities: Any = None,
        joint_efforts: Any = None,
        joint_indices: Any = None,
        joint_names: Any = None,
    ):
        super().__init__(
            joint_positions=joint_positions,
            joint_velocities=joint_velocities,
            joint_efforts=joint_efforts,
            joint_indices=joint_indices,
        )
        self.joint_names = joint_names
