"""Validation: each rule finds its fault, a sound stage has none, and repairs repair."""

import math

import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from usdsim import schemas
from usdsim.usd.schemas import apply_api, has_api
from usdsim.usd.stage import create_stage


def _pendulum() -> Usd.Stage:
    """Two links hanging on the world: sound in every respect."""
    stage = create_stage()
    UsdPhysics.Scene.Define(stage, "/PhysicsScene")
    root = UsdGeom.Xform.Define(stage, "/robot").GetPrim()
    stage.SetDefaultPrim(root)
    UsdPhysics.ArticulationRootAPI.Apply(root)
    previous = None
    for i in range(2):
        link = f"/robot/link_{i}"
        UsdGeom.Xform.Define(stage, link).AddTranslateOp().Set(Gf.Vec3d(0, 0, -float(i)))
        UsdPhysics.RigidBodyAPI.Apply(stage.GetPrimAtPath(link))
        schemas.define_mass_properties(link, schemas.MassPropertiesCfg(mass=1.0), stage)
        joint = UsdPhysics.RevoluteJoint.Define(stage, f"/robot/joint_{i}")
        if previous:
            joint.CreateBody0Rel().SetTargets([previous])
            joint.CreateLocalPos0Attr(Gf.Vec3f(0, 0, -1))
        joint.CreateBody1Rel().SetTargets([link])
        joint.CreateLowerLimitAttr(-45.0)
        joint.CreateUpperLimitAttr(45.0)
        previous = link
    return stage


def _codes(stage: Usd.Stage) -> list[tuple[str, str]]:
    return [(f.code, f.path) for f in schemas.validate_stage(stage, openusd=False)]


def test_a_sound_stage_has_no_findings():
    assert schemas.validate_stage(_pendulum()) == []


def _attribute(path, name, kind, value):
    def break_it(stage):
        prim = stage.GetPrimAtPath(path)
        prim.CreateAttribute(name, getattr(Sdf.ValueTypeNames, kind), False).Set(value)

    return break_it


def _no_units(stage):
    stage.GetRootLayer().pseudoRoot.ClearInfo("metersPerUnit")


def _no_mass(stage):
    stage.GetPrimAtPath("/robot/link_1").GetAttribute("physics:mass").Clear()


def _moved(stage):
    UsdPhysics.Joint.Get(stage, "/robot/joint_1").CreateLocalPos0Attr(Gf.Vec3f(0, 0.5, -1))


def _turned(stage):
    quat = Gf.Quatf(math.cos(0.2), 0.0, math.sin(0.2), 0.0)
    UsdPhysics.Joint.Get(stage, "/robot/joint_1").CreateLocalRot1Attr(quat)


def _loop(stage):
    joint = UsdPhysics.SphericalJoint.Define(stage, "/robot/loop")
    joint.CreateBody1Rel().SetTargets(["/robot/link_1"])
    joint.CreateLocalPos0Attr(Gf.Vec3f(0, 0, -1))


def _loose(stage):
    UsdGeom.Xform.Define(stage, "/robot/loose")
    prim = stage.GetPrimAtPath("/robot/loose")
    UsdPhysics.RigidBodyAPI.Apply(prim)
    schemas.define_mass_properties("/robot/loose", schemas.MassPropertiesCfg(mass=1.0), stage)


def _dangling(stage):
    prim = stage.GetPrimAtPath("/robot/link_0")
    UsdPhysics.FilteredPairsAPI.Apply(prim).CreateFilteredPairsRel().SetTargets(["/nowhere"])


def _self_joint(stage):
    joint = UsdPhysics.FixedJoint.Define(stage, "/robot/knot")
    joint.CreateBody0Rel().SetTargets(["/robot/link_0"])
    joint.CreateBody1Rel().SetTargets(["/robot/link_0"])


def _limits(stage):
    UsdPhysics.RevoluteJoint.Get(stage, "/robot/joint_0").CreateLowerLimitAttr(60.0)


def _collider_scope(stage):
    apply_api(UsdGeom.Xform.Define(stage, "/robot/link_0/shapes").GetPrim(), "PhysicsCollisionAPI")


def _nested(stage):
    apply_api(stage.GetPrimAtPath("/robot/link_0"), "PhysicsArticulationRootAPI")


def _quaternion(stage):
    UsdPhysics.Joint.Get(stage, "/robot/joint_0").CreateLocalRot0Attr(Gf.Quatf(2.0))


def _no_default(stage):
    stage.GetRootLayer().ClearDefaultPrim()


LINK = "/robot/link_0"
FAULTS = [
    ("units", "/", _no_units),
    ("default-prim", "/", _no_default),
    ("no-scene", "/", lambda stage: stage.RemovePrim("/PhysicsScene")),
    ("mass-missing", "/robot/link_1", _no_mass),
    (
        "inertia-not-physical",
        LINK,
        _attribute(LINK, "physics:diagonalInertia", "Float3", (1, 1, 5)),
    ),
    ("collider-without-shape", "/robot/link_0/shapes", _collider_scope),
    ("nested-articulation", LINK, _nested),
    ("joint-frames-apart", "/robot/joint_1", _moved),
    ("joint-frames-apart", "/robot/joint_1", _turned),
    ("joint-limits", "/robot/joint_0", _limits),
    ("joint-same-body", "/robot/knot", _self_joint),
    ("articulation-loop", "/robot/loop", _loop),
    ("unreachable-body", "/robot/loose", _loose),
    ("unknown-attribute", LINK, _attribute(LINK, "physics:masss", "Float", 1.0)),
    ("attribute-type", LINK, _attribute(LINK, "physxRigidBody:linearDamping", "Double", 0.1)),
    ("attribute-token", LINK, _attribute(LINK, "newton:massModel", "Token", "hollow")),
    ("attribute-range", LINK, _attribute(LINK, "physics:density", "Float", -1.0)),
    ("attribute-range", LINK, _attribute(LINK, "physxRigidBody:cfmScale", "Float", 2.0)),
    ("not-a-number", LINK, _attribute(LINK, "physics:density", "Float", math.nan)),
    ("quaternion-length", "/robot/joint_0", _quaternion),
    ("missing-api", LINK, _attribute(LINK, "physxRigidBody:linearDamping", "Float", 0.1)),
    ("dangling-target", LINK, _dangling),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "path", "fault"), FAULTS, ids=[f"{code}-{i}" for i, (code, *_) in enumerate(FAULTS)]
)
def test_each_rule_finds_its_fault(code, path, fault):
    stage = _pendulum()
    fault(stage)
    assert (code, path) in _codes(stage)


def test_every_rule_has_a_fault_here_and_a_sentence():
    rules = schemas.validation_rules()
    assert {rule.code for rule in rules} == {code for code, *_ in FAULTS}
    assert len({rule.code for rule in rules}) == len(rules)
    assert all(rule.doc.endswith(".") for rule in rules)


def test_findings_say_what_is_wrong_and_errors_come_first():
    stage = _pendulum()
    _no_units(stage)
    _attribute(LINK, "physics:masss", "Float", 1.0)(stage)
    _attribute(LINK, "physics:density", "Float", -1.0)(stage)
    found = schemas.validate_stage(stage, openusd=False)
    order = [("error", "warning", "info").index(f.severity) for f in found]
    assert order == sorted(order)
    assert found[0].code == "attribute-range"
    assert found[0].attribute == "physics:density"
    assert found[0].value == -1.0
    typo = next(f for f in found if f.code == "unknown-attribute")
    assert "physics:mass" in typo.message
    assert str(typo).startswith("/robot/link_0.physics:masss: No schema defines")


def test_safe_faults_are_repaired_on_request():
    stage = _pendulum()
    _loop(stage)
    _quaternion(stage)
    _no_default(stage)
    _attribute(LINK, "physxRigidBody:linearDamping", "Float", 0.1)(stage)
    fixed = {f.code for f in schemas.validate_stage(stage, fix=True, openusd=False) if f.fixed}
    assert fixed == {"articulation-loop", "quaternion-length", "default-prim", "missing-api"}
    assert _codes(stage) == []
    assert has_api(stage.GetPrimAtPath(LINK), "PhysxRigidBodyAPI")
    rotation = UsdPhysics.Joint.Get(stage, "/robot/joint_0").GetLocalRot0Attr().Get()
    assert rotation.GetLength() == pytest.approx(1.0)


def test_what_needs_a_person_is_left_alone():
    stage = _pendulum()
    _moved(stage)
    _attribute(LINK, "physics:density", "Float", -1.0)(stage)
    before = stage.GetRootLayer().ExportToString()
    found = schemas.validate_stage(stage, fix=True, openusd=False)
    assert not any(f.fixed for f in found)
    assert stage.GetRootLayer().ExportToString() == before


def test_the_rules_of_openusd_come_on_top():
    stage = _pendulum()
    _nested(stage)
    assert "NestedArticulation" in {f.code for f in schemas.validate_stage(stage)}


def test_parallel_joints_are_no_loop_of_bodies():
    stage = _pendulum()
    second = UsdPhysics.RevoluteJoint.Define(stage, "/robot/joint_1b")
    second.CreateBody0Rel().SetTargets(["/robot/link_0"])
    second.CreateBody1Rel().SetTargets(["/robot/link_1"])
    second.CreateLocalPos0Attr(Gf.Vec3f(0, 0, -1))
    second.CreateAxisAttr("Y")
    assert _codes(stage) == []


def test_a_kinematic_body_needs_no_mass():
    stage = _pendulum()
    _no_mass(stage)
    cfg = schemas.RigidBodyBaseCfg(kinematic_enabled=True)
    schemas.modify_rigid_body_properties("/robot/link_1", cfg, stage)
    assert _codes(stage) == []


def test_a_custom_attribute_may_have_any_name():
    stage = _pendulum()
    stage.GetPrimAtPath(LINK).CreateAttribute("mjc:mine", Sdf.ValueTypeNames.Int, True).Set(1)
    assert _codes(stage) == []


def test_everything_a_configuration_writes_is_valid():
    """The rules and the tables agree."""
    stage = _pendulum()
    cfg = schemas.JointPropertiesCfg(
        armature=0.1, damping=0.2, friction=0.1, velocity_limit=3.0, limit_stiffness=10.0,
        dialects=("physx", "newton", "mjc"),
    )  # fmt: skip
    schemas.modify_joint_properties("/robot", cfg, stage, subtree=True)
    drive = schemas.PhysxJointDrivePropertiesCfg(stiffness=1.0, max_force=5.0)
    schemas.modify_joint_drive_properties("/robot", drive, stage, subtree=True)
    body = schemas.PhysxRigidBodyPropertiesCfg(disable_gravity=True, dialects=("physx", "mjc"))
    schemas.modify_rigid_body_properties("/robot", body, stage)
    scene = schemas.MujocoScenePropertiesCfg(cone="elliptic", timestep=0.002)
    schemas.define_physics_scene("/PhysicsScene", scene, stage)
    schemas.activate_contact_sensors("/robot", stage=stage)
    assert schemas.validate_stage(stage) == []


def test_gears_close_no_loops():
    stage = _pendulum()
    stage.GetPrimAtPath("/robot/joint_1").GetRelationship("physics:body0").SetTargets([])
    gear = stage.DefinePrim("/robot/gear", "PhysxPhysicsGearJoint")
    for i in range(2):
        gear.GetRelationship(f"physics:hinge{i}").SetTargets([f"/robot/joint_{i}"])
        gear.GetRelationship(f"physics:body{i}").SetTargets([f"/robot/link_{i}"])
    assert "articulation-loop" not in dict(_codes(stage))


def test_schemas_that_come_with_others_are_applied():
    stage = _pendulum()
    prim = stage.GetPrimAtPath("/robot/joint_1")
    prim.ApplyAPI("PhysxTendonAxisRootAPI", "t")
    prim.GetAttribute("physxTendon:t:gearing").Set([2.0])
    prim.GetAttribute("physxTendon:t:stiffness").Set(3.0)
    assert _codes(stage) == []
