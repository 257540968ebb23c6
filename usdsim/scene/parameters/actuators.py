"""Parameters of actuators that may differ from world to world."""

from __future__ import annotations

from usdsim.core.domains import FINITE, NON_NEGATIVE, POSITIVE

from .engine_fields import Interval, PhysicalParameter, Place

__all__ = [
    "ACT_RANGE",
    "ARMATURE",
    "BIAS",
    "CTRL_RANGE",
    "DAMPING",
    "FORCE_RANGE",
    "GAIN",
    "GEAR",
    "JOINT_DAMPING",
    "KP",
    "KV",
    "PID_KP",
    "STIFFNESS",
    "TIME_CONSTANT",
]

# The engine's bias is b + k q + d v: springs and dampers have negative numbers there.
_GAIN = Place("actuator_gainprm", 0)
_BIAS = Place("actuator_biasprm", 0)
_STIFFNESS = Place("actuator_biasprm", 1, -1.0)
_DAMPING = Place("actuator_biasprm", 2, -1.0)
_FORCE, _SPRING, _DAMPER = "N or N m", "N/m or N m/rad", "N s/m or N m s/rad"

GAIN = PhysicalParameter("gain", "gain", "", FINITE, (_GAIN,))
BIAS = PhysicalParameter("bias", "constant force", _FORCE, FINITE, (_BIAS,))
STIFFNESS = PhysicalParameter("stiffness", "stiffness", _SPRING, NON_NEGATIVE, (_STIFFNESS,))
DAMPING = PhysicalParameter("damping", "damping", _DAMPER, NON_NEGATIVE, (_DAMPING,))
KP = PhysicalParameter("kp", "stiffness of the servo", _SPRING, NON_NEGATIVE, (_GAIN, _STIFFNESS))
PID_KP = PhysicalParameter("kp", "stiffness of the servo", _SPRING, NON_NEGATIVE, (_STIFFNESS,))
KV = PhysicalParameter("kv", "damping of the servo", _DAMPER, NON_NEGATIVE, (_GAIN, _DAMPING))
TIME_CONSTANT = PhysicalParameter(
    "time_constant",
    "time constant of the filter of the control",
    "s",
    POSITIVE,
    (Place("actuator_dynprm", 0),),
)
CTRL_RANGE = Interval.flagged(
    "ctrl_range", "bounds of the control", "", "actuator_ctrlrange", "actuator_ctrllimited"
)
FORCE_RANGE = Interval.flagged(
    "force_range", "bounds of the force", _FORCE, "actuator_forcerange", "actuator_forcelimited"
)
ACT_RANGE = Interval.flagged(
    "act_range", "bounds of the activation", "", "actuator_actrange", "actuator_actlimited"
)
GEAR = PhysicalParameter.of(
    "gear",
    "gear",
    "",
    FINITE,
    "actuator_gear",
    "Scale of force and length along each axis; joints with one axis use the first.",
)
ARMATURE = PhysicalParameter.of(
    "armature",
    "inertia of the drive train",
    "kg or kg m^2",
    NON_NEGATIVE,
    "actuator_armature",
    "Adds to the joint's own, times the square of the gear.",
)
JOINT_DAMPING = PhysicalParameter.of(
    "joint_damping",
    "damping of the drive train",
    _DAMPER,
    NON_NEGATIVE,
    "actuator_damping",
    "Adds to the joint's own, times the square of the gear.",
)
