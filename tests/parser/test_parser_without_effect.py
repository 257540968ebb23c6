"""What is authored and cannot act is a warning, which ``strict`` refuses."""

from __future__ import annotations

import numpy as np
import pytest
from parser_builders import converted, prim_named
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

import usdsim
from usdsim.core.errors import ParseError
from usdsim.engine import compile_scene
from usdsim.parser import parse_stage
from usdsim.usd.stage import create_stage

ARM = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="arm" pos="0 0 1"><joint name="hinge" range="-10 10"/>
<geom name="look" size="0.1" contype="0" conaffinity="0"/>
<geom name="ball" size="0.1" mass="1"/></body></worldbody>
<actuator><position name="servo" joint="hinge" kp="3"/></actuator></mujoco>"""
FLOAT, INT = Sdf.ValueTypeNames.Float, Sdf.ValueTypeNames.Int


def warned(stage: Usd.Stage) -> set[str | None]:
    return {finding.attribute for finding in parse_stage(stage, exact=True).report.warnings}


def hanging_by_a_leash() -> Usd.Stage:
    """A body on a distance joint without distances, which is nothing to the engine alone."""
    stage = create_stage()
    body = UsdGeom.Cube.Define(stage, "/box").GetPrim()
    for api in (UsdPhysics.RigidBodyAPI, UsdPhysics.CollisionAPI):
        api.Apply(body)
    joint = UsdPhysics.DistanceJoint.Define(stage, "/leash")
    joint.CreateBody1Rel().SetTargets(["/box"])
    return stage


@pytest.mark.parametrize(
    ("name", "attribute", "kind", "value"),
    [
        ("look", "mjc:contype", INT, 1),
        ("look", "mjc:conaffinity", INT, 1),
        ("hinge", "newton:limitDamping", FLOAT, 4.0),
        ("surface", "newton:contactDamping", FLOAT, 4.0),
    ],
)
def test_what_acts_only_with_others_is_a_warning(name, attribute, kind, value):
    stage = converted(ARM)
    assert not warned(stage)
    prim_named(stage, name).CreateAttribute(attribute, kind, False).Set(value)
    assert attribute in warned(stage)


@pytest.mark.parametrize(
    ("attribute", "kind", "idle", "other"),
    [
        ("physxMaterial:disableFriction", Sdf.ValueTypeNames.Bool, False, True),
        ("physxRigidBody:maxContactImpulse", FLOAT, float("inf"), 0.5),
        ("physxContactReport:threshold", FLOAT, 0.0, 2.0),
        ("physxLimit:rotX:restitution", FLOAT, 0.0, 0.5),
    ],
)
def test_what_asks_for_what_happens_anyway_is_no_warning(attribute, kind, idle, other):
    stage = converted(ARM)
    said = prim_named(stage, "arm").CreateAttribute(attribute, kind, False)
    said.Set(idle)
    assert not warned(stage)
    said.Set(other)
    assert attribute in warned(stage)


@pytest.mark.parametrize(
    ("prim", "attribute", "value"),
    [
        ("surface", "physxMaterial:improvePatchFriction", True),
        ("surface", "physxMaterial:disableStrongFriction", True),
        ("arm", "physxRigidBody:cfmScale", 0.5),
        ("arm", "physxRigidBody:contactSlopCoefficient", 0.1),
        ("arm", "physxRigidBody:retainAccelerations", True),
    ],
)
def test_what_tunes_the_solver_of_physx_alone_is_a_note_and_passes_strict_mode(
    prim, attribute, value
):
    stage = converted(ARM)
    kind = Sdf.ValueTypeNames.Bool if isinstance(value, bool) else FLOAT
    prim_named(stage, prim).CreateAttribute(attribute, kind, False).Set(value)
    report = parse_stage(stage, strict=True).report
    assert [f.attribute for f in report.by_code("foreign-setting")] == [attribute]


def test_stiffness_of_contacts_beside_mujoco_friction_is_a_warning():
    stage = converted(ARM)
    prim_named(stage, "surface").CreateAttribute("newton:contactStiffness", FLOAT, False).Set(500.0)
    assert "mjc:friction" in warned(stage)


def test_what_the_engine_leaves_out_is_in_the_report_and_refused():
    model = usdsim.load_model(hanging_by_a_leash())
    (finding,) = model.report.by_code("engine")
    assert (finding.severity, finding.path) == ("warning", "/leash")
    with pytest.raises(ParseError, match="/leash"):
        usdsim.load_model(hanging_by_a_leash(), strict=True)


def test_restitution_of_a_converted_robot_is_edited_like_any_other_number():
    stage = converted(ARM)
    UsdPhysics.MaterialAPI(prim_named(stage, "surface")).GetRestitutionAttr().Set(0.5)
    compiled = compile_scene(parse_stage(stage).scene)
    assert compiled.surfaces.restitution.max() == pytest.approx(0.5)


def test_restitution_beside_contact_parameters_of_mujoco_is_a_conflict():
    stage = create_stage()
    ball = UsdGeom.Sphere.Define(stage, "/ball").GetPrim()
    for api in (UsdPhysics.RigidBodyAPI, UsdPhysics.CollisionAPI):
        api.Apply(ball)
    solref = ball.CreateAttribute("mjc:solref", Sdf.ValueTypeNames.DoubleArray, False)
    solref.Set([0.01, 1.0])
    rubber = UsdShade.Material.Define(stage, "/rubber")
    UsdPhysics.MaterialAPI.Apply(rubber.GetPrim()).CreateRestitutionAttr(0.5)
    UsdShade.MaterialBindingAPI.Apply(ball).Bind(rubber, materialPurpose="physics")
    (finding,) = parse_stage(stage).report.by_code("conflict")
    assert finding.attribute == "mjc:solref"


def test_the_first_numbers_of_an_array_leave_the_others_as_they_are():
    stage = converted(ARM)
    prim_named(stage, "servo").GetAttribute("mjc:gainPrm").Set([7.0])
    gains = compile_scene(parse_stage(stage).scene).mj.actuator_gainprm[0]
    np.testing.assert_array_equal(gains[:2], [7.0, 0.0])


def test_points_of_foreign_tendons_are_no_paths(capfd):
    stage = create_stage()
    for name, api in (("a", "Root"), ("b", "Leaf")):
        body = UsdGeom.Cube.Define(stage, f"/{name}")
        body.AddTranslateOp().Set(Gf.Vec3d(3.0 * (name == "b"), 0.0, 0.0))
        for applied in (UsdPhysics.RigidBodyAPI, UsdPhysics.CollisionAPI):
            applied.Apply(body.GetPrim())
        body.GetPrim().AddAppliedSchema(f"PhysxTendonAttachment{api}API:{name}")
    leaf = stage.GetPrimAtPath("/b")
    leaf.CreateRelationship("physxTendon:b:parentLink", False).SetTargets(["/a"])
    leaf.CreateAttribute("physxTendon:b:parentAttachment", Sdf.ValueTypeNames.Token).Set("a")
    assert compile_scene(parse_stage(stage).scene).mj.ntendon == 1
    assert "SdfPath" not in capfd.readouterr().err


@pytest.mark.parametrize(("height", "deep"), [(0.9, True), (1.0, False)])
def test_shapes_that_start_inside_others_are_told(height, deep):
    stage = hanging_by_a_leash()
    stage.RemovePrim("/leash")
    UsdGeom.Cube.Get(stage, "/box").AddTranslateOp().Set(Gf.Vec3d(0.0, 0.0, height))
    ground = UsdGeom.Plane.Define(stage, "/ground")
    ground.CreateAxisAttr("Z")
    UsdPhysics.CollisionAPI.Apply(ground.GetPrim())
    found = usdsim.load_model(stage).report.by_code("starts-overlapping")
    assert [finding.path for finding in found] == ["/box"] * deep
    assert all("0.1 m inside /ground" in finding.message for finding in found)


def test_the_target_of_a_drive_beside_an_actuator_without_a_name_acts():
    stage = converted(ARM.replace(' name="servo"', ""))
    drive = UsdPhysics.DriveAPI(prim_named(stage, "hinge"), "angular")
    drive.GetTargetPositionAttr().Set(30.0)
    compiled = compile_scene(parse_stage(stage).scene)
    assert compiled.initial.ctrl == pytest.approx([np.radians(30.0)])


def test_a_group_that_is_said_to_repeat_nothing_is_a_warning():
    stage = converted(ARM.replace('name="ball"', 'name="ball" contype="2"'))
    groups = [p for p in stage.Traverse() if p.HasAttribute("mjc:derived")]
    assert groups and not warned(stage)
    groups[0].GetAttribute("mjc:derived").Set(False)
    assert warned(stage) == {"mjc:derived"}


@pytest.mark.parametrize(
    ("kind", "api", "what"),
    [
        ("PhysxParticleSystem", "", "PhysxParticleSystem is for particles"),
        ("Points", "PhysxParticleSetAPI", "PhysxParticleSetAPI is for particles"),
        ("Xform", "PhysxVehicleAPI", "PhysxVehicleAPI is for vehicles"),
        ("Xform", "PhysxVehicleBrakesAPI:brakes0", "brakes0 is for vehicles"),
        ("Capsule", "PhysxCharacterControllerAPI", "is for a character that walks by commands"),
    ],
)
def test_what_nothing_simulates_is_named_though_nothing_is_authored_on_it(kind, api, what):
    stage = hanging_by_a_leash()
    prim = stage.DefinePrim("/it", kind)
    if api:
        prim.AddAppliedSchema(api)
    (found,) = [f for f in parse_stage(stage).report.warnings if f.path == "/it"]
    assert f"{what}, not simulated" in found.message and found.code == "not-simulated"
    with pytest.raises(ParseError, match="not simulated"):
        parse_stage(stage, strict=True)
