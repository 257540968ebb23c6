"""Writing poses and velocities of the root of an asset."""

from __future__ import annotations

from usdsim.views import AssetView, writes
from usdsim.views.selection import Indices, Mask
from usdsim.views.values import Values

__all__ = ["RootWriters"]


class RootWriters:
    """Writers of poses and velocities of roots, in force at once.

    Each exists in three forms: plain, which takes positions too; ``_index``, by keyword only; and
    ``_mask``, which takes values of all instances and booleans. What is read afterwards is what was
    written, without a step between. The pose of a root that joints hold to the world is the one it
    has with those joints at zero; where it is follows from that and from their positions.
    """

    @property
    def _view(self) -> AssetView:
        raise TypeError("an asset has a view")

    @writes("root_pose")
    def write_root_pose_to_sim(self, root_pose: Values, env_ids: Indices = None) -> None:
        """Set the pose of the root link in world."""

    @writes("root_pose")
    def write_root_pose_to_sim_index(
        self, *, root_pose: Values, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set the pose of the root link in world."""

    @writes("root_pose")
    def write_root_pose_to_sim_mask(self, *, root_pose: Values, env_mask: Mask = None) -> None:
        """Set the pose of the root link in world."""

    @writes("root_link_pose")
    def write_root_link_pose_to_sim(self, root_pose: Values, env_ids: Indices = None) -> None:
        """Set the pose of the root link in world."""

    @writes("root_link_pose")
    def write_root_link_pose_to_sim_index(
        self, *, root_pose: Values, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set the pose of the root link in world."""

    @writes("root_link_pose")
    def write_root_link_pose_to_sim_mask(self, *, root_pose: Values, env_mask: Mask = None) -> None:
        """Set the pose of the root link in world."""

    @writes("root_com_pose")
    def write_root_com_pose_to_sim(self, root_pose: Values, env_ids: Indices = None) -> None:
        """Set the pose of the root's centre of mass and principal axes in world."""

    @writes("root_com_pose")
    def write_root_com_pose_to_sim_index(
        self, *, root_pose: Values, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set the pose of the root's centre of mass and principal axes in world."""

    @writes("root_com_pose")
    def write_root_com_pose_to_sim_mask(self, *, root_pose: Values, env_mask: Mask = None) -> None:
        """Set the pose of the root's centre of mass and principal axes in world."""

    @writes("root_velocity")
    def write_root_velocity_to_sim(self, root_velocity: Values, env_ids: Indices = None) -> None:
        """Set the velocity of the root's centre of mass in world."""

    @writes("root_velocity")
    def write_root_velocity_to_sim_index(
        self, *, root_velocity: Values, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set the velocity of the root's centre of mass in world."""

    @writes("root_velocity")
    def write_root_velocity_to_sim_mask(
        self, *, root_velocity: Values, env_mask: Mask = None
    ) -> None:
        """Set the velocity of the root's centre of mass in world."""

    @writes("root_com_velocity")
    def write_root_com_velocity_to_sim(
        self, root_velocity: Values, env_ids: Indices = None
    ) -> None:
        """Set the velocity of the root's centre of mass in world."""

    @writes("root_com_velocity")
    def write_root_com_velocity_to_sim_index(
        self, *, root_velocity: Values, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set the velocity of the root's centre of mass in world."""

    @writes("root_com_velocity")
    def write_root_com_velocity_to_sim_mask(
        self, *, root_velocity: Values, env_mask: Mask = None
    ) -> None:
        """Set the velocity of the root's centre of mass in world."""

    @writes("root_link_velocity")
    def write_root_link_velocity_to_sim(
        self, root_velocity: Values, env_ids: Indices = None
    ) -> None:
        """Set the velocity of the root link's origin in world."""

    @writes("root_link_velocity")
    def write_root_link_velocity_to_sim_index(
        self, *, root_velocity: Values, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set the velocity of the root link's origin in world."""

    @writes("root_link_velocity")
    def write_root_link_velocity_to_sim_mask(
        self, *, root_velocity: Values, env_mask: Mask = None
    ) -> None:
        """Set the velocity of the root link's origin in world."""

    @writes("root_state")
    def write_root_state_to_sim(self, root_state: Values, env_ids: Indices = None) -> None:
        """Set the pose of the root link and the velocity of its centre of mass in world."""

    @writes("root_state")
    def write_root_state_to_sim_index(
        self, *, root_state: Values, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set the pose of the root link and the velocity of its centre of mass in world."""

    @writes("root_state")
    def write_root_state_to_sim_mask(self, *, root_state: Values, env_mask: Mask = None) -> None:
        """Set the pose of the root link and the velocity of its centre of mass in world."""

    @writes("root_link_state")
    def write_root_link_state_to_sim(self, root_state: Values, env_ids: Indices = None) -> None:
        """Set pose and velocity of the root link in world."""

    @writes("root_link_state")
    def write_root_link_state_to_sim_index(
        self, *, root_state: Values, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set pose and velocity of the root link in world."""

    @writes("root_link_state")
    def write_root_link_state_to_sim_mask(
        self, *, root_state: Values, env_mask: Mask = None
    ) -> None:
        """Set pose and velocity of the root link in world."""

    @writes("root_com_state")
    def write_root_com_state_to_sim(self, root_state: Values, env_ids: Indices = None) -> None:
        """Set pose and velocity of the root's centre of mass in world."""

    @writes("root_com_state")
    def write_root_com_state_to_sim_index(
        self, *, root_state: Values, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set pose and velocity of the root's centre of mass in world."""

    @writes("root_com_state")
    def write_root_com_state_to_sim_mask(
        self, *, root_state: Values, env_mask: Mask = None
    ) -> None:
        """Set pose and velocity of the root's centre of mass in world."""
