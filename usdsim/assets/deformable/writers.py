"""Writing the vertices of deformable objects."""

from __future__ import annotations

from usdsim.views import AssetView, writes
from usdsim.views.selection import Indices, Mask
from usdsim.views.values import Values

__all__ = ["DeformableObjectWriters"]


class DeformableObjectWriters:
    """Writers of positions, velocities and targets of vertices, in force at once.

    Each has three forms: with indices, with indices by keyword, and with a mask. Vertices attached
    to the world stay where they are, whatever is written.
    """

    @property
    def _view(self) -> AssetView:
        raise TypeError("an asset has a view")

    @writes("nodal_state")
    def write_nodal_state_to_sim(self, nodal_state: Values, env_ids: Indices = None) -> None:
        """Set positions and velocities of the vertices in world."""

    @writes("nodal_state")
    def write_nodal_state_to_sim_index(
        self, *, nodal_state: Values, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set positions and velocities of the vertices in world."""

    @writes("nodal_state")
    def write_nodal_state_to_sim_mask(self, *, nodal_state: Values, env_mask: Mask = None) -> None:
        """Set positions and velocities of the vertices in world."""

    @writes("nodal_pos")
    def write_nodal_pos_to_sim(self, nodal_pos: Values, env_ids: Indices = None) -> None:
        """Set positions of the vertices in world."""

    @writes("nodal_pos")
    def write_nodal_pos_to_sim_index(
        self, *, nodal_pos: Values, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set positions of the vertices in world."""

    @writes("nodal_pos")
    def write_nodal_pos_to_sim_mask(self, *, nodal_pos: Values, env_mask: Mask = None) -> None:
        """Set positions of the vertices in world."""

    @writes("nodal_velocity")
    def write_nodal_velocity_to_sim(self, nodal_vel: Values, env_ids: Indices = None) -> None:
        """Set velocities of the vertices in world."""

    @writes("nodal_velocity")
    def write_nodal_velocity_to_sim_index(
        self, *, nodal_vel: Values, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set velocities of the vertices in world."""

    @writes("nodal_velocity")
    def write_nodal_velocity_to_sim_mask(self, *, nodal_vel: Values, env_mask: Mask = None) -> None:
        """Set velocities of the vertices in world."""

    @writes("nodal_kinematic_target")
    def write_nodal_kinematic_target_to_sim(self, targets: Values, env_ids: Indices = None) -> None:
        """Hold vertices at targets in world, or let go of them.

        A vertex that is held reaches its target within one step, whatever acts on it, and stays
        there until it is let go, the simulation is reset, or `reset` is called.
        """

    @writes("nodal_kinematic_target")
    def write_nodal_kinematic_target_to_sim_index(
        self, *, targets: Values, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Hold vertices at targets in world, or let go of them."""

    @writes("nodal_kinematic_target")
    def write_nodal_kinematic_target_to_sim_mask(
        self, *, targets: Values, env_mask: Mask = None
    ) -> None:
        """Hold vertices at targets in world, or let go of them."""
