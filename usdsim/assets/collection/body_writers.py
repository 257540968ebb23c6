"""Writing poses and velocities of the objects of a collection, as bodies."""

from __future__ import annotations

from usdsim.views import AssetView, writes
from usdsim.views.selection import Indices, Mask
from usdsim.views.values import Values

__all__ = ["ObjectBodyWriters"]


class ObjectBodyWriters:
    """Writers of poses and velocities, in force at once; see `RootWriters` for their three forms.

    They are named after bodies.
    """

    @property
    def _view(self) -> AssetView:
        raise TypeError("an asset has a view")

    @writes("body_pose")
    def write_body_pose_to_sim(
        self, body_poses: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set the poses of the objects' links in world."""

    @writes("body_pose")
    def write_body_pose_to_sim_index(
        self,
        *,
        body_poses: Values,
        env_ids: Indices = None,
        body_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the poses of the objects' links in world."""

    @writes("body_pose")
    def write_body_pose_to_sim_mask(
        self, *, body_poses: Values, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """Set the poses of the objects' links in world."""

    @writes("body_link_pose")
    def write_body_link_pose_to_sim(
        self, body_poses: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set the poses of the objects' links in world."""

    @writes("body_link_pose")
    def write_body_link_pose_to_sim_index(
        self,
        *,
        body_poses: Values,
        env_ids: Indices = None,
        body_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the poses of the objects' links in world."""

    @writes("body_link_pose")
    def write_body_link_pose_to_sim_mask(
        self, *, body_poses: Values, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """Set the poses of the objects' links in world."""

    @writes("body_com_pose")
    def write_body_com_pose_to_sim(
        self, body_poses: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set the poses of the objects' centres of mass and principal axes in world."""

    @writes("body_com_pose")
    def write_body_com_pose_to_sim_index(
        self,
        *,
        body_poses: Values,
        env_ids: Indices = None,
        body_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the poses of the objects' centres of mass and principal axes in world."""

    @writes("body_com_pose")
    def write_body_com_pose_to_sim_mask(
        self, *, body_poses: Values, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """Set the poses of the objects' centres of mass and principal axes in world."""

    @writes("body_velocity")
    def write_body_velocity_to_sim(
        self, body_velocities: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set the velocities of the objects' centres of mass in world."""

    @writes("body_velocity")
    def write_body_velocity_to_sim_index(
        self,
        *,
        body_velocities: Values,
        env_ids: Indices = None,
        body_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the velocities of the objects' centres of mass in world."""

    @writes("body_velocity")
    def write_body_velocity_to_sim_mask(
        self, *, body_velocities: Values, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """Set the velocities of the objects' centres of mass in world."""

    @writes("body_com_velocity")
    def write_body_com_velocity_to_sim(
        self, body_velocities: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set the velocities of the objects' centres of mass in world."""

    @writes("body_com_velocity")
    def write_body_com_velocity_to_sim_index(
        self,
        *,
        body_velocities: Values,
        env_ids: Indices = None,
        body_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the velocities of the objects' centres of mass in world."""

    @writes("body_com_velocity")
    def write_body_com_velocity_to_sim_mask(
        self, *, body_velocities: Values, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """Set the velocities of the objects' centres of mass in world."""

    @writes("body_link_velocity")
    def write_body_link_velocity_to_sim(
        self, body_velocities: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set the velocities of the objects' link origins in world."""

    @writes("body_link_velocity")
    def write_body_link_velocity_to_sim_index(
        self,
        *,
        body_velocities: Values,
        env_ids: Indices = None,
        body_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the velocities of the objects' link origins in world."""

    @writes("body_link_velocity")
    def write_body_link_velocity_to_sim_mask(
        self, *, body_velocities: Values, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """Set the velocities of the objects' link origins in world."""

    @writes("body_state")
    def write_body_state_to_sim(
        self, body_states: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set poses of the objects' links and velocities of their centres of mass in world."""

    @writes("body_state")
    def write_body_state_to_sim_index(
        self,
        *,
        body_states: Values,
        env_ids: Indices = None,
        body_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set poses of the objects' links and velocities of their centres of mass in world."""

    @writes("body_state")
    def write_body_state_to_sim_mask(
        self, *, body_states: Values, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """Set poses of the objects' links and velocities of their centres of mass in world."""

    @writes("body_link_state")
    def write_body_link_state_to_sim(
        self, body_states: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set poses and velocities of the objects' links in world."""

    @writes("body_link_state")
    def write_body_link_state_to_sim_index(
        self,
        *,
        body_states: Values,
        env_ids: Indices = None,
        body_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set poses and velocities of the objects' links in world."""

    @writes("body_link_state")
    def write_body_link_state_to_sim_mask(
        self, *, body_states: Values, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """Set poses and velocities of the objects' links in world."""

    @writes("body_com_state")
    def write_body_com_state_to_sim(
        self, body_states: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set poses and velocities of the objects' centres of mass in world."""

    @writes("body_com_state")
    def write_body_com_state_to_sim_index(
        self,
        *,
        body_states: Values,
        env_ids: Indices = None,
        body_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set poses and velocities of the objects' centres of mass in world."""

    @writes("body_com_state")
    def write_body_com_state_to_sim_mask(
        self, *, body_states: Values, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """Set poses and velocities of the objects' centres of mass in world."""
