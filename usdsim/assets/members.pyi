"""Asset members: what assets get from rows of the field table and from their parts.

Written by ``python -m usdsim.views.stubs usdsim.assets.members``.
"""

from usdsim.assets.articulation.ball_joints import BallJointWriters
from usdsim.assets.articulation.joint_friction_writers import JointFrictionWriters
from usdsim.assets.articulation.joint_writers import JointWriters
from usdsim.assets.articulation.names import ArticulationNames
from usdsim.assets.common.wrenches import ExternalWrenches
from usdsim.assets.tendons.writers import TendonWriters
from usdsim.views.selection import Indices, Mask
from usdsim.views.values import Values

__all__ = [
    "ArticulationMembers",
    "BodyMembers",
    "NodeMembers",
    "ObjectMembers",
    "RootMembers",
    "ThrusterMembers",
]

class ArticulationMembers(RootMembers, ArticulationNames, JointWriters, JointFrictionWriters, BallJointWriters, TendonWriters):
    """Names, and writers of joints and tendons.

    Joint state and joint properties act at once, targets when `write_data_to_sim` passes them
    through the actuators, and what is set of tendons when ``write_*_tendon_properties_to_sim``
    brings it to the simulation.
    """

    def write_joint_position_to_sim(
        self, position: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set positions of joints. `position`: positions [m or rad], shape (len(env_ids),
        len(joint_ids)) or what broadcasts to it."""
    def write_joint_position_to_sim_index(
        self, position: Values, *, joint_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_joint_position_to_sim`, by keyword."""
    def write_joint_position_to_sim_mask(
        self, position: Values, *, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`write_joint_position_to_sim`, with values of all, where masks are true."""

    def write_joint_velocity_to_sim(
        self, velocity: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set velocities of joints. `velocity`: velocities [m/s or rad/s], shape (len(env_ids),
        len(joint_ids)) or what broadcasts to it."""
    def write_joint_velocity_to_sim_index(
        self, velocity: Values, *, joint_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_joint_velocity_to_sim`, by keyword."""
    def write_joint_velocity_to_sim_mask(
        self, velocity: Values, *, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`write_joint_velocity_to_sim`, with values of all, where masks are true."""

    def write_joint_stiffness_to_sim(
        self, stiffness: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the stiffness of the drives of joints. `stiffness`: stiffness of the drives [N/m or N
        m/rad], shape (len(env_ids), len(joint_ids)) or what broadcasts to it."""
    def write_joint_stiffness_to_sim_index(
        self, stiffness: Values, *, joint_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_joint_stiffness_to_sim`, by keyword."""
    def write_joint_stiffness_to_sim_mask(
        self, stiffness: Values, *, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`write_joint_stiffness_to_sim`, with values of all, where masks are true."""

    def write_joint_damping_to_sim(
        self, damping: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the damping of the drives of joints. `damping`: damping of the drives [N s/m or N m
        s/rad], shape (len(env_ids), len(joint_ids)) or what broadcasts to it."""
    def write_joint_damping_to_sim_index(
        self, damping: Values, *, joint_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_joint_damping_to_sim`, by keyword."""
    def write_joint_damping_to_sim_mask(
        self, damping: Values, *, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`write_joint_damping_to_sim`, with values of all, where masks are true."""

    def write_joint_armature_to_sim(
        self, armature: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the armature of joints. `armature`: armature [kg or kg m^2], shape (len(env_ids),
        len(joint_ids)) or what broadcasts to it."""
    def write_joint_armature_to_sim_index(
        self, armature: Values, *, joint_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_joint_armature_to_sim`, by keyword."""
    def write_joint_armature_to_sim_mask(
        self, armature: Values, *, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`write_joint_armature_to_sim`, with values of all, where masks are true."""

    def write_joint_velocity_limit_to_sim(
        self, limits: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the largest speeds of joints; infinity is no limit. `limits`: largest speeds [m/s or
        rad/s], shape (len(env_ids), len(joint_ids)) or what broadcasts to it."""
    def write_joint_velocity_limit_to_sim_index(
        self, limits: Values, *, joint_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_joint_velocity_limit_to_sim`, by keyword."""
    def write_joint_velocity_limit_to_sim_mask(
        self, limits: Values, *, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`write_joint_velocity_limit_to_sim`, with values of all, where masks are true."""

    def write_joint_effort_limit_to_sim(
        self, limits: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the largest efforts of the drives of joints; infinity is no limit. `limits`: largest
        efforts of the drives [N or N m], shape (len(env_ids), len(joint_ids)) or what broadcasts to
        it."""
    def write_joint_effort_limit_to_sim_index(
        self, limits: Values, *, joint_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_joint_effort_limit_to_sim`, by keyword."""
    def write_joint_effort_limit_to_sim_mask(
        self, limits: Values, *, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`write_joint_effort_limit_to_sim`, with values of all, where masks are true."""

    def set_joint_position_target(
        self, target: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set position targets of joints. `target`: position targets [m or rad], shape
        (len(env_ids), len(joint_ids)) or what broadcasts to it."""
    def set_joint_position_target_index(
        self, target: Values, *, joint_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_joint_position_target`, by keyword."""
    def set_joint_position_target_mask(
        self, target: Values, *, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_joint_position_target`, with values of all, where masks are true."""

    def set_joint_velocity_target(
        self, target: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set velocity targets of joints. `target`: velocity targets [m/s or rad/s], shape
        (len(env_ids), len(joint_ids)) or what broadcasts to it."""
    def set_joint_velocity_target_index(
        self, target: Values, *, joint_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_joint_velocity_target`, by keyword."""
    def set_joint_velocity_target_mask(
        self, target: Values, *, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_joint_velocity_target`, with values of all, where masks are true."""

    def set_joint_effort_target(
        self, target: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set effort targets of joints. `target`: effort targets [N or N m], shape (len(env_ids),
        len(joint_ids)) or what broadcasts to it."""
    def set_joint_effort_target_index(
        self, target: Values, *, joint_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_joint_effort_target`, by keyword."""
    def set_joint_effort_target_mask(
        self, target: Values, *, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_joint_effort_target`, with values of all, where masks are true."""

    def write_joint_dynamic_friction_coefficient_to_sim(
        self, joint_dynamic_friction_coeff: Values, joint_ids: Indices = None,
        env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set dynamic friction of joints. `joint_dynamic_friction_coeff`: dynamic friction [N or N
        m], shape (len(env_ids), len(joint_ids)) or what broadcasts to it."""
    def write_joint_dynamic_friction_coefficient_to_sim_index(
        self, joint_dynamic_friction_coeff: Values, *, joint_ids: Indices = None,
        env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_joint_dynamic_friction_coefficient_to_sim`, by keyword."""
    def write_joint_dynamic_friction_coefficient_to_sim_mask(
        self, joint_dynamic_friction_coeff: Values, *, joint_mask: Mask = None,
        env_mask: Mask = None
    ) -> None:
        """`write_joint_dynamic_friction_coefficient_to_sim`, with values of all, where masks are
        true."""

    def write_joint_viscous_friction_coefficient_to_sim(
        self, joint_viscous_friction_coeff: Values, joint_ids: Indices = None,
        env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set viscous friction of joints. `joint_viscous_friction_coeff`: viscous friction [N s/m
        or N m s/rad], shape (len(env_ids), len(joint_ids)) or what broadcasts to it."""
    def write_joint_viscous_friction_coefficient_to_sim_index(
        self, joint_viscous_friction_coeff: Values, *, joint_ids: Indices = None,
        env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_joint_viscous_friction_coefficient_to_sim`, by keyword."""
    def write_joint_viscous_friction_coefficient_to_sim_mask(
        self, joint_viscous_friction_coeff: Values, *, joint_mask: Mask = None,
        env_mask: Mask = None
    ) -> None:
        """`write_joint_viscous_friction_coefficient_to_sim`, with values of all, where masks are
        true."""

    def set_spatial_tendon_stiffness(
        self, stiffness: Values, spatial_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the stiffness of tendons. `stiffness`: stiffness [N/m], shape (len(env_ids),
        len(spatial_tendon_ids)) or what broadcasts to it."""
    def set_spatial_tendon_stiffness_index(
        self, stiffness: Values, *, spatial_tendon_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_spatial_tendon_stiffness`, by keyword."""
    def set_spatial_tendon_stiffness_mask(
        self, stiffness: Values, *, spatial_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_spatial_tendon_stiffness`, with values of all, where masks are true."""

    def set_spatial_tendon_damping(
        self, damping: Values, spatial_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the damping of tendons. `damping`: damping [N s/m], shape (len(env_ids),
        len(spatial_tendon_ids)) or what broadcasts to it."""
    def set_spatial_tendon_damping_index(
        self, damping: Values, *, spatial_tendon_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_spatial_tendon_damping`, by keyword."""
    def set_spatial_tendon_damping_mask(
        self, damping: Values, *, spatial_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_spatial_tendon_damping`, with values of all, where masks are true."""

    def set_spatial_tendon_limit_stiffness(
        self, limit_stiffness: Values, spatial_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the stiffness of the limits of tendons; 0: as the solver allows. `limit_stiffness`:
        stiffness of the limits [N/m], shape (len(env_ids), len(spatial_tendon_ids)) or what
        broadcasts to it."""
    def set_spatial_tendon_limit_stiffness_index(
        self, limit_stiffness: Values, *, spatial_tendon_ids: Indices = None,
        env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`set_spatial_tendon_limit_stiffness`, by keyword."""
    def set_spatial_tendon_limit_stiffness_mask(
        self, limit_stiffness: Values, *, spatial_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_spatial_tendon_limit_stiffness`, with values of all, where masks are true."""

    def set_spatial_tendon_offset(
        self, offset: Values, spatial_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set what is added to the lengths of tendons. `offset`: what is added to the length [m],
        shape (len(env_ids), len(spatial_tendon_ids)) or what broadcasts to it."""
    def set_spatial_tendon_offset_index(
        self, offset: Values, *, spatial_tendon_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_spatial_tendon_offset`, by keyword."""
    def set_spatial_tendon_offset_mask(
        self, offset: Values, *, spatial_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_spatial_tendon_offset`, with values of all, where masks are true."""

    def set_fixed_tendon_stiffness(
        self, stiffness: Values, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the stiffness of tendons. `stiffness`: stiffness [N/m], shape (len(env_ids),
        len(fixed_tendon_ids)) or what broadcasts to it."""
    def set_fixed_tendon_stiffness_index(
        self, stiffness: Values, *, fixed_tendon_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_fixed_tendon_stiffness`, by keyword."""
    def set_fixed_tendon_stiffness_mask(
        self, stiffness: Values, *, fixed_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_fixed_tendon_stiffness`, with values of all, where masks are true."""

    def set_fixed_tendon_damping(
        self, damping: Values, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the damping of tendons. `damping`: damping [N s/m], shape (len(env_ids),
        len(fixed_tendon_ids)) or what broadcasts to it."""
    def set_fixed_tendon_damping_index(
        self, damping: Values, *, fixed_tendon_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_fixed_tendon_damping`, by keyword."""
    def set_fixed_tendon_damping_mask(
        self, damping: Values, *, fixed_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_fixed_tendon_damping`, with values of all, where masks are true."""

    def set_fixed_tendon_limit_stiffness(
        self, limit_stiffness: Values, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the stiffness of the limits of tendons; 0: as the solver allows. `limit_stiffness`:
        stiffness of the limits [N/m], shape (len(env_ids), len(fixed_tendon_ids)) or what
        broadcasts to it."""
    def set_fixed_tendon_limit_stiffness_index(
        self, limit_stiffness: Values, *, fixed_tendon_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_fixed_tendon_limit_stiffness`, by keyword."""
    def set_fixed_tendon_limit_stiffness_mask(
        self, limit_stiffness: Values, *, fixed_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_fixed_tendon_limit_stiffness`, with values of all, where masks are true."""

    def set_fixed_tendon_offset(
        self, offset: Values, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set what is added to the lengths of tendons. `offset`: what is added to the length [m],
        shape (len(env_ids), len(fixed_tendon_ids)) or what broadcasts to it."""
    def set_fixed_tendon_offset_index(
        self, offset: Values, *, fixed_tendon_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_fixed_tendon_offset`, by keyword."""
    def set_fixed_tendon_offset_mask(
        self, offset: Values, *, fixed_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_fixed_tendon_offset`, with values of all, where masks are true."""

    def set_fixed_tendon_position_limit(
        self, limit: Values, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set limits of the length of tendons. `limit`: limits of the length (lower, upper) [m],
        shape (len(env_ids), len(fixed_tendon_ids), 2) or what broadcasts to it."""
    def set_fixed_tendon_position_limit_index(
        self, limit: Values, *, fixed_tendon_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_fixed_tendon_position_limit`, by keyword."""
    def set_fixed_tendon_position_limit_mask(
        self, limit: Values, *, fixed_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_fixed_tendon_position_limit`, with values of all, where masks are true."""

    def set_fixed_tendon_rest_length(
        self, rest_length: Values, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the lengths without force of tendons. `rest_length`: length without force [m], shape
        (len(env_ids), len(fixed_tendon_ids)) or what broadcasts to it."""
    def set_fixed_tendon_rest_length_index(
        self, rest_length: Values, *, fixed_tendon_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_fixed_tendon_rest_length`, by keyword."""
    def set_fixed_tendon_rest_length_mask(
        self, rest_length: Values, *, fixed_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_fixed_tendon_rest_length`, with values of all, where masks are true."""

    def write_joint_state_to_sim(
        self, position: Values, velocity: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set positions and velocities of joints.

        Args:
            position: [m or rad], shape (len(env_ids), len(joint_ids)) or what broadcasts to it.
            velocity: [m/s or rad/s], same shape.
            joint_ids: joints, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
        """

    def write_joint_state_to_sim_index(
        self, *, position: Values, velocity: Values, joint_ids: Indices = None,
        env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_joint_state_to_sim`, by keyword."""

    def write_joint_state_to_sim_mask(
        self, *, position: Values, velocity: Values, joint_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`write_joint_state_to_sim`, with values of all, where masks are true."""

    def write_joint_position_limit_to_sim(
        self, limits: Values, joint_ids: Indices = None, env_ids: Indices = None,
        warn_limit_violation: bool = True
    ) -> None:
        """Set position limits of joints; infinite ends are no limit.

        Args:
            limits: lower and upper limits [m or rad], shape (len(env_ids), len(joint_ids), 2) or
                what broadcasts to it.
            joint_ids: joints, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
            warn_limit_violation: whether to warn about default positions that were outside.
        """

    def write_joint_position_limit_to_sim_index(
        self, *, limits: Values, joint_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False, warn_limit_violation: bool = True
    ) -> None:
        """`write_joint_position_limit_to_sim`, by keyword."""

    def write_joint_position_limit_to_sim_mask(
        self, *, limits: Values, joint_mask: Mask = None, env_mask: Mask = None,
        warn_limit_violation: bool = True
    ) -> None:
        """`write_joint_position_limit_to_sim`, with values of all, where masks are true."""

    def write_joint_friction_coefficient_to_sim(
        self, joint_friction_coeff: Values, joint_dynamic_friction_coeff: Values | None = None,
        joint_viscous_friction_coeff: Values | None = None, joint_ids: Indices = None,
        env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """Set friction of joints.

        Args:
            joint_friction_coeff: static friction [N or N m], shape (len(env_ids), len(joint_ids)) or
                what broadcasts to it.
            joint_dynamic_friction_coeff: dynamic friction [N or N m], same shape; None: what it
                is, but not above the static one, and the static one where both were the same.
            joint_viscous_friction_coeff: viscous friction [N s/m or N m s/rad], same shape; None:
                as it is.
            joint_ids: joints, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
            full_data: whether the values are those of all instances and elements.
        """

    def write_joint_friction_coefficient_to_sim_index(
        self, *, joint_friction_coeff: Values, joint_dynamic_friction_coeff: Values | None = None,
        joint_viscous_friction_coeff: Values | None = None, joint_ids: Indices = None,
        env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_joint_friction_coefficient_to_sim`, by keyword."""

    def write_joint_friction_coefficient_to_sim_mask(
        self, *, joint_friction_coeff: Values, joint_dynamic_friction_coeff: Values | None = None,
        joint_viscous_friction_coeff: Values | None = None, joint_mask: Mask = None,
        env_mask: Mask = None
    ) -> None:
        """`write_joint_friction_coefficient_to_sim`, with values of all, where masks are true."""

    def write_fixed_tendon_properties_to_sim(
        self, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Bring what was set of fixed tendons to the simulation."""

    def write_fixed_tendon_properties_to_sim_index(
        self, *, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """`write_fixed_tendon_properties_to_sim`, by keyword."""

    def write_fixed_tendon_properties_to_sim_mask(
        self, *, fixed_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`write_fixed_tendon_properties_to_sim`, with values of all, where masks are true."""

    def write_spatial_tendon_properties_to_sim(
        self, spatial_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Bring what was set of spatial tendons to the simulation."""

    def write_spatial_tendon_properties_to_sim_index(
        self, *, spatial_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """`write_spatial_tendon_properties_to_sim`, by keyword."""

    def write_spatial_tendon_properties_to_sim_mask(
        self, *, spatial_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`write_spatial_tendon_properties_to_sim`, with values of all, where masks are true."""

class BodyMembers(ExternalWrenches):
    """External forces, and writers of mass properties and of surfaces, in force at once.

    What a shape touches combines friction and restitution with its own, by the combine modes of the
    materials on the stage. In large scenes friction can be written only where the configuration
    says ``randomize_materials=True``; the error says so. The engine has one sliding coefficient,
    the dynamic one: static friction is kept and reported, but has no effect.
    """

    def set_masses(self, masses: Values, body_ids: Indices = None, env_ids: Indices = None) -> None:
        """Set the masses of bodies; their inertia stays as it is. `masses`: masses [kg], shape
        (len(env_ids), len(body_ids)) or what broadcasts to it."""
    def set_masses_index(
        self, masses: Values, *, body_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_masses`, by keyword."""
    def set_masses_mask(
        self, masses: Values, *, body_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_masses`, with values of all, where masks are true."""

    def set_coms(self, coms: Values, body_ids: Indices = None, env_ids: Indices = None) -> None:
        """Set centres of mass and principal axes of bodies in their links' frames. `coms`: centre
        of mass and principal axes of inertia in the link frame [m, unit quaternion], shape
        (len(env_ids), len(body_ids), 7) or what broadcasts to it."""
    def set_coms_index(
        self, coms: Values, *, body_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_coms`, by keyword."""
    def set_coms_mask(self, coms: Values, *, body_mask: Mask = None, env_mask: Mask = None) -> None:
        """`set_coms`, with values of all, where masks are true."""

    def set_inertias(
        self, inertias: Values, body_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set inertias of bodies about their centres of mass in their links' axes. `inertias`:
        inertia about the centre of mass in the link's axes, row by row [kg m^2], shape
        (len(env_ids), len(body_ids), 9) or what broadcasts to it."""
    def set_inertias_index(
        self, inertias: Values, *, body_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_inertias`, by keyword."""
    def set_inertias_mask(
        self, inertias: Values, *, body_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_inertias`, with values of all, where masks are true."""

    def set_material_properties(
        self, materials: Values, shape_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set static friction, dynamic friction and restitution of shapes. `materials`: static
        friction, dynamic friction and restitution [1], shape (len(env_ids), len(shape_ids), 3) or
        what broadcasts to it."""
    def set_material_properties_index(
        self, materials: Values, *, shape_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_material_properties`, by keyword."""
    def set_material_properties_mask(
        self, materials: Values, *, shape_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_material_properties`, with values of all, where masks are true."""

class NodeMembers:
    """Writers of positions, velocities and targets of vertices, in force at once.

    Vertices attached to the world stay where they are, whatever is written. A vertex that is held
    reaches its target within one step, whatever acts on it, and stays there until it is let go, the
    simulation is reset, or `reset` is called.
    """

    def write_nodal_state_to_sim(self, nodal_state: Values, env_ids: Indices = None) -> None:
        """Set positions and velocities of the vertices in world. `nodal_state`: positions and
        velocities of the vertices in world [m, m/s], shape (len(env_ids),
        max_sim_vertices_per_body, 6) or what broadcasts to it."""
    def write_nodal_state_to_sim_index(
        self, nodal_state: Values, *, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_nodal_state_to_sim`, by keyword."""
    def write_nodal_state_to_sim_mask(self, nodal_state: Values, *, env_mask: Mask = None) -> None:
        """`write_nodal_state_to_sim`, with values of all, where masks are true."""

    def write_nodal_pos_to_sim(self, nodal_pos: Values, env_ids: Indices = None) -> None:
        """Set positions of the vertices in world. `nodal_pos`: positions of the vertices in world
        [m], shape (len(env_ids), max_sim_vertices_per_body, 3) or what broadcasts to it."""
    def write_nodal_pos_to_sim_index(
        self, nodal_pos: Values, *, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_nodal_pos_to_sim`, by keyword."""
    def write_nodal_pos_to_sim_mask(self, nodal_pos: Values, *, env_mask: Mask = None) -> None:
        """`write_nodal_pos_to_sim`, with values of all, where masks are true."""

    def write_nodal_velocity_to_sim(self, nodal_vel: Values, env_ids: Indices = None) -> None:
        """Set velocities of the vertices in world. `nodal_vel`: velocities of the vertices in world
        [m/s], shape (len(env_ids), max_sim_vertices_per_body, 3) or what broadcasts to it."""
    def write_nodal_velocity_to_sim_index(
        self, nodal_vel: Values, *, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_nodal_velocity_to_sim`, by keyword."""
    def write_nodal_velocity_to_sim_mask(self, nodal_vel: Values, *, env_mask: Mask = None) -> None:
        """`write_nodal_velocity_to_sim`, with values of all, where masks are true."""

    def write_nodal_kinematic_target_to_sim(self, targets: Values, env_ids: Indices = None) -> None:
        """Hold vertices at targets in world, or let go of them. `targets`: where vertices are to be
        in world, and 0.0 for those held there, 1.0 for free ones [m, 1], shape (len(env_ids),
        max_sim_vertices_per_body, 4) or what broadcasts to it."""
    def write_nodal_kinematic_target_to_sim_index(
        self, targets: Values, *, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_nodal_kinematic_target_to_sim`, by keyword."""
    def write_nodal_kinematic_target_to_sim_mask(
        self, targets: Values, *, env_mask: Mask = None
    ) -> None:
        """`write_nodal_kinematic_target_to_sim`, with values of all, where masks are true."""

class ObjectMembers:
    """Writers of poses and velocities of the objects of a collection, which are bodies too."""

    def write_object_pose_to_sim(
        self, object_pose: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set the poses of the objects' links in world. `object_pose`: pose in world of the link
        frame [m, unit quaternion], shape (len(env_ids), len(object_ids), 7) or what broadcasts to
        it."""
    def write_object_pose_to_sim_index(
        self, object_pose: Values, *, env_ids: Indices = None, object_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_object_pose_to_sim`, by keyword."""
    def write_object_pose_to_sim_mask(
        self, object_pose: Values, *, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """`write_object_pose_to_sim`, with values of all, where masks are true."""

    def write_object_link_pose_to_sim(
        self, object_pose: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set the poses of the objects' links in world. `object_pose`: pose in world of the link
        frame [m, unit quaternion], shape (len(env_ids), len(object_ids), 7) or what broadcasts to
        it."""
    def write_object_link_pose_to_sim_index(
        self, object_pose: Values, *, env_ids: Indices = None, object_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_object_link_pose_to_sim`, by keyword."""
    def write_object_link_pose_to_sim_mask(
        self, object_pose: Values, *, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """`write_object_link_pose_to_sim`, with values of all, where masks are true."""

    def write_object_com_pose_to_sim(
        self, object_pose: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set the poses of the objects' centres of mass and principal axes in world. `object_pose`:
        pose in world of the centre of mass and principal axes of inertia [m, unit quaternion],
        shape (len(env_ids), len(object_ids), 7) or what broadcasts to it."""
    def write_object_com_pose_to_sim_index(
        self, object_pose: Values, *, env_ids: Indices = None, object_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_object_com_pose_to_sim`, by keyword."""
    def write_object_com_pose_to_sim_mask(
        self, object_pose: Values, *, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """`write_object_com_pose_to_sim`, with values of all, where masks are true."""

    def write_object_velocity_to_sim(
        self, object_velocity: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set the velocities of the objects' centres of mass in world. `object_velocity`: velocity
        in world of the centre of mass [m/s, rad/s], shape (len(env_ids), len(object_ids), 6) or
        what broadcasts to it."""
    def write_object_velocity_to_sim_index(
        self, object_velocity: Values, *, env_ids: Indices = None, object_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_object_velocity_to_sim`, by keyword."""
    def write_object_velocity_to_sim_mask(
        self, object_velocity: Values, *, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """`write_object_velocity_to_sim`, with values of all, where masks are true."""

    def write_object_com_velocity_to_sim(
        self, object_velocity: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set the velocities of the objects' centres of mass in world. `object_velocity`: velocity
        in world of the centre of mass [m/s, rad/s], shape (len(env_ids), len(object_ids), 6) or
        what broadcasts to it."""
    def write_object_com_velocity_to_sim_index(
        self, object_velocity: Values, *, env_ids: Indices = None, object_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_object_com_velocity_to_sim`, by keyword."""
    def write_object_com_velocity_to_sim_mask(
        self, object_velocity: Values, *, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """`write_object_com_velocity_to_sim`, with values of all, where masks are true."""

    def write_object_link_velocity_to_sim(
        self, object_velocity: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set the velocities of the objects' link origins in world. `object_velocity`: velocity in
        world of the link origin [m/s, rad/s], shape (len(env_ids), len(object_ids), 6) or what
        broadcasts to it."""
    def write_object_link_velocity_to_sim_index(
        self, object_velocity: Values, *, env_ids: Indices = None, object_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_object_link_velocity_to_sim`, by keyword."""
    def write_object_link_velocity_to_sim_mask(
        self, object_velocity: Values, *, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """`write_object_link_velocity_to_sim`, with values of all, where masks are true."""

    def write_object_state_to_sim(
        self, object_state: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set poses of the objects' links and velocities of their centres of mass in world.
        `object_state`: state in world of the link frame, and velocity of the com [m, unit
        quaternion, m/s, rad/s], shape (len(env_ids), len(object_ids), 13) or what broadcasts to
        it."""
    def write_object_state_to_sim_index(
        self, object_state: Values, *, env_ids: Indices = None, object_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_object_state_to_sim`, by keyword."""
    def write_object_state_to_sim_mask(
        self, object_state: Values, *, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """`write_object_state_to_sim`, with values of all, where masks are true."""

    def write_object_link_state_to_sim(
        self, object_state: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set poses and velocities of the objects' links in world. `object_state`: state in world
        of the link frame [m, unit quaternion, m/s, rad/s], shape (len(env_ids), len(object_ids),
        13) or what broadcasts to it."""
    def write_object_link_state_to_sim_index(
        self, object_state: Values, *, env_ids: Indices = None, object_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_object_link_state_to_sim`, by keyword."""
    def write_object_link_state_to_sim_mask(
        self, object_state: Values, *, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """`write_object_link_state_to_sim`, with values of all, where masks are true."""

    def write_object_com_state_to_sim(
        self, object_state: Values, env_ids: Indices = None, object_ids: Indices = None
    ) -> None:
        """Set poses and velocities of the objects' centres of mass in world. `object_state`: state
        in world of the centre of mass [m, unit quaternion, m/s, rad/s], shape (len(env_ids),
        len(object_ids), 13) or what broadcasts to it."""
    def write_object_com_state_to_sim_index(
        self, object_state: Values, *, env_ids: Indices = None, object_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_object_com_state_to_sim`, by keyword."""
    def write_object_com_state_to_sim_mask(
        self, object_state: Values, *, env_mask: Mask = None, object_mask: Mask = None
    ) -> None:
        """`write_object_com_state_to_sim`, with values of all, where masks are true."""

    def write_body_pose_to_sim(
        self, body_poses: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set the poses of the objects' links in world. `body_poses`: pose in world of the link
        frame [m, unit quaternion], shape (len(env_ids), len(body_ids), 7) or what broadcasts to
        it."""
    def write_body_pose_to_sim_index(
        self, body_poses: Values, *, env_ids: Indices = None, body_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_body_pose_to_sim`, by keyword."""
    def write_body_pose_to_sim_mask(
        self, body_poses: Values, *, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """`write_body_pose_to_sim`, with values of all, where masks are true."""

    def write_body_link_pose_to_sim(
        self, body_poses: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set the poses of the objects' links in world. `body_poses`: pose in world of the link
        frame [m, unit quaternion], shape (len(env_ids), len(body_ids), 7) or what broadcasts to
        it."""
    def write_body_link_pose_to_sim_index(
        self, body_poses: Values, *, env_ids: Indices = None, body_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_body_link_pose_to_sim`, by keyword."""
    def write_body_link_pose_to_sim_mask(
        self, body_poses: Values, *, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """`write_body_link_pose_to_sim`, with values of all, where masks are true."""

    def write_body_com_pose_to_sim(
        self, body_poses: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set the poses of the objects' centres of mass and principal axes in world. `body_poses`:
        pose in world of the centre of mass and principal axes of inertia [m, unit quaternion],
        shape (len(env_ids), len(body_ids), 7) or what broadcasts to it."""
    def write_body_com_pose_to_sim_index(
        self, body_poses: Values, *, env_ids: Indices = None, body_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_body_com_pose_to_sim`, by keyword."""
    def write_body_com_pose_to_sim_mask(
        self, body_poses: Values, *, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """`write_body_com_pose_to_sim`, with values of all, where masks are true."""

    def write_body_velocity_to_sim(
        self, body_velocities: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set the velocities of the objects' centres of mass in world. `body_velocities`: velocity
        in world of the centre of mass [m/s, rad/s], shape (len(env_ids), len(body_ids), 6) or what
        broadcasts to it."""
    def write_body_velocity_to_sim_index(
        self, body_velocities: Values, *, env_ids: Indices = None, body_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_body_velocity_to_sim`, by keyword."""
    def write_body_velocity_to_sim_mask(
        self, body_velocities: Values, *, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """`write_body_velocity_to_sim`, with values of all, where masks are true."""

    def write_body_com_velocity_to_sim(
        self, body_velocities: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set the velocities of the objects' centres of mass in world. `body_velocities`: velocity
        in world of the centre of mass [m/s, rad/s], shape (len(env_ids), len(body_ids), 6) or what
        broadcasts to it."""
    def write_body_com_velocity_to_sim_index(
        self, body_velocities: Values, *, env_ids: Indices = None, body_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_body_com_velocity_to_sim`, by keyword."""
    def write_body_com_velocity_to_sim_mask(
        self, body_velocities: Values, *, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """`write_body_com_velocity_to_sim`, with values of all, where masks are true."""

    def write_body_link_velocity_to_sim(
        self, body_velocities: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set the velocities of the objects' link origins in world. `body_velocities`: velocity in
        world of the link origin [m/s, rad/s], shape (len(env_ids), len(body_ids), 6) or what
        broadcasts to it."""
    def write_body_link_velocity_to_sim_index(
        self, body_velocities: Values, *, env_ids: Indices = None, body_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_body_link_velocity_to_sim`, by keyword."""
    def write_body_link_velocity_to_sim_mask(
        self, body_velocities: Values, *, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """`write_body_link_velocity_to_sim`, with values of all, where masks are true."""

    def write_body_state_to_sim(
        self, body_states: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set poses of the objects' links and velocities of their centres of mass in world.
        `body_states`: state in world of the link frame, and velocity of the com [m, unit
        quaternion, m/s, rad/s], shape (len(env_ids), len(body_ids), 13) or what broadcasts to
        it."""
    def write_body_state_to_sim_index(
        self, body_states: Values, *, env_ids: Indices = None, body_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_body_state_to_sim`, by keyword."""
    def write_body_state_to_sim_mask(
        self, body_states: Values, *, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """`write_body_state_to_sim`, with values of all, where masks are true."""

    def write_body_link_state_to_sim(
        self, body_states: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set poses and velocities of the objects' links in world. `body_states`: state in world of
        the link frame [m, unit quaternion, m/s, rad/s], shape (len(env_ids), len(body_ids), 13) or
        what broadcasts to it."""
    def write_body_link_state_to_sim_index(
        self, body_states: Values, *, env_ids: Indices = None, body_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_body_link_state_to_sim`, by keyword."""
    def write_body_link_state_to_sim_mask(
        self, body_states: Values, *, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """`write_body_link_state_to_sim`, with values of all, where masks are true."""

    def write_body_com_state_to_sim(
        self, body_states: Values, env_ids: Indices = None, body_ids: Indices = None
    ) -> None:
        """Set poses and velocities of the objects' centres of mass in world. `body_states`: state
        in world of the centre of mass [m, unit quaternion, m/s, rad/s], shape (len(env_ids),
        len(body_ids), 13) or what broadcasts to it."""
    def write_body_com_state_to_sim_index(
        self, body_states: Values, *, env_ids: Indices = None, body_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`write_body_com_state_to_sim`, by keyword."""
    def write_body_com_state_to_sim_mask(
        self, body_states: Values, *, env_mask: Mask = None, body_mask: Mask = None
    ) -> None:
        """`write_body_com_state_to_sim`, with values of all, where masks are true."""

class RootMembers:
    """Writers of poses and velocities of roots, in force at once.

    What is read afterwards is what was written, without a step between. The pose of a root that
    joints hold to the world is the one it has with those joints at zero; where it is follows from
    that and from their positions.
    """

    def write_root_pose_to_sim(self, root_pose: Values, env_ids: Indices = None) -> None:
        """Set the pose of the root link in world. `root_pose`: pose in world of the link frame [m,
        unit quaternion], shape (len(env_ids), 7) or what broadcasts to it."""
    def write_root_pose_to_sim_index(
        self, root_pose: Values, *, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_root_pose_to_sim`, by keyword."""
    def write_root_pose_to_sim_mask(self, root_pose: Values, *, env_mask: Mask = None) -> None:
        """`write_root_pose_to_sim`, with values of all, where masks are true."""

    def write_root_link_pose_to_sim(self, root_pose: Values, env_ids: Indices = None) -> None:
        """Set the pose of the root link in world. `root_pose`: pose in world of the link frame [m,
        unit quaternion], shape (len(env_ids), 7) or what broadcasts to it."""
    def write_root_link_pose_to_sim_index(
        self, root_pose: Values, *, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_root_link_pose_to_sim`, by keyword."""
    def write_root_link_pose_to_sim_mask(self, root_pose: Values, *, env_mask: Mask = None) -> None:
        """`write_root_link_pose_to_sim`, with values of all, where masks are true."""

    def write_root_com_pose_to_sim(self, root_pose: Values, env_ids: Indices = None) -> None:
        """Set the pose of the root's centre of mass and principal axes in world. `root_pose`: pose
        in world of the centre of mass and principal axes of inertia [m, unit quaternion], shape
        (len(env_ids), 7) or what broadcasts to it."""
    def write_root_com_pose_to_sim_index(
        self, root_pose: Values, *, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_root_com_pose_to_sim`, by keyword."""
    def write_root_com_pose_to_sim_mask(self, root_pose: Values, *, env_mask: Mask = None) -> None:
        """`write_root_com_pose_to_sim`, with values of all, where masks are true."""

    def write_root_velocity_to_sim(self, root_velocity: Values, env_ids: Indices = None) -> None:
        """Set the velocity of the root's centre of mass in world. `root_velocity`: velocity in
        world of the centre of mass [m/s, rad/s], shape (len(env_ids), 6) or what broadcasts to
        it."""
    def write_root_velocity_to_sim_index(
        self, root_velocity: Values, *, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_root_velocity_to_sim`, by keyword."""
    def write_root_velocity_to_sim_mask(
        self, root_velocity: Values, *, env_mask: Mask = None
    ) -> None:
        """`write_root_velocity_to_sim`, with values of all, where masks are true."""

    def write_root_com_velocity_to_sim(
        self, root_velocity: Values, env_ids: Indices = None
    ) -> None:
        """Set the velocity of the root's centre of mass in world. `root_velocity`: velocity in
        world of the centre of mass [m/s, rad/s], shape (len(env_ids), 6) or what broadcasts to
        it."""
    def write_root_com_velocity_to_sim_index(
        self, root_velocity: Values, *, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_root_com_velocity_to_sim`, by keyword."""
    def write_root_com_velocity_to_sim_mask(
        self, root_velocity: Values, *, env_mask: Mask = None
    ) -> None:
        """`write_root_com_velocity_to_sim`, with values of all, where masks are true."""

    def write_root_link_velocity_to_sim(
        self, root_velocity: Values, env_ids: Indices = None
    ) -> None:
        """Set the velocity of the root link's origin in world. `root_velocity`: velocity in world
        of the link origin [m/s, rad/s], shape (len(env_ids), 6) or what broadcasts to it."""
    def write_root_link_velocity_to_sim_index(
        self, root_velocity: Values, *, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_root_link_velocity_to_sim`, by keyword."""
    def write_root_link_velocity_to_sim_mask(
        self, root_velocity: Values, *, env_mask: Mask = None
    ) -> None:
        """`write_root_link_velocity_to_sim`, with values of all, where masks are true."""

    def write_root_state_to_sim(self, root_state: Values, env_ids: Indices = None) -> None:
        """Set the pose of the root link and the velocity of its centre of mass in world.
        `root_state`: state in world of the link frame, and velocity of the com [m, unit quaternion,
        m/s, rad/s], shape (len(env_ids), 13) or what broadcasts to it."""
    def write_root_state_to_sim_index(
        self, root_state: Values, *, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_root_state_to_sim`, by keyword."""
    def write_root_state_to_sim_mask(self, root_state: Values, *, env_mask: Mask = None) -> None:
        """`write_root_state_to_sim`, with values of all, where masks are true."""

    def write_root_link_state_to_sim(self, root_state: Values, env_ids: Indices = None) -> None:
        """Set pose and velocity of the root link in world. `root_state`: state in world of the link
        frame [m, unit quaternion, m/s, rad/s], shape (len(env_ids), 13) or what broadcasts to
        it."""
    def write_root_link_state_to_sim_index(
        self, root_state: Values, *, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_root_link_state_to_sim`, by keyword."""
    def write_root_link_state_to_sim_mask(
        self, root_state: Values, *, env_mask: Mask = None
    ) -> None:
        """`write_root_link_state_to_sim`, with values of all, where masks are true."""

    def write_root_com_state_to_sim(self, root_state: Values, env_ids: Indices = None) -> None:
        """Set pose and velocity of the root's centre of mass in world. `root_state`: state in world
        of the centre of mass [m, unit quaternion, m/s, rad/s], shape (len(env_ids), 13) or what
        broadcasts to it."""
    def write_root_com_state_to_sim_index(
        self, root_state: Values, *, env_ids: Indices = None, full_data: bool = False
    ) -> None:
        """`write_root_com_state_to_sim`, by keyword."""
    def write_root_com_state_to_sim_mask(
        self, root_state: Values, *, env_mask: Mask = None
    ) -> None:
        """`write_root_com_state_to_sim`, with values of all, where masks are true."""

class ThrusterMembers:
    """Writers of thrusts, which count from the next `write_data_to_sim` on.

    Thrusts beyond the range of a thruster count as its ends.
    """

    def set_thrust_target(
        self, target: Values, thruster_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the thrusts that thrusters shall give. `target`: thrusts along the rotors' axes [N],
        shape (len(env_ids), len(thruster_ids)) or what broadcasts to it; with one axis, one for
        each instance."""
    def set_thrust_target_index(
        self, target: Values, *, thruster_ids: Indices = None, env_ids: Indices = None,
        full_data: bool = False
    ) -> None:
        """`set_thrust_target`, by keyword."""
    def set_thrust_target_mask(
        self, target: Values, *, thruster_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """`set_thrust_target`, with values of all, where masks are true."""
