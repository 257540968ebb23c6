"""Action terms: targets of joints, thrusts, and poses of hands by inverse kinematics."""

from __future__ import annotations

from .binary import *  # noqa: F403
from .joints import *  # noqa: F403
from .limits import *  # noqa: F403
from .task_space import *  # noqa: F403
from .thrust import *  # noqa: F403

__all__ = [
    "BinaryJointAction",
    "BinaryJointActionCfg",
    "BinaryJointPositionAction",
    "BinaryJointPositionActionCfg",
    "BinaryJointVelocityAction",
    "BinaryJointVelocityActionCfg",
    "DifferentialInverseKinematicsAction",
    "DifferentialInverseKinematicsActionCfg",
    "EMAJointPositionToLimitsAction",
    "EMAJointPositionToLimitsActionCfg",
    "JointAction",
    "JointActionCfg",
    "JointEffortAction",
    "JointEffortActionCfg",
    "JointPositionAction",
    "JointPositionActionCfg",
    "JointPositionToLimitsAction",
    "JointPositionToLimitsActionCfg",
    "JointVelocityAction",
    "JointVelocityActionCfg",
    "RelativeJointPositionAction",
    "RelativeJointPositionActionCfg",
    "ThrustAction",
    "ThrustActionCfg",
]
