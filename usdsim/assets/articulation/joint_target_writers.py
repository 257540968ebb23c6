"""Targets of the joints of an articulation, which act when its data is written."""

from __future__ import annotations

from usdsim.views import AssetView, writes
from usdsim.views.selection import Indices, Mask
from usdsim.views.values import Values

__all__ = ["JointTargetSetters"]


class JointTargetSetters:
    """Setters of joint targets; `write_data_to_sim` passes them through the actuators."""

    @property
    def _view(self) -> AssetView:
        raise TypeError("an asset has a view")

    @writes("joint_position_target")
    def set_joint_position_target(
        self, target: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set position targets of joints."""

    @writes("joint_position_target")
    def set_joint_position_target_index(
        self,
        *,
        target: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set position targets of joints."""

    @writes("joint_position_target")
    def set_joint_position_target_mask(
        self, *, target: Values, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set position targets of joints where masks are true."""

    @writes("joint_velocity_target")
    def set_joint_velocity_target(
        self, target: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set velocity targets of joints."""

    @writes("joint_velocity_target")
    def set_joint_velocity_target_index(
        self,
        *,
        target: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set velocity targets of joints."""

    @writes("joint_velocity_target")
    def set_joint_velocity_target_mask(
        self, *, target: Values, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set velocity targets of joints where masks are true."""

    @writes("joint_effort_target")
    def set_joint_effort_target(
        self, target: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set effort targets of joints."""

    @writes("joint_effort_target")
    def set_joint_effort_target_index(
        self,
        *,
        target: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set effort targets of joints."""

    @writes("joint_effort_target")
    def set_joint_effort_target_mask(
        self, *, target: Values, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set effort targets of joints where masks are true."""
