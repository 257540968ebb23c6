"""Writing poses and velocities of the objects of a collection, as objects."""

from __future__ import annotations

from usdsim.views import AssetView, writes
from usdsim.views.selection import Indices, Mask
from usdsim.views.values import Values

__all__ = ["ObjectWriters"]


class ObjectWriters:
    """Writers of poses and velocities, in force at once; see `RootWriters` for their three forms.

    They are named after objects.
    """

    @property
    def _view(self) -> AssetView:
        raise TypeError("an asset has a view")

    @writes("object_pose")
    def write_object_pose_to_sim(
        self, object_pose: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set the poses of the objects' links in world."""

    @writes("object_pose")
    def write_object_pose_to_sim_index(
        self,
        *,
        object_pose: Values,
        env_ids: Indices = None,
        object_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the poses of the objects' links in world."""

    @writes("object_pose")
    def write_object_pose_to_sim_mask(
        self, *, object_pose: Values, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """Set the poses of the objects' links in world."""

    @writes("object_link_pose")
    def write_object_link_pose_to_sim(
        self, object_pose: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set the poses of the objects' links in world."""

    @writes("object_link_pose")
    def write_object_link_pose_to_sim_index(
        self,
        *,
        object_pose: Values,
        env_ids: Indices = None,
        object_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the poses of the objects' links in world."""

    @writes("object_link_pose")
    def write_object_link_pose_to_sim_mask(
        self, *, object_pose: Values, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """Set the poses of the objects' links in world."""

    @writes("object_com_pose")
    def write_object_com_pose_to_sim(
        self, object_pose: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set the poses of the objects' centres of mass and principal axes in world."""

    @writes("object_com_pose")
    def write_object_com_pose_to_sim_index(
        self,
        *,
        object_pose: Values,
        env_ids: Indices = None,
        object_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the poses of the objects' centres of mass and principal axes in world."""

    @writes("object_com_pose")
    def write_object_com_pose_to_sim_mask(
        self, *, object_pose: Values, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """Set the poses of the objects' centres of mass and principal axes in world."""

    @writes("object_velocity")
    def write_object_velocity_to_sim(
        self, object_velocity: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set the velocities of the objects' centres of mass in world."""

    @writes("object_velocity")
    def write_object_velocity_to_sim_index(
        self,
        *,
        object_velocity: Values,
        env_ids: Indices = None,
        object_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the velocities of the objects' centres of mass in world."""

    @writes("object_velocity")
    def write_object_velocity_to_sim_mask(
        self, *, object_velocity: Values, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """Set the velocities of the objects' centres of mass in world."""

    @writes("object_com_velocity")
    def write_object_com_velocity_to_sim(
        self, object_velocity: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set the velocities of the objects' centres of mass in world."""

    @writes("object_com_velocity")
    def write_object_com_velocity_to_sim_index(
        self,
        *,
        object_velocity: Values,
        env_ids: Indices = None,
        object_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the velocities of the objects' centres of mass in world."""

    @writes("object_com_velocity")
    def write_object_com_velocity_to_sim_mask(
        self, *, object_velocity: Values, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """Set the velocities of the objects' centres of mass in world."""

    @writes("object_link_velocity")
    def write_object_link_velocity_to_sim(
        self, object_velocity: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set the velocities of the objects' link origins in world."""

    @writes("object_link_velocity")
    def write_object_link_velocity_to_sim_index(
        self,
        *,
        object_velocity: Values,
        env_ids: Indices = None,
        object_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the velocities of the objects' link origins in world."""

    @writes("object_link_velocity")
    def write_object_link_velocity_to_sim_mask(
        self, *, object_velocity: Values, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """Set the velocities of the objects' link origins in world."""

    @writes("object_state")
    def write_object_state_to_sim(
        self, object_state: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set poses of the objects' links and velocities of their centres of mass in world."""

    @writes("object_state")
    def write_object_state_to_sim_index(
        self,
        *,
        object_state: Values,
        env_ids: Indices = None,
        object_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set poses of the objects' links and velocities of their centres of mass in world."""

    @writes("object_state")
    def write_object_state_to_sim_mask(
        self, *, object_state: Values, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """Set poses of the objects' links and velocities of their centres of mass in world."""

    @writes("object_link_state")
    def write_object_link_state_to_sim(
        self, object_state: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set poses and velocities of the objects' links in world."""

    @writes("object_link_state")
    def write_object_link_state_to_sim_index(
        self,
        *,
        object_state: Values,
        env_ids: Indices = None,
        object_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set poses and velocities of the objects' links in world."""

    @writes("object_link_state")
    def write_object_link_state_to_sim_mask(
        self, *, object_state: Values, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """Set poses and velocities of the objects' links in world."""

    @writes("object_com_state")
    def write_object_com_state_to_sim(
        self, object_state: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set poses and velocities of the objects' centres of mass in world."""

    @writes("object_com_state")
    def write_object_com_state_to_sim_index(
        self,
        *,
        object_state: Values,
        env_ids: Indices = None,
        object_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set poses and velocities of the objects' centres of mass in world."""

    @writes("object_com_state")
    def write_object_com_state_to_sim_mask(
        self, *, object_state: Values, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """Set poses and velocities of the objects' centres of mass in world."""
