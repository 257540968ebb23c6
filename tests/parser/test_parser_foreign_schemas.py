"""Schemas of drafts, schemas that are missing, values of wrong types, joints that do nothing."""

import logging

import pytest
from parser_builders import about, body, joint, new_stage, parse, shape, stage_from
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

import usdsim
from usdsim.core.errors import ParseError
from usdsim.math.inertia import sphere_mass
from usdsim.parser import parse_stage

TYPES = Sdf.ValueTypeNames


def pair():
    stage = new_stage()
    for path in ("/a", "/b"):
        body(stage, path)
        shape(stage, path + "/s", "Sphere", radius=0.1)
    return stage


def codes(stage):
    return [(f.code, f.path) for f in parse_stage(stage).report.warnings]


def refused(stage, words):
    with pytest.raises(ParseError, match=words):
        parse_stage(stage, strict=True)


def test_a_joint_type_of_a_draft_is_one_finding_with_a_suggestion():
    """OpenUSD's own example of a distance joint has it."""
    stage = pair()
    prim = joint(stage, "/rope", "Distance", "/a", "/b", minDistance=0.1, maxDistance=0.5)
    prim.SetTypeName("DistancePhysicsJoint")
    (finding,) = parse_stage(stage).report.warnings
    assert (finding.code, finding.path) == ("unknown-type", "/rope")
    assert "did you mean PhysicsDistanceJoint?" in finding.message
    refused(stage, "did you mean")


@pytest.mark.parametrize("name", ["RigidBodyAPI", "MassAPI", "CollisionAPI", "DriveAPI:angular"])
def test_schemas_of_a_draft_are_suggested(name):
    stage = pair()
    stage.GetPrimAtPath("/a").AddAppliedSchema(name)
    (finding,) = parse_stage(stage).report.by_code("unknown-type")
    assert f"did you mean Physics{name.partition(':')[0]}?" in finding.message


@pytest.mark.parametrize("name", ["PhysxCookedDataAPI:convexHull", "IsaacRobotAPI", "MyAPI"])
def test_schemas_of_others_are_none_of_our_business(name):
    stage = pair()
    stage.GetPrimAtPath("/a").AddAppliedSchema(name)
    stage.DefinePrim("/light", "SomebodysLight")
    assert codes(stage) == []


def test_a_joint_that_constrains_nothing_says_so():
    stage = pair()
    prim = UsdPhysics.Joint.Define(stage, "/idle").GetPrim()
    prim.GetRelationship("physics:body0").SetTargets(["/a"])
    prim.GetRelationship("physics:body1").SetTargets(["/b"])
    assert codes(stage) == [("unconstrained-joint", "/idle")]
    refused(stage, "constrains nothing")
    limit = UsdPhysics.LimitAPI.Apply(prim, "transX")
    limit.CreateLowAttr(1.0)
    limit.CreateHighAttr(-1.0)
    assert codes(stage) == []


def test_a_drive_on_a_locked_axis_says_so():
    stage = pair()
    prim = UsdPhysics.Joint.Define(stage, "/joint").GetPrim()
    prim.GetRelationship("physics:body0").SetTargets(["/a"])
    prim.GetRelationship("physics:body1").SetTargets(["/b"])
    limit = UsdPhysics.LimitAPI.Apply(prim, "rotY")
    limit.CreateLowAttr(1.0)
    limit.CreateHighAttr(-1.0)
    drive = UsdPhysics.DriveAPI.Apply(prim, "rotY")
    drive.CreateStiffnessAttr(10.0)
    drive.CreateTargetPositionAttr(30.0)
    (finding,) = parse_stage(stage).report.warnings
    assert (finding.code, finding.path) == ("locked-drive", "/joint")
    assert "axis is locked" in finding.message


@pytest.mark.parametrize(("position", "outside"), [(0, None), (50, 20), (-40, 10), (30.01, None)])
def test_a_start_outside_of_the_limits_says_so(position, outside):
    stage = pair()
    prim = joint(stage, "/hinge", "Revolute", "/a", "/b", lowerLimit=-30.0, upperLimit=30.0)
    prim.AddAppliedSchema("PhysicsJointStateAPI:angular")
    prim.CreateAttribute("state:angular:physics:position", TYPES.Float).Set(position)
    found = parse_stage(stage).report.by_code("outside-limits")
    assert len(found) == (outside is not None)
    for finding in found:
        assert f"{outside} degrees outside" in finding.message


@pytest.mark.parametrize(
    ("damping", "limit", "noted"),
    [(1e8, None, True), (1.0, None, False), (1e8, 5.0, False), (1e8, 15.0, True)],
)
def test_damping_that_locks_a_joint_says_so(damping, limit, noted):
    """Unless the weights, 1 kg at a metre from the axis, overcome the largest torque."""
    stage = pair()
    mass = UsdPhysics.MassAPI.Apply(stage.GetPrimAtPath("/b"))
    mass.CreateMassAttr(1.0)
    mass.CreateCenterOfMassAttr((1.0, 0.0, 0.0))
    prim = joint(stage, "/hinge", "Revolute", "/a", "/b")
    drive = UsdPhysics.DriveAPI.Apply(prim, "angular")
    drive.CreateDampingAttr(damping)
    if limit is not None:
        drive.CreateMaxForceAttr(limit)
    found = parse_stage(stage).report.by_code("locked-by-damping")
    assert [finding.path for finding in found] == ["/hinge"] * noted


def spheres(density_type="float", apply=True):
    """Balls in centimetres, whose material has a density: OpenUSD's example of materials."""
    stage = new_stage(meters=0.01)
    material = UsdShade.Material.Define(stage, "/rubber")
    material.GetPrim().AddAppliedSchema("PhysicsMaterialAPI")
    text = f"{density_type} physics:density = 10"
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(f'#usda 1.0\nover "rubber"\n{{\n    {text}\n}}\n')
    stage.GetRootLayer().subLayerPaths.append(layer.identifier)
    prim = shape(stage, "/ball", "Sphere", radius=5.0)
    UsdPhysics.RigidBodyAPI.Apply(prim)
    if apply:
        UsdShade.MaterialBindingAPI.Apply(prim)
    prim.CreateRelationship("material:binding:physics").SetTargets(["/rubber"])
    return stage, layer


def openusd_mass(stage, path, volume):
    """Mass by OpenUSD's own computation, in units of the stage."""

    def measure(prim):
        found = UsdPhysics.RigidBodyAPI.MassInformation()
        found.volume = volume
        found.inertia, found.centerOfMass = Gf.Matrix3f(1), Gf.Vec3f(0)
        found.localPos, found.localRot = Gf.Vec3f(0), Gf.Quatf(1)
        return found

    return UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath(path)).ComputeMassProperties(measure)[0]


@pytest.mark.parametrize("apply", [True, False])
@pytest.mark.parametrize("kind", ["float", "double"])
def test_masses_are_those_of_openusd(kind, apply):
    """It takes bindings without their schema, and cannot read a double where a float belongs."""
    stage, _ = spheres(kind, apply)
    mass = parse(stage).bodies[0].mass
    volume = sphere_mass(1.0, 5.0).mass
    assert mass == pytest.approx(openusd_mass(stage, "/ball", volume), rel=1e-5)
    expected = [] if apply else [("unapplied-schema", "/ball")]
    expected += [("wrong-type", "/rubber")] if kind == "double" else []
    assert sorted(codes(stage)) == sorted(expected)


@pytest.mark.parametrize("kind", ["double", "relationship"])
def test_a_mass_of_another_type_is_unauthored_to_openusd_and_here(kind):
    mass = {"double": "double physics:mass = 3", "relationship": "rel physics:mass = </ball>"}
    stage = stage_from(
        'def Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", '
        f'"PhysicsMassAPI"])\n{{\n    {mass[kind]}\n    double radius = 1\n}}'
    )
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    result = parse_stage(stage)
    volume = sphere_mass(1.0, 1.0).mass
    assert result.scene.bodies[0].mass == pytest.approx(openusd_mass(stage, "/ball", volume))
    (finding,) = result.report.by_code("wrong-type")
    assert f"is a {kind}" in finding.message and "author it as float" in finding.message


def test_findings_name_the_layer_that_is_to_blame(tmp_path):
    part = tmp_path / "part.usda"
    inner = pair()
    inner.GetPrimAtPath("/a").CreateAttribute("physics:wings", TYPES.Float).Set(2.0)
    inner.SetDefaultPrim(inner.GetPrimAtPath("/a"))
    inner.GetRootLayer().Export(str(part))
    stage = Usd.Stage.CreateNew(str(tmp_path / "scene.usda"))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, "Z")
    stage.DefinePrim("/x").GetReferences().AddReference("./part.usda")
    (finding,) = parse_stage(stage).report.warnings
    assert finding.layer == "part.usda"
    assert str(finding).endswith("[part.usda]")
    stage.GetPrimAtPath("/x").GetAttribute("physics:wings").Set(3.0)
    (finding,) = parse_stage(stage).report.warnings
    assert finding.layer is None


def test_loading_says_in_one_line_how_much_there_is_to_say(caplog):
    stage = pair()
    joint(stage, "/weld", "Fixed", "/a", "/b", localPos0=(1, 0, 0))
    joint(stage, "/turned", "Fixed", None, "/a", localRot0=about((0, 0, 1), 90))
    with caplog.at_level(logging.WARNING, "usdsim"):
        usdsim.load_model(stage)
    lines = [r.getMessage() for r in caplog.records if "model.report" in r.getMessage()]
    assert len(lines) == 1 and "2 warnings" in lines[0]
