"""Joint data of an articulation: state, targets, properties and limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.actuators import ActuatorCollection
from usdsim.assets.aliases import JointAliases
from usdsim.assets.common.data import AssetData, Default
from usdsim.views import FIELDS, AssetView, Quantity, kernels
from usdsim.views.quantity import Computed, Launched, Stored
from usdsim.views.usable import usable

__all__ = ["TARGETS", "JointData"]

TARGETS = ("joint_pos_target", "joint_vel_target", "joint_effort_target")
"""Targets of actuators: positions, velocities, efforts."""
_WRENCHES = (
    *("engine:joint_wrenches", "engine:xpos", "engine:xquat"),
    *("layout:bodies", "model:body_parents"),
)
_RECORDED = {
    "default_joint_stiffness": "stiffness",
    "default_joint_damping": "damping",
    "default_joint_armature": "armature",
    "default_joint_friction_coeff": "friction",
    "default_joint_dynamic_friction_coeff": "dynamic_friction",
    "default_joint_viscous_friction_coeff": "viscous_friction",
}
"""Defaults, and the parameter of actuators they record."""


def _property(row: str, dtype: Any = wp.float32) -> Computed:
    return Computed(FIELDS[row].read, "joint", dtype)


def _soft_limits(view: AssetView) -> NDArray[np.float64]:
    limits = FIELDS["joint_position_limit"].read(view)
    factor = view.constants["soft_joint_pos_limit_factor"]
    # Where one end is missing there is no middle to shrink to.
    finite = np.isfinite(limits).all(axis=-1, keepdims=True)
    known = np.where(finite, limits, 0.0)
    middle, half = known.sum(axis=-1) / 2.0, (known[..., 1] - known[..., 0]) / 2.0
    soft = np.stack([middle - factor * half, middle + factor * half], axis=-1)
    return np.where(finite, soft, limits)


class JointData(JointAliases, AssetData):
    """State, targets and properties of joints.

    Hinges and slides have one coordinate each; see `Articulation` for other joints.
    """

    has_joint_ordering: bool = False
    """Whether an order of joints was configured."""
    has_body_ordering: bool = False
    """Whether an order of bodies was configured."""

    # -- state ---------------------------------------------------------------------------------

    joint_pos: Quantity[wp.array] = Stored("qpos", "joint_qpos", "joint")
    """Positions of the joints [m or rad], shape (num_instances, num_joints)."""
    joint_vel: Quantity[wp.array] = Stored("qvel", "joint_dofs", "joint")
    """Velocities of the joints [m/s or rad/s], shape (num_instances, num_joints)."""
    joint_acc: Quantity[wp.array] = Stored("acceleration", "joint_dofs", "joint", version="forces")
    """Accelerations of the joints over the last step, or as forces imply after a write or reset
    [m/s^2 or rad/s^2], shape (num_instances, num_joints)."""
    body_incoming_joint_wrench_b: Quantity[wp.array] = Launched(
        kernels.incoming_wrenches, _WRENCHES, "body", wp.spatial_vectorf, version="forces"
    )
    """Forces and torques that bodies exert through their joints on their parents, in the parents'
    frames and about their origins; of the root, on the world, in its axes and about the root's
    origin [N, N m], shape (num_instances, num_bodies) of spatial_vectorf."""

    # -- commands ------------------------------------------------------------------------------

    joint_pos_target: Default = Default()
    """Position targets as set, at first those on the stage [m or rad], shape
    (num_instances, num_joints)."""
    joint_vel_target: Default = Default()
    """Velocity targets as set, at first those on the stage [m/s or rad/s], shape
    (num_instances, num_joints)."""
    joint_effort_target: Default = Default()
    """Effort targets as set [N or N m], shape (num_instances, num_joints)."""

    @property
    def computed_torque(self) -> wp.array:
        """Efforts of the actuator models before limits, as of the last `write_data_to_sim`.

        [N or N m], shape (num_instances, num_joints). Where the engine's drive makes the effort, it
        is that of the drive's law at the state before the step; the array has it once it is read
        here.
        """
        self._actuators.settle()
        return self._efforts[0]

    @property
    def applied_torque(self) -> wp.array:
        """Efforts of the actuator models within limits, as of the last `write_data_to_sim`.

        [N or N m], shape (num_instances, num_joints); see `computed_torque`.
        """
        self._actuators.settle()
        return self._efforts[1]

    # -- properties ----------------------------------------------------------------------------

    joint_stiffness: Quantity[wp.array] = _property("joint_stiffness")
    """Stiffness of the engine's drives, 0 where an actuator model makes the effort
    [N/m or N m/rad], shape (num_instances, num_joints)."""
    joint_damping: Quantity[wp.array] = _property("joint_damping")
    """Damping of the engine's drives, 0 where an actuator model makes the effort
    [N s/m or N m s/rad], shape (num_instances, num_joints)."""
    joint_armature: Quantity[wp.array] = _property("joint_armature")
    """Armature of the joints [kg or kg m^2], shape (num_instances, num_joints)."""
    joint_friction_coeff: Quantity[wp.array] = _property("joint_friction_coefficient")
    """Static friction of the joints [N or N m], shape (num_instances, num_joints)."""
    joint_dynamic_friction_coeff: Quantity[wp.array] = _property(
        "joint_dynamic_friction_coefficient"
    )
    """Dynamic friction of the joints [N or N m], shape (num_instances, num_joints)."""
    joint_viscous_friction_coeff: Quantity[wp.array] = _property(
        "joint_viscous_friction_coefficient"
    )
    """Viscous friction of the joints [N s/m or N m s/rad], shape (num_instances, num_joints)."""
    joint_pos_limits: Quantity[wp.array] = _property("joint_position_limit", wp.vec2f)
    """Lower and upper limits of positions, infinite for none [m or rad], shape
    (num_instances, num_joints) of vec2f."""
    joint_vel_limits: Quantity[wp.array] = _property("joint_velocity_limit")
    """Largest speeds, infinite for none [m/s or rad/s], shape (num_instances, num_joints)."""
    joint_effort_limits: Quantity[wp.array] = _property("joint_effort_limit")
    """Largest efforts of the engine's drives, infinite for none [N or N m], shape
    (num_instances, num_joints)."""
    soft_joint_pos_limits: Quantity[wp.array] = Computed(_soft_limits, "joint", wp.vec2f)
    """Limits about the same middle with `soft_joint_pos_limit_factor` of the length; the limits
    themselves where an end is infinite [m or rad], shape (num_instances, num_joints) of vec2f."""
    gear_ratio: Default = Default()
    """Joint effort per motor effort, 1 unless you write it [-], shape
    (num_instances, num_joints)."""

    @property
    def soft_joint_vel_limits(self) -> wp.array:
        """Largest speeds of the actuator models, infinite for none.

        [m/s or rad/s], shape (num_instances, num_joints).
        """
        self._soft_velocity.assign(self._actuators.joint_values("velocity_limit"))
        return self._soft_velocity

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints, in the order of arrays."""
        return list(self._view.layout.joint_names)

    # -- defaults ------------------------------------------------------------------------------

    default_joint_pos: Default = Default()
    """Positions to reset to, as configured [m or rad], shape (num_instances, num_joints)."""
    default_joint_vel: Default = Default()
    """Velocities to reset to, as configured [m/s or rad/s], shape (num_instances, num_joints)."""
    default_joint_stiffness: Default = Default()
    """Stiffness of the actuators at the start [N/m or N m/rad], shape
    (num_instances, num_joints)."""
    default_joint_damping: Default = Default()
    """Damping of the actuators at the start [N s/m or N m s/rad], shape
    (num_instances, num_joints)."""
    default_joint_armature: Default = Default()
    """Armature at the start [kg or kg m^2], shape (num_instances, num_joints)."""
    default_joint_friction_coeff: Default = Default()
    """Static friction at the start [N or N m], shape (num_instances, num_joints)."""
    default_joint_dynamic_friction_coeff: Default = Default()
    """Dynamic friction at the start [N or N m], shape (num_instances, num_joints)."""
    default_joint_viscous_friction_coeff: Default = Default()
    """Viscous friction at the start [N s/m or N m s/rad], shape (num_instances, num_joints)."""
    default_joint_pos_limits: Default = Default("joint_position_limit", wp.vec2f)
    """Limits of positions at the start [m or rad], shape (num_instances, num_joints) of vec2f."""

    # -- inside --------------------------------------------------------------------------------

    def _open_defaults(self, initial: NDArray[np.float64]) -> None:
        super()._open_defaults(initial)
        view = self._view
        shape = view.layout.num_instances, view.layout.num_joints

        def zeros() -> wp.array:
            return usable(wp.zeros(shape, dtype=wp.float32, device=view.device))

        for name in (*TARGETS, "default_joint_pos", "default_joint_vel", "gear_ratio"):
            self.defaults[name] = zeros()
        self.defaults["gear_ratio"].fill_(1.0)
        self._efforts = zeros(), zeros()
        self._soft_velocity = zeros()
        view.constants["soft_joint_pos_limit_factor"] = 1.0
        for name in TARGETS:
            view.buffers[name] = self.defaults[name]

    def record_actuators(self, actuators: ActuatorCollection) -> None:
        """Keep the actuators, and the joints' parameters at the start."""
        self._actuators = actuators
        device = self._view.device
        for name, source in _RECORDED.items():
            values = actuators.joint_values(source)
            self.defaults[name] = wp.array(values, dtype=wp.float32, device=device)
