"""Sources of write plans: quantities of many elements at once, for `SceneModel.compile_write`."""

from usdsim.scene.queries.plan import PlanField as WriteField
from usdsim.scene.queries.programs import WriteProgram
from usdsim.scene.queries.sources import WriteSource
from usdsim.scene.queries.write_plan import WritePlan
from usdsim.scene.queries.write_sources import (
    ActuatorCtrls,
    ActuatorDampingOverride,
    ActuatorKpOverride,
    BodyAngularVelocity,
    BodyJointPosition,
    BodyJointVelocity,
    BodyLinearVelocity,
    BodyPosition,
    BodyRotation,
    GeomFrictionOverride,
    JointAngularVelocity,
    JointQuaternion,
    LinkCenterOfMassOverride,
    LinkMassOverride,
)

__all__ = [
    "ActuatorCtrls",
    "ActuatorDampingOverride",
    "ActuatorKpOverride",
    "BodyAngularVelocity",
    "BodyJointPosition",
    "BodyJointVelocity",
    "BodyLinearVelocity",
    "BodyPosition",
    "BodyRotation",
    "GeomFrictionOverride",
    "JointAngularVelocity",
    "JointQuaternion",
    "LinkCenterOfMassOverride",
    "LinkMassOverride",
    "WriteField",
    "WritePlan",
    "WriteProgram",
    "WriteSource",
]
