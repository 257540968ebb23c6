"""Limits of time, memory and size that a caller sets; what exceeds one is an error, no crash."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from pxr import Usd

import usdsim
from usdsim.converters import MjcfConverterCfg, convert_many
from usdsim.converters.conversion import convert_file
from usdsim.core.errors import (
    CompileError,
    ConversionError,
    FileError,
    InvalidValueError,
    ParseError,
)

ARM = """<mujoco><worldbody><body name="a"><joint name="j" axis="0 1 0"/><geom size=".1"/></body>
</worldbody></mujoco>"""
HUGE = """<mujoco><worldbody><replicate count="900000"><body><freejoint/><geom size=".1"/></body>
</replicate></worldbody></mujoco>"""
BROKEN = """#usda 1.0
def PhysicsRevoluteJoint "j"
{
    rel physics:body0 = </nobody>
    token physics:axis = "X"
}
"""
windowless = pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no process")


def file(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def test_a_limited_load_is_the_same_model(tmp_path):
    source = file(tmp_path, "a.xml", ARM)
    stage = tmp_path / "a.usda"
    usdsim.convert(source, stage, structure="layered")
    for path in (source, stage):
        model = usdsim.load_model(path)
        limited = usdsim.load_model(path, time_limit=300.0)
        for name in ("body_mass", "dof_damping", "geom_size", "jnt_axis"):
            np.testing.assert_array_equal(getattr(limited.low, name), getattr(model.low, name))
        assert [joint.name for joint in limited.joints] == [joint.name for joint in model.joints]
        paths = {str(prim.GetPath()) for prim in model.stage.Traverse()}
        assert {str(prim.GetPath()) for prim in limited.stage.Traverse()} == paths
        data = usdsim.SceneData(limited, threads=1)
        limited.step(data)
        assert np.isfinite(data.dof_pos).all()


def test_errors_of_a_limited_load_are_those_of_a_load(tmp_path):
    broken = file(tmp_path, "b.usda", BROKEN)
    with pytest.raises(ParseError) as plain:
        usdsim.load_model(broken, strict=True)
    with pytest.raises(ParseError) as limited:
        usdsim.load_model(broken, strict=True, time_limit=300.0)
    assert str(limited.value) == str(plain.value)
    assert limited.value.findings == plain.value.findings
    with pytest.raises(FileError, match="no such file"):
        usdsim.load_model(tmp_path / "gone.xml", time_limit=300.0)


def test_a_load_that_takes_too_long_is_an_error(tmp_path):
    with pytest.raises(CompileError, match=r"huge\.xml.*longer than 4 s.*time_limit"):
        usdsim.load_model(file(tmp_path, "huge.xml", HUGE), time_limit=4.0)


@windowless
def test_a_load_that_takes_too_much_memory_is_an_error(tmp_path):
    with pytest.raises(CompileError, match=r"a\.xml.*memory_limit=64"):
        usdsim.load_model(file(tmp_path, "a.xml", ARM), memory_limit=64.0)


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["time_limit", "memory_limit"])
def test_limits_are_positive_numbers(tmp_path, name, limit):
    with pytest.raises(InvalidValueError, match=name):
        usdsim.load_model(file(tmp_path, "a.xml", ARM), **{name: limit})


def test_what_is_in_memory_has_no_limit():
    with pytest.raises(InvalidValueError, match=r"time_limit.*files only"):
        usdsim.load_model(Usd.Stage.CreateInMemory(), time_limit=1.0)


@windowless
def test_many_files_share_a_limit_of_memory(tmp_path):
    source = file(tmp_path, "a.xml", ARM)
    (result,) = convert_many([source], tmp_path / "out", memory_limit=64.0).files
    assert result.status == "crashed"
    assert "64 MiB" in result.message
    (result,) = convert_many([source], tmp_path / "out", memory_limit=8192.0).files
    assert result.status == "converted"
    with pytest.raises(InvalidValueError, match="memory_limit"):
        convert_many([source], tmp_path / "out", memory_limit=0.0)


@pytest.mark.parametrize(
    "element",
    ['<flexcomp name="f" type="grid" count="200 200 200" mass="1"/>',
     '<composite type="cable" prefix="c" count="8000000 1 1" size="1"/>',
     '<replicate count="3000"><replicate count="3000"><body/></replicate></replicate>'],
)  # fmt: skip
def test_copies_are_limited_before_they_are_made(tmp_path, element):
    text = f"<mujoco><worldbody><body>{element}</body></worldbody></mujoco>"
    with pytest.raises(ConversionError, match=r"g\.xml:1 <\w+>: [89]e\+06 copies.*max_copies"):
        usdsim.convert(file(tmp_path, "g.xml", text))
    few = text.replace("200 200 200", "3 3 3").replace("8000000", "9").replace("3000", "3")
    with pytest.raises(ConversionError, match="max_copies"):
        convert_file(file(tmp_path, "few.xml", few), None, MjcfConverterCfg(max_copies=8))


@pytest.mark.parametrize(
    ("asset", "number"),
    [('<mesh name="m" builtin="supersphere" params="1e4 .5 .5"/>', "4e"),
     ('<mesh name="m" builtin="cone" params="1000000000 .5"/>', "4e"),
     ('<mesh name="m" builtin="grid" params="1e200 1e200 1000 1 1 1"/>', "inf"),
     ('<hfield name="m" nrow="20000" ncol="20000" size="1 1 1 1"/>', "4e"),
     ('<texture name="m" type="cube" builtin="flat" width="90000" height="90000"/>', "8.1e")],
)  # fmt: skip
def test_generated_assets_are_limited_before_they_are_made(tmp_path, asset, number):
    text = f"<mujoco><asset>{asset}</asset></mujoco>"
    with pytest.raises(ConversionError, match=rf"1 <\w+>: {number}.* copies.*max_copies"):
        usdsim.convert(file(tmp_path, "g.xml", text))


def test_generated_assets_of_ordinary_sizes_are_made(tmp_path):
    text = (
        '<mujoco><asset><mesh name="s" builtin="supersphere" params="40 .5 .5"/>'
        '<mesh name="c" builtin="cone" params="200 .5"/>'
        '<hfield name="h" nrow="200" ncol="200" size="1 1 1 1"/></asset><worldbody>'
        '<geom type="mesh" mesh="s"/><geom type="mesh" mesh="c"/></worldbody></mujoco>'
    )
    assert convert_file(file(tmp_path, "g.xml", text), None).stage


def test_nested_copies_multiply(tmp_path):
    nested = '<replicate count="2000" offset="1 0 0">' * 2 + '<geom size=".1"/>'
    source = file(
        tmp_path, "m.xml",
        f"<mujoco><worldbody>{nested}{'</replicate>' * 2}</worldbody></mujoco>",
    )  # fmt: skip
    with pytest.raises(ConversionError, match=r"4e\+06 copies.*max_copies"):
        usdsim.convert(source)
    few = file(tmp_path, "few.xml", source.read_text().replace("2000", "3"))
    assert convert_file(few, None, MjcfConverterCfg(max_copies=9)).stage
    with pytest.raises(ConversionError, match="copies"):
        convert_file(few, None, MjcfConverterCfg(max_copies=8))
