"""What composition drops, leaves out or does not convert is said, and refused by strict."""

import re
from pathlib import Path

import numpy as np
import pytest
from pxr import Usd, UsdPhysics

import usdsim
from usdsim.core.errors import ParseError
from usdsim.parser import parse_stage

ROBOT = """#usda 1.0
(
    defaultPrim = "Robot"
    {metrics}
)
def Xform "Robot" {{
    def Cube "body" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"]
    ) {{
        float physics:mass = 2
        double size = 1
    }}
    def PhysicsRevoluteJoint "hinge" {{
        rel physics:body0 = <{body0}>
        rel physics:body1 = </Robot/body>
    }}
}}
def Xform "Elsewhere" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{
    float physics:mass = 1
}}
"""
METRES = 'metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = "Z"'
IMPORT = (
    'def Xform "World" {{\n def Xform "robot" (prepend {arc} = @robot.usda@) {{\n {ops}\n }}\n}}\n'
)


def write(folder: Path, metrics: str = METRES, body0: str = "/Robot", arc="references", ops=""):
    (folder / "robot.usda").write_text(ROBOT.format(metrics=metrics, body0=body0))
    file = folder / "scene.usda"
    file.write_text(f"#usda 1.0\n(\n    {METRES}\n)\n" + IMPORT.format(arc=arc, ops=ops))
    return file


def codes(file, **options):
    return [(f.code, f.path, f.attribute) for f in parse_stage(file, **options).report.warnings]


def test_targets_outside_of_a_reference_are_reported(tmp_path):
    """USD drops them, and a joint without body0 hangs on the world."""
    file = write(tmp_path, body0="/Elsewhere")
    (finding,) = parse_stage(file).report.by_code("dropped-target")
    assert (finding.path, finding.attribute) == ("/World/robot/hinge", "physics:body0")
    assert "/Elsewhere in robot.usda" in finding.message
    with pytest.raises(ParseError, match="outside of what is referenced"):
        usdsim.load_model(file, strict=True)


def test_targets_that_compose_are_not_reported(tmp_path):
    assert codes(write(tmp_path)) == []


def test_some_of_several_targets_are_reported(tmp_path):
    text = ROBOT.format(metrics=METRES, body0="/Robot").replace(
        'def PhysicsRevoluteJoint "hinge"',
        'def PhysicsCollisionGroup "group" {\n rel physics:filteredGroups = '
        '[</Robot/group>, </Elsewhere>]\n }\n    def PhysicsRevoluteJoint "hinge"',
    )
    file = write(tmp_path)
    (tmp_path / "robot.usda").write_text(text)
    (finding,) = parse_stage(file).report.by_code("dropped-target")
    assert finding.attribute == "physics:filteredGroups"
    assert "leaves 1" in finding.message


def test_a_stronger_layer_may_take_targets_away(tmp_path):
    file = write(tmp_path)
    stage = Usd.Stage.Open(str(file))
    joint = stage.GetPrimAtPath("/World/robot/hinge")
    joint.GetRelationship("physics:body0").SetTargets([])
    assert parse_stage(stage).report.by_code("dropped-target") == []


def test_payloads_that_are_not_loaded_are_reported(tmp_path):
    file = write(tmp_path, arc="payload")
    stage = Usd.Stage.Open(str(file), Usd.Stage.LoadNone)
    stage.DefinePrim("/ball", "Sphere").ApplyAPI("PhysicsCollisionAPI")
    assert codes(stage) == [("unloaded-payload", "/World/robot", None)]
    with pytest.raises(ParseError, match="not loaded"):
        parse_stage(stage, strict=True)
    stage.Load()
    assert codes(stage) == []


def test_a_stage_of_nothing_but_unloaded_payloads_says_how_to_load_them(tmp_path):
    stage = Usd.Stage.Open(str(write(tmp_path, arc="payload")), Usd.Stage.LoadNone)
    with pytest.raises(ParseError, match=re.escape("stage.Load('/World/robot')")):
        parse_stage(stage)


def test_what_an_open_stage_could_not_bring_in_is_reported(tmp_path):
    file = write(tmp_path)
    stage = Usd.Stage.Open(str(file))
    stage.DefinePrim("/World/lost").GetReferences().AddReference("lost.usda")
    stage.DefinePrim("/World/looks").GetReferences().AddReference("lost.mtlx")
    assert codes(stage) == [("unresolved", "/World/lost", None)]
    found = {finding.path: finding for finding in parse_stage(stage).report.by_code("unresolved")}
    assert "lost.usda" in found["/World/lost"].message
    assert found["/World/looks"].severity == "info"
    with pytest.raises(ParseError, match=r"lost\.usda"):
        parse_stage(stage, strict=True)


@pytest.mark.parametrize("arc", ["references", "payload"])
@pytest.mark.parametrize(
    ("metrics", "attribute", "remedy"),
    [
        ("metersPerUnit = 0.01", "metersPerUnit", "Scale /World/robot by 0.01"),
        ("kilogramsPerUnit = 0.001", "kilogramsPerUnit", "by 0.001"),
        ('upAxis = "Y"', "upAxis", "Rotate /World/robot"),
    ],
)
def test_references_in_other_units_are_reported(tmp_path, arc, metrics, attribute, remedy):
    file = write(tmp_path, metrics, arc=arc)
    (finding,) = parse_stage(file).report.by_code("other-units")
    assert (finding.path, finding.attribute) == ("/World/robot", attribute)
    assert remedy in finding.message
    assert "robot.usda" in finding.message
    with pytest.raises(ParseError, match="references convert nothing"):
        usdsim.load_model(file, strict=True)


SCALE = 'double3 xformOp:scale = ({0}, {0}, {0})\n uniform token[] xformOpOrder = ["xformOp:scale"]'
TURN = 'float xformOp:rotateX = 90\n uniform token[] xformOpOrder = ["xformOp:rotateX"]'


@pytest.mark.parametrize(
    ("metrics", "ops", "reported"),
    [
        ("metersPerUnit = 0.01", SCALE.format(0.01), False),
        ("metersPerUnit = 0.01", SCALE.format(0.02), False),
        ("metersPerUnit = 0.01", SCALE.format(2), True),
        ('upAxis = "Y"', TURN, False),
        ('upAxis = "Y"', TURN.replace("90", "100"), False),
        ('upAxis = "Y"', TURN.replace("90", "-90"), True),
        ("metersPerUnit = 1", "", False),
        ("", "", False),
    ],
)
def test_transforms_that_compensate_are_not_reported(tmp_path, metrics, ops, reported):
    file = write(tmp_path, metrics, ops=ops)
    assert bool(parse_stage(file).report.by_code("other-units")) == reported


def test_numbers_that_a_scale_does_not_convert_are_reported(tmp_path):
    """A density and the limit of a slide are in centimetres; a mass and an angle are alike."""
    file = write(tmp_path, "metersPerUnit = 0.01", ops=SCALE.format(0.01))
    robot = Usd.Stage.Open(str(tmp_path / "robot.usda"))
    mass = UsdPhysics.MassAPI(robot.GetPrimAtPath("/Robot/body"))
    mass.GetMassAttr().Clear()
    mass.CreateDensityAttr(0.001)
    UsdPhysics.RevoluteJoint(robot.GetPrimAtPath("/Robot/hinge")).CreateUpperLimitAttr(30.0)
    slide = UsdPhysics.PrismaticJoint.Define(robot, "/Robot/slide")
    slide.CreateBody1Rel().SetTargets(["/Robot/body"])
    slide.CreateUpperLimitAttr(30.0)
    robot.Save()
    (finding,) = parse_stage(file).report.by_code("other-units")
    assert (finding.path, finding.attribute) == ("/World/robot/body", "physics:density")
    assert "1 more" in finding.message
    assert "by 1e+06" in finding.message
    mass.CreateMassAttr(1.0)
    robot.Save()
    (finding,) = parse_stage(file).report.by_code("other-units")
    assert (finding.path, finding.attribute) == ("/World/robot/slide", "physics:upperLimit")
    assert "by 0.01" in finding.message
    stage = Usd.Stage.Open(str(file))
    stage.GetPrimAtPath("/World/robot/slide").GetAttribute("physics:upperLimit").Set(0.3)
    assert not parse_stage(stage).report.by_code("other-units")


def test_gravity_and_velocities_are_numbers_that_a_scale_does_not_convert(tmp_path):
    """No inertia, as exporters write it, and no gravity of its own are alike in all units."""
    file = write(tmp_path, "metersPerUnit = 0.01", ops=SCALE.format(0.01))
    robot = Usd.Stage.Open(str(tmp_path / "robot.usda"))
    mass = UsdPhysics.MassAPI(robot.GetPrimAtPath("/Robot/body"))
    mass.CreateDiagonalInertiaAttr((0.0, 0.0, 0.0))
    scene = UsdPhysics.Scene.Define(robot, "/Robot/scene")
    scene.CreateGravityMagnitudeAttr(-np.inf)
    robot.Save()
    assert not parse_stage(file).report.by_code("other-units")
    scene.GetGravityMagnitudeAttr().Set(981.0)
    UsdPhysics.RigidBodyAPI(mass.GetPrim()).CreateVelocityAttr((100.0, 0.0, 0.0))
    robot.Save()
    parsed = parse_stage(file)
    (finding,) = parsed.report.by_code("other-units")
    assert finding.attribute == "physics:velocity"
    assert "1 more" in finding.message
    # What is read is the number as it is, which the finding says.
    np.testing.assert_allclose(parsed.scene.gravity, [0.0, 0.0, -981.0])


def test_units_are_compensated_anywhere_above(tmp_path):
    file = write(tmp_path, "metersPerUnit = 0.01")
    text = file.read_text().replace('"World" {', '"World" {\n ' + SCALE.format(0.01), 1)
    file.write_text(text)
    assert codes(file) == []
    np.testing.assert_allclose(parse_stage(file).scene.geoms[0].size, 0.005, rtol=1e-6)


def test_sublayers_in_other_units_are_reported(tmp_path):
    write(tmp_path, "metersPerUnit = 0.01")
    file = tmp_path / "top.usda"
    file.write_text(f"#usda 1.0\n(\n    {METRES}\n    subLayers = [@robot.usda@]\n)\n")
    (finding,) = parse_stage(file).report.by_code("other-units")
    assert finding.path == "/"
    assert "sublayer robot.usda" in finding.message


def test_references_within_a_file_of_other_units_are_its_own_matter(tmp_path):
    """Only the arc that changes units is reported, not those below it."""
    write(tmp_path, "metersPerUnit = 0.01")
    middle = tmp_path / "middle.usda"
    middle.write_text(
        '#usda 1.0\n(\n defaultPrim = "Cell"\n metersPerUnit = 0.01\n)\n'
        'def Xform "Cell" {\n def Xform "robot" (prepend references = @robot.usda@) {\n }\n}\n'
    )
    file = tmp_path / "top.usda"
    file.write_text(
        f'#usda 1.0\n(\n {METRES}\n)\ndef "cell" (prepend references = @middle.usda@) {{}}\n'
    )
    assert [path for _, path, _ in codes(file)] == ["/cell"]
