"""Writing what the joints of an articulation do, and their drives and limits, to the simulation."""

from __future__ import annotations

from usdsim.views import AssetView, writes
from usdsim.views.selection import Indices, Mask, selected, selected_by_mask
from usdsim.views.values import Values

__all__ = ["JointWriters"]


class JointWriters:
    """Writers of joint state and joint properties, which act at once."""

    @property
    def _view(self) -> AssetView:
        raise TypeError("an asset has a view")

    # -- state ---------------------------------------------------------------------------------

    def write_joint_state_to_sim(
        self,
        position: Values,
        velocity: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
    ) -> None:
        """Set positions and velocities of joints.

        Args:
            position: [m or rad], shape (len(env_ids), len(joint_ids)) or what broadcasts to it.
            velocity: [m/s or rad/s], same shape.
            joint_ids: joints, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.

        Raises:
            InvalidValueError: a value or an index is not allowed; nothing is written then.
            ShapeError: the values do not fit.
        """
        self.write_joint_state_to_sim_index(
            position=position, velocity=velocity, joint_ids=joint_ids, env_ids=env_ids
        )

    def write_joint_state_to_sim_index(
        self,
        *,
        position: Values,
        velocity: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set positions and velocities of joints.

        Args:
            position: [m or rad], shape (len(env_ids), len(joint_ids)) or what broadcasts to it.
            velocity: [m/s or rad/s], same shape.
            joint_ids: joints, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
            full_data: whether the values are those of all instances and joints.

        Raises:
            InvalidValueError: a value or an index is not allowed; nothing is written then.
            ShapeError: the values do not fit.
        """
        layout = self._view.layout
        rows = selected("env_ids", env_ids, layout.num_instances)
        columns = selected("joint_ids", joint_ids, layout.num_joints)
        self._view.checked("joint_velocity", velocity, rows, columns, full_data)
        self._view.write("joint_position", position, rows, columns, full_data=full_data)
        self._view.write("joint_velocity", velocity, rows, columns, full_data=full_data)

    def write_joint_state_to_sim_mask(
        self,
        *,
        position: Values,
        velocity: Values,
        joint_mask: Mask = None,
        env_mask: Mask = None,
    ) -> None:
        """Set positions and velocities of joints where masks are true.

        Args:
            position: [m or rad], shape (num_instances, num_joints) or what broadcasts to it.
            velocity: [m/s or rad/s], same shape.
            joint_mask: which joints, shape (num_joints,); None: all.
            env_mask: which instances, shape (num_instances,); None: all.

        Raises:
            InvalidValueError: a value is not allowed; nothing is written then.
            ShapeError: the values do not fit.
        """
        layout = self._view.layout
        self.write_joint_state_to_sim_index(
            position=position,
            velocity=velocity,
            joint_ids=selected_by_mask("joint_mask", joint_mask, layout.num_joints),
            env_ids=selected_by_mask("env_mask", env_mask, layout.num_instances),
            full_data=True,
        )

    @writes("joint_position")
    def write_joint_position_to_sim(
        self, position: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set positions of joints."""

    @writes("joint_position")
    def write_joint_position_to_sim_index(
        self,
        *,
        position: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set positions of joints."""

    @writes("joint_position")
    def write_joint_position_to_sim_mask(
        self, *, position: Values, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set positions of joints where masks are true."""

    @writes("joint_velocity")
    def write_joint_velocity_to_sim(
        self, velocity: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set velocities of joints."""

    @writes("joint_velocity")
    def write_joint_velocity_to_sim_index(
        self,
        *,
        velocity: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set velocities of joints."""

    @writes("joint_velocity")
    def write_joint_velocity_to_sim_mask(
        self, *, velocity: Values, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set velocities of joints where masks are true."""

    # -- drives --------------------------------------------------------------------------------

    @writes("joint_stiffness")
    def write_joint_stiffness_to_sim(
        self, stiffness: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the stiffness of the drives of joints."""

    @writes("joint_stiffness")
    def write_joint_stiffness_to_sim_index(
        self,
        *,
        stiffness: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the stiffness of the drives of joints."""

    @writes("joint_stiffness")
    def write_joint_stiffness_to_sim_mask(
        self, *, stiffness: Values, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set the stiffness of the drives of joints."""

    @writes("joint_damping")
    def write_joint_damping_to_sim(
        self, damping: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the damping of the drives of joints."""

    @writes("joint_damping")
    def write_joint_damping_to_sim_index(
        self,
        *,
        damping: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the damping of the drives of joints."""

    @writes("joint_damping")
    def write_joint_damping_to_sim_mask(
        self, *, damping: Values, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set the damping of the drives of joints."""

    @writes("joint_armature")
    def write_joint_armature_to_sim(
        self, armature: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the armature of joints."""

    @writes("joint_armature")
    def write_joint_armature_to_sim_index(
        self,
        *,
        armature: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the armature of joints."""

    @writes("joint_armature")
    def write_joint_armature_to_sim_mask(
        self, *, armature: Values, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set the armature of joints."""

    @writes("joint_velocity_limit")
    def write_joint_velocity_limit_to_sim(
        self, limits: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the largest speeds of joints; infinity is no limit."""

    @writes("joint_velocity_limit")
    def write_joint_velocity_limit_to_sim_index(
        self,
        *,
        limits: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the largest speeds of joints; infinity is no limit."""

    @writes("joint_velocity_limit")
    def write_joint_velocity_limit_to_sim_mask(
        self, *, limits: Values, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set the largest speeds of joints; infinity is no limit."""

    @writes("joint_effort_limit")
    def write_joint_effort_limit_to_sim(
        self, limits: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the largest efforts of the drives of joints; infinity is no limit."""

    @writes("joint_effort_limit")
    def write_joint_effort_limit_to_sim_index(
        self,
        *,
        limits: Values,
        joint_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the largest efforts of the drives of joints; infinity is no limit."""

    @writes("joint_effort_limit")
    def write_joint_effort_limit_to_sim_mask(
        self, *, limits: Values, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set the largest efforts of the drives of joints; infinity is no limit."""
