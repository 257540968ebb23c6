"""Joint properties in every spelling: what a writer sets is what the stage compiles with."""

from __future__ import annotations

import pytest
from pxr import Usd

from usdsim import schemas
from usdsim.parser import parse_stage

STAGE = """#usda 1.0
(
    upAxis = "Z"
    metersPerUnit = 1
)
def PhysicsScene "scene"
{{
}}
def Xform "W"
{{
    def Sphere "a" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
    {{
        double radius = 0.1
    }}
    def {kind} "j" (apiSchemas = ["PhysxJointAPI", "PhysxJointAxisAPI:{axis}",
        "PhysxLimitAPI:{axis}", "NewtonJointAPI", "MjcJointAPI"])
    {{
        rel physics:body1 = </W/a>
        float physics:lowerLimit = -10
        float physics:upperLimit = 10
        {more}
    }}
}}
"""
AXES = (
    ("PhysicsRevoluteJoint", "angular"), ("PhysicsRevoluteJoint", "rotX"),
    ("PhysicsPrismaticJoint", "linear"), ("PhysicsPrismaticJoint", "transX"),
)  # fmt: skip
SPRING = "float newton:limitStiffness = 5"
"""Without it a limit is hard, and its damping a finding."""
SPELLINGS = {
    "armature": ("float physxJoint:armature", "float physxJointAxis:{axis}:armature",
                 "float newton:armature", "double mjc:armature"),
    "friction": ("float physxJoint:jointFriction",
                 "float physxJointAxis:{axis}:dynamicFrictionEffort",
                 "float physxJointAxis:{axis}:staticFrictionEffort", "float newton:friction",
                 "double mjc:frictionloss"),
    "damping": ("float physxJointAxis:{axis}:viscousFrictionCoefficient", "float newton:damping",
                "double mjc:damping"),
    "velocity_limit": ("float physxJoint:maxJointVelocity",
                       "float physxJointAxis:{axis}:maxJointVelocity",
                       "float newton:velocityLimit"),
    "limit_stiffness": ("float physxLimit:{axis}:stiffness", "float newton:limitStiffness"),
    "limit_damping": ("float physxLimit:{axis}:damping", "float newton:limitDamping"),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "axis"), AXES)
@pytest.mark.parametrize("quantity", SPELLINGS)
def test_what_is_set_acts_whatever_else_states_it(quantity, kind, axis):
    names = SPELLINGS[quantity]
    for said in ([], *([name] for name in names), list(names)):
        lines = [f"{name.format(axis=axis)} = 1" for name in said]
        if quantity == "limit_damping":
            lines.append(SPRING)
        stage = Usd.Stage.CreateInMemory()
        text = STAGE.format(kind=kind, axis=axis, more="\n        ".join(lines))
        stage.GetRootLayer().ImportFromString(text)
        result = schemas.modify_joint_properties(
            "/W/j", schemas.JointPropertiesCfg(**{quantity: 7.0}), stage
        )
        (joint,) = parse_stage(stage).scene.joints
        assert result.changed, said
        assert getattr(joint.dofs[0], quantity) == pytest.approx(7.0, rel=1e-6), said
