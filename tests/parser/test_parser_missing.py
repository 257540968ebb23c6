"""What refers to joints and links that are deleted, deactivated or disabled is left out."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import mujoco
import numpy as np
import pytest
from pxr import Sdf, Usd, UsdPhysics

from usdsim.converters import convert
from usdsim.converters.mjcf import convert_mjcf
from usdsim.core.errors import ParseError
from usdsim.engine import compile_scene
from usdsim.parser import ParseResult, parse_stage
from usdsim.usd.stage import create_stage

ASSETS = Path(__file__).parents[2] / "assets"
ROBOTS = ("finger/finger.xml", "quadruped/scene.xml", "arm/arm.urdf")
ALL = """<mujoco><worldbody><body name="a"><joint name="j" axis="0 1 0"/><geom name="ga" size=".1"/>
<site name="s"/><body name="b" pos="0 0 1"><joint name="k" axis="0 1 0"/><geom name="gb" size=".1"/>
<site name="t"/></body></body><body name="c" pos="5 0 0"><joint name="m" axis="0 1 0"/>
<geom name="gc" size=".1"/></body></worldbody>
<contact><pair name="pair" geom1="gb" geom2="gc"/><exclude name="exclude" body1="b" body2="c"/>
</contact><equality><joint name="gears" joint1="k" joint2="m"/><weld name="weld" body1="b"/>
</equality>
<tendon><fixed name="both"><joint joint="k" coef="1"/><joint joint="m" coef="1"/></fixed>
<spatial name="line"><site site="s"/><site site="t"/></spatial></tendon>
<actuator><motor name="first" joint="j"/><position name="second" joint="k" kp="3"/>
<motor name="pull" tendon="line"/></actuator>
<sensor><jointpos name="angle" joint="k"/><tendonpos name="length" tendon="line"/>
<actuatorfrc name="force" actuator="pull"/><jointpos name="other" joint="j"/></sensor>
<custom><tuple name="pick"><element objtype="body" objname="b"/></tuple></custom>
<keyframe><key name="home" qpos=".1 .2 .3" ctrl="1 2 3"/></keyframe></mujoco>"""


@cache
def source(robot: str) -> Sdf.Layer:
    return convert(ASSETS / robot).Flatten()


def broken(layer: Sdf.Layer, path: str, way: str) -> Usd.Stage:
    """A copy of a stage without the physics of one prim."""
    copy = Sdf.Layer.CreateAnonymous(".usda")
    copy.TransferContent(layer)
    stage = Usd.Stage.Open(copy)
    prim = stage.GetPrimAtPath(path)
    if way == "delete":
        stage.RemovePrim(path)
    elif way == "deactivate":
        prim.SetActive(False)
    elif prim.IsA(UsdPhysics.Joint):
        UsdPhysics.Joint(prim).CreateJointEnabledAttr(False)
    else:
        UsdPhysics.RigidBodyAPI(prim).CreateRigidBodyEnabledAttr(False)
    return stage


def links_and_joints(stage: Usd.Stage) -> dict[str, bool]:
    """Path, and whether it is a joint."""
    found = {str(prim.GetPath()): prim.IsA(UsdPhysics.Joint) for prim in stage.Traverse()}
    # The legs of the quadruped are alike.
    found = {path: joint for path, joint in found.items() if not re.search("/(fr|rl|rr)_", path)}
    links = [p for p in found if stage.GetPrimAtPath(p).HasAPI(UsdPhysics.RigidBodyAPI)]
    return {path: joint for path, joint in found.items() if joint or path in links}


def stepped(result: ParseResult) -> mujoco.MjModel:
    model = compile_scene(result.scene, exact=True).mj
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    assert np.isfinite(data.qpos).all()
    return model


@pytest.mark.parametrize("way", ["delete", "deactivate", "disable"])
@pytest.mark.parametrize("robot", ROBOTS)
def test_robots_run_without_any_of_their_joints_and_links(robot, way):
    layer = source(robot)
    stage = Usd.Stage.Open(layer)
    whole = len(parse_stage(stage).scene.bodies)
    prims = links_and_joints(stage)
    assert set(prims.values()) == {True, False}
    for path, joint in prims.items():
        result = parse_stage(broken(layer, path, way), allow_empty=True)
        stepped(result)
        assert (len(result.scene.bodies) == whole) == joint, path
        gone = {str(finding.value) for finding in result.report.by_code("dangling-element")}
        assert all(Sdf.Path(target).HasPrefix(path) or "/Physics/" in target for target in gone)


def without(name: str, way: str) -> ParseResult:
    stage = create_stage()
    convert_mjcf(ALL, stage)
    layer = stage.Flatten()
    path = next(p.GetPath() for p in stage.Traverse() if p.GetName() == name)
    return parse_stage(broken(layer, str(path), way))


@pytest.mark.parametrize("way", ["delete", "deactivate", "disable"])
def test_every_element_of_a_link_goes_with_it(way):
    """All that needs the link goes, what needs that too, and nothing else."""
    result = without("b", way)
    found = {Sdf.Path(f.path).name for f in result.report.by_code("dangling-element")}
    always = {"exclude", "gears", "weld", "both", "second", "angle", "pick"}
    # Shapes and sites of a link that is disabled belong to the one above it.
    assert found == (always if way == "disable" else always | {"pair", "line", "pull", "length",
                                                               "force"})  # fmt: skip
    model = stepped(result)
    assert model.njnt == 2
    assert {model.sensor(i).name for i in range(model.nsensor)} >= {"other"}
    assert model.nkey == 0


def test_keyframes_lose_the_controls_of_actuators_that_are_gone():
    result = without("s", "delete")
    model = stepped(result)
    assert model.nu == 2
    assert model.key_qpos.tolist() == [[0.1, 0.2, 0.3]]
    assert not model.key_ctrl.any()
    assert [f.attribute for f in result.report.by_code("keyframe-left-out")] == ["mjc:ctrl"]


def test_findings_name_both_prims():
    finding = without("k", "deactivate").report.by_code("dangling-element")[0]
    assert finding.value.endswith("/k")
    assert finding.value in str(finding)
    assert finding.path in str(finding)
    assert "inactive" in finding.message


def test_actuators_and_tendons_need_targets_they_can_act_on():
    stage = create_stage()
    convert_mjcf(ALL, stage)
    by_name = {prim.GetName(): prim for prim in stage.Traverse()}
    by_name["first"].GetRelationship("mjc:target").SetTargets([])
    by_name["second"].GetRelationship("mjc:target").SetTargets([by_name["gb"].GetPath()])
    result = parse_stage(stage)
    messages = {Sdf.Path(f.path).name: f.message for f in result.report.by_code("dangling-element")}
    assert set(messages) == {"first", "second"}
    assert "nothing" in messages["first"]
    assert "no joint" in messages["second"]
    assert stepped(result).nu >= 1


def test_strict_refuses_what_is_left_out():
    stage = create_stage()
    convert_mjcf(ALL, stage)
    next(prim for prim in stage.Traverse() if prim.GetName() == "k").SetActive(False)
    with pytest.raises(ParseError, match="inactive"):
        parse_stage(stage, strict=True)
