"""Sources of query plans: quantities of many elements at once, for `SceneModel.compile_query`."""

from usdsim.scene.queries.plan import PlanField as QueryField
from usdsim.scene.queries.programs import QueryProgram
from usdsim.scene.queries.read_plan import QueryPlan
from usdsim.scene.queries.read_sources import (
    ActuatorControls,
    BodyDofPosition,
    BodyDofVelocity,
    DofPosition,
    DofVelocity,
    GeomAngularVelocity,
    GeomLinearVelocity,
    GeomPairCollision,
    GeomPosition,
    GeomRotation,
    JointAngularVelocity,
    JointPosition,
    JointQuaternion,
    JointVelocity,
    LinkAngularVelocity,
    LinkLinearVelocity,
    LinkNetContactForces,
    LinkPosition,
    LinkRotation,
    SensorValues,
    SitePosition,
    SiteRotation,
)
from usdsim.scene.queries.sources import QuerySource

__all__ = [
    "ActuatorControls",
    "BodyDofPosition",
    "BodyDofVelocity",
    "DofPosition",
    "DofVelocity",
    "GeomAngularVelocity",
    "GeomLinearVelocity",
    "GeomPairCollision",
    "GeomPosition",
    "GeomRotation",
    "JointAngularVelocity",
    "JointPosition",
    "JointQuaternion",
    "JointVelocity",
    "LinkAngularVelocity",
    "LinkLinearVelocity",
    "LinkNetContactForces",
    "LinkPosition",
    "LinkRotation",
    "QueryField",
    "QueryPlan",
    "QueryProgram",
    "QuerySource",
    "SensorValues",
    "SitePosition",
    "SiteRotation",
]
