import numpy as np
import pytest
from parser_builders import body, new_stage, parse, shape
from pxr import Gf, Sdf, UsdPhysics

from usdsim.core.errors import FileError, ParseError, StageError
from usdsim.parser import parse_stage


def scene_stage(up="Z", meters=1.0):
    stage = new_stage(up, meters)
    body(stage, "/b")
    return stage, UsdPhysics.Scene.Define(stage, "/scene")


@pytest.mark.parametrize("up", ["Y", "Z"])
@pytest.mark.parametrize("meters", [1.0, 0.01])
def test_unauthored_gravity_is_the_earths(up, meters):
    stage, _ = scene_stage(up, meters)
    np.testing.assert_allclose(parse(stage).gravity, [0, 0, -9.81])


def test_a_stage_without_scene_has_gravity():
    stage = new_stage()
    body(stage, "/b")
    np.testing.assert_allclose(parse(stage).gravity, [0, 0, -9.81])


def test_authored_gravity_is_converted():
    stage, scene = scene_stage("Y", 0.01)
    scene.CreateGravityDirectionAttr(Gf.Vec3f(0, 0, 2))
    scene.CreateGravityMagnitudeAttr(100.0)
    # z of a Y-up stage points to -y when y points up
    np.testing.assert_allclose(parse(stage).gravity, [0, -1.0, 0], atol=1e-12)


def test_zero_gravity_stays_zero():
    stage, scene = scene_stage()
    scene.CreateGravityMagnitudeAttr(0.0)
    np.testing.assert_array_equal(parse(stage).gravity, np.zeros(3))


@pytest.mark.parametrize(
    ("attributes", "timestep"),
    [
        ({}, None),
        ({"physxScene:timeStepsPerSecond": 120}, 1 / 120),
        ({"physxScene:timeStepsPerSecond": 120, "newton:timeStepsPerSecond": 500}, 1 / 500),
    ],
)
def test_timestep_follows_precedence(attributes, timestep):
    stage, scene = scene_stage()
    for name, value in attributes.items():
        scene.GetPrim().CreateAttribute(name, Sdf.ValueTypeNames.Int).Set(value)
    assert parse(stage).timestep == timestep


def test_precedence_can_be_chosen():
    stage, scene = scene_stage()
    for name, value in (("physxScene:timeStepsPerSecond", 120), ("newton:timeStepsPerSecond", 500)):
        scene.GetPrim().CreateAttribute(name, Sdf.ValueTypeNames.Int).Set(value)
    assert parse(stage, precedence=("physx", "newton")).timestep == 1 / 120


def test_newton_can_switch_gravity_off():
    stage, scene = scene_stage()
    scene.GetPrim().CreateAttribute("newton:gravityEnabled", Sdf.ValueTypeNames.Bool).Set(False)
    np.testing.assert_array_equal(parse(stage).gravity, np.zeros(3))


def test_missing_file_and_root_are_named(tmp_path):
    with pytest.raises(FileError, match=r"nothing\.usda"):
        parse_stage(tmp_path / "nothing.usda")
    with pytest.raises(StageError, match="/nowhere"):
        parse_stage(new_stage(), root="/nowhere")


def test_a_stage_without_physics_is_refused():
    stage = new_stage()
    shape(stage, "/cube", collides=False)
    with pytest.raises(ParseError, match="no rigid body"):
        parse_stage(stage)


def test_only_the_root_is_parsed():
    stage = new_stage()
    body(stage, "/a/b")
    body(stage, "/c/d")
    assert [b.path for b in parse(stage, root="/c").bodies] == ["/c/d"]


def test_a_second_scene_is_reported():
    stage, _ = scene_stage()
    UsdPhysics.Scene.Define(stage, "/scene2")
    assert [f.path for f in parse_stage(stage).report.by_code("second-scene")] == ["/scene2"]


def test_a_stage_that_states_no_unit_is_said_to_be_in_centimetres():
    stage = new_stage()
    stage.ClearMetadata("metersPerUnit")
    body(stage, "/box")
    (finding,) = parse_stage(stage).report.by_code("unit-assumed")
    assert (finding.severity, finding.attribute) == ("info", "metersPerUnit")
    assert "0.01 m" in finding.message
