"""What cannot be converted or rebuilt is refused by name."""

from __future__ import annotations

import pytest
from mjcf_law import convert
from pxr import Sdf, UsdPhysics

from usdsim.converters.mjcf import convert_mjcf
from usdsim.core.errors import CompileError, ConversionError, FileError, ParseError
from usdsim.engine import compile_scene
from usdsim.parser import parse_stage
from usdsim.usd.stage import create_stage

ARM = """<mujoco><worldbody><body name="a"><joint name="j"/><geom size=".1"/></body></worldbody>
  <actuator><motor name="m" joint="j"/></actuator></mujoco>"""


def _prim(stage, type_name):
    return next(prim for prim in stage.Traverse() if prim.GetTypeName() == type_name)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileError, match=r"missing\.xml"):
        convert_mjcf(tmp_path / "missing.xml", create_stage())


def test_mujocos_complaint_names_the_element_and_nothing_is_written(tmp_path):
    source = tmp_path / "bad.xml"
    source.write_text('<mujoco><worldbody><geom name="bad" size="-1"/></worldbody></mujoco>')
    stage = create_stage()
    with pytest.raises(ConversionError, match=r"bad\.xml.*(?s:.*)bad"):
        convert_mjcf(source, stage)
    assert not stage.GetPseudoRoot().GetChildren()


def test_a_missing_asset_is_named(tmp_path):
    source = tmp_path / "bad.xml"
    source.write_text(
        '<mujoco><asset><mesh name="m" file="gone.stl"/></asset><worldbody>'
        '<geom type="mesh" mesh="m"/></worldbody></mujoco>'
    )
    with pytest.raises(ConversionError, match=r"gone\.stl"):
        convert_mjcf(source, create_stage())


def test_an_unknown_token_lists_the_allowed_ones():
    stage = convert(ARM)
    _prim(stage, "MjcActuator").GetAttribute("mjc:gainType").Set("strong")
    with pytest.raises(ParseError, match=r"'strong'; allowed: fixed, affine, muscle"):
        parse_stage(stage)


def test_a_value_of_the_wrong_length_is_named():
    stage = convert(ARM)
    _prim(stage, "MjcActuator").GetAttribute("mjc:gear").Set([1.0] * 8)
    with pytest.raises(CompileError, match=r"'m'.*gear"):
        compile_scene(parse_stage(stage).scene)


def test_an_unknown_property_is_reported():
    stage = convert(ARM)
    joint = next(prim for prim in stage.Traverse() if prim.IsA(UsdPhysics.RevoluteJoint))
    joint.GetAttribute("mjc:margin").Set(0.1)
    assert parse_stage(stage).report.by_code("unsupported") == []
    joint.CreateAttribute("mjc:wobble", Sdf.ValueTypeNames.Double).Set(1.0)
    found = parse_stage(stage).report.by_code("unsupported")
    assert [finding.attribute for finding in found] == ["mjc:wobble"]


def test_a_reference_to_nothing_is_left_out_and_refused_by_strict():
    stage = convert(ARM)
    joint = _prim(stage, "PhysicsRevoluteJoint").GetPath()
    stage.RemovePrim(joint)
    found = [f for f in parse_stage(stage).report.warnings if f.code == "dangling-element"]
    assert found and all(str(joint) in finding.message for finding in found[:1])
    with pytest.raises(ParseError, match=str(joint)):
        parse_stage(stage, strict=True)


def test_a_reference_to_something_else_is_left_out_and_refused_by_strict():
    stage = convert(ARM)
    actuator = _prim(stage, "MjcActuator")
    actuator.GetRelationship("mjc:target").SetTargets([stage.GetDefaultPrim().GetPath()])
    compiled = compile_scene(parse_stage(stage).scene)
    assert str(actuator.GetPath()) not in compiled.names.paths("actuator")
    with pytest.raises(ParseError, match=str(actuator.GetPath())):
        parse_stage(stage, strict=True)
