"""Views of surface grippers: what Isaac Sim's view of their prims tells and takes, as lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from usdsim.assets import SurfaceGripper
from usdsim.assets.gripper.mounts import PROPERTIES

__all__ = ["GripperView"]


class GripperView:
    """Surface grippers of all worlds by their numbers.

    Args:
        gripper: the asset.
    """

    def __init__(self, gripper: SurfaceGripper):
        self._gripper = gripper

    @property
    def count(self) -> int:
        """Number of grippers."""
        return self._gripper.num_instances

    def get_surface_gripper_status(self, indices: Sequence[int] | None = None) -> list[int]:
        """State of grippers: 0 open, 1 closing, 2 closed; None: of all."""
        states = [int(state) + 1 for state in self._gripper.state.numpy()]
        return states if indices is None else [states[i] for i in indices]

    def apply_gripper_action(self, values: Sequence[float], indices: Any = None) -> None:
        """Close or open grippers at once, by commands of all; see `SurfaceGripper.command`.

        Args:
            values: commands, one for each gripper of the view.
            indices: which act, also as rows of one number; None: all.
        """
        given = range(self.count) if indices is None else indices
        chosen = [int(i[0]) if isinstance(i, Sequence) else int(i) for i in given]
        self._gripper.set_grippers_command_index([values[i] for i in chosen], chosen)
        self._gripper.write_data_to_sim()

    def get_surface_gripper_properties(
        self, indices: Sequence[int] | None = None
    ) -> tuple[list[float], ...]:
        """Reach [m], limits along and across the axis [N], and time to look [s]; None: of all."""
        rows = range(self.count) if indices is None else indices
        known = self._gripper._properties
        return tuple([float(known[name][i]) for i in rows] for name in PROPERTIES)

    def set_surface_gripper_properties(
        self,
        max_grip_distance: Sequence[float] | None = None,
        coaxial_force_limit: Sequence[float] | None = None,
        shear_force_limit: Sequence[float] | None = None,
        retry_interval: Sequence[float] | None = None,
        indices: Sequence[int] | None = None,
    ) -> None:
        """Set properties; those that are None stay.

        Args:
            max_grip_distance: reach [m], for each gripper of the view.
            coaxial_force_limit: largest force along the axis [N], likewise.
            shear_force_limit: largest force across it [N], likewise.
            retry_interval: time to look for something [s], likewise.
            indices: which of them are set; None: all.
        """
        given = (max_grip_distance, coaxial_force_limit, shear_force_limit, retry_interval)
        self._gripper.update_gripper_properties_index(
            *given, env_ids=None if indices is None else list(indices), full_data=True
        )
