"""The page of attributes that act, which asks the parser about each of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"
sys.path.insert(0, str(DOCS))

import generate_coverage  # noqa: E402


@pytest.mark.parametrize(
    ("schema", "kind", "attribute", "expected"),
    [
        ("PhysicsMassAPI", "SingleApplyAPI", "physics:mass", "acts"),
        ("PhysicsLimitAPI", "MultipleApplyAPI", "limit:__INSTANCE_NAME__:physics:low", "acts"),
        ("PhysicsRevoluteJoint", "ConcreteTyped", "physics:upperLimit", "acts"),
        ("NewtonJointAPI", "SingleApplyAPI", "newton:armature", "acts"),
        (
            "PhysxJointAxisAPI",
            "MultipleApplyAPI",
            "physxJointAxis:__INSTANCE_NAME__:armature",
            "acts",
        ),
        ("PhysxSceneAPI", "SingleApplyAPI", "physxScene:solverType", "note"),
        ("PhysxRigidBodyAPI", "SingleApplyAPI", "physxRigidBody:cfmScale", "note"),
        ("PhysxRigidBodyAPI", "SingleApplyAPI", "physxRigidBody:maxContactImpulse", "refused"),
        ("PhysxRigidBodyAPI", "SingleApplyAPI", "physxRigidBody:lockedPosAxis", "acts"),
        (
            "PhysxDrivePerformanceEnvelopeAPI",
            "MultipleApplyAPI",
            "physxDrivePerformanceEnvelope:__INSTANCE_NAME__:speedEffortGradient",
            "acts",
        ),
        ("PhysxRigidBodyAPI", "SingleApplyAPI", "physxRigidBody:solveContact", "acts"),
        ("PhysxCollisionAPI", "SingleApplyAPI", "physxCollision:torsionalPatchRadius", "refused"),
        ("PhysxForceAPI", "SingleApplyAPI", "physxForce:force", "acts"),
        ("PhysxPhysicsGearJoint", "ConcreteTyped", "physics:gearRatio", "acts"),
        (
            "PhysxPhysicsDistanceJointAPI",
            "SingleApplyAPI",
            "physxPhysicsDistanceJoint:springStiffness",
            "acts",
        ),
        ("PhysxVehicleControllerAPI", "SingleApplyAPI", "physxVehicleController:steer", "refused"),
        ("MjcJointAPI", "SingleApplyAPI", "mjc:armature", "acts"),
        ("MjcSceneAPI", "SingleApplyAPI", "mjc:compiler:autoLimits", "acts"),
        ("MjcSceneAPI", "SingleApplyAPI", "mjc:compiler:boundMass", "stays"),
    ],
)
def test_what_the_page_says_is_what_the_report_says(schema, kind, attribute, expected):
    assert generate_coverage.status(schema, kind, attribute) == expected


def test_most_attributes_of_the_standard_can_be_tried():
    names = [
        (schema, kind, attribute)
        for schema, kind in generate_coverage.schemas()
        if schema.startswith("Physics")
        for attribute in generate_coverage.attributes(schema)
    ]
    tried: dict[str, bool] = {}
    for schema, kind, attribute in names:  # Several schemas may have an attribute.
        if not tried.get(attribute):
            tried[attribute] = generate_coverage.status(schema, kind, attribute) is not None
    assert len(tried) > 35
    assert {name for name, found in tried.items() if not found} <= {"physics:body0"}
