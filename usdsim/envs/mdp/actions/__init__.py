"""Action terms: targets of joints, thrusts, and poses of hands."""

from __future__ import annotations

from .binary import (
    AbsBinaryJointPositionAction,
    AbsBinaryJointPositionActionCfg,
    BinaryJointAction,
    BinaryJointActionCfg,
    BinaryJointPositionAction,
    BinaryJointPositionActionCfg,
    BinaryJointVelocityAction,
    BinaryJointVelocityActionCfg,
)
from .joints import (
    JointAction,
    JointActionCfg,
    JointEffortAction,
    JointEffortActionCfg,
    JointPositionAction,
    JointPositionActionCfg,
    JointVelocityAction,
    JointVelocityActionCfg,
    RelativeJointPositionAction,
    RelativeJointPositionActionCfg,
)
from .limits import (
    EMAJointPositionToLimitsAction,
    EMAJointPositionToLimitsActionCfg,
    JointPositionToLimitsAction,
    JointPositionToLimitsActionCfg,
)
from .non_holonomic import NonHolonomicAction, NonHolonomicActionCfg
from .operational import (
    OperationalSpaceControllerAction,
    OperationalSpaceControllerActionCfg,
)
from .task_space import (
    DifferentialInverseKinematicsAction,
    DifferentialInverseKinematicsActionCfg,
)
from .thrust import (
    ThrustAction,
    ThrustActionCfg,
)
from .vertices import VertexVelocityAction, VertexVelocityActionCfg

__all__ = [
    "AbsBinaryJointPositionAction",
    "AbsBinaryJointPositionActionCfg",
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
    "NonHolonomicAction",
    "NonHolonomicActionCfg",
    "OperationalSpaceControllerAction",
    "OperationalSpaceControllerActionCfg",
    "RelativeJointPositionAction",
    "RelativeJointPositionActionCfg",
    "ThrustAction",
    "ThrustActionCfg",
    "VertexVelocityAction",
    "VertexVelocityActionCfg",
]
