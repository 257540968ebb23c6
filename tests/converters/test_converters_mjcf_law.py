"""The comparison behind ``convert --check`` notices what differs between two models."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from usdsim.converters import convert
from usdsim.core.errors import ConversionError, UnsupportedError
from usdsim.engine import compile_scene
from usdsim.parser import parse_stage
from usdsim.testing import check_conversion, compare_models

TEXT = """<mujoco model="bot"><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="arm" pos="0 0 1"><joint name="j" damping="0.1"/><geom name="ball" size="0.1"/>
<site name="eye"/></body></worldbody>
<actuator><motor name="m" joint="j" gear="2"/></actuator>
<sensor><jointpos name="s" joint="j"/></sensor></mujoco>"""


def model(*changes):
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return mujoco.MjModel.from_xml_string(text)


def test_equal_models_have_no_differences():
    assert compare_models(model(), model()) == []
    tiny = model(('pos="0 0 1"', 'pos="0 0 1.0000000001"'))
    assert compare_models(model(), tiny) == []


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (('pos="0 0 1"', 'pos="0 0 1.00001"'), "body_pos"),
        (('damping="0.1"', 'damping="0.2"'), "dof_damping"),
        (('gear="2"', 'gear="2.1"'), "actuator_gear"),
        (('name="eye"', 'name="ear"'), "site 0 is called 'ear', not 'eye'"),
        (('<site name="eye"/>', ""), "nsite is 0, not 1"),
        (('name="ball"', 'name="ball" conaffinity="2"'), "geom_conaffinity"),
        (("<jointpos", "<jointvel"), "sensor_type"),
        (("<mujoco model='bot'>".replace("'", '"'), '<mujoco model="bot"><option timestep="0.1"/>'),
         "opt.timestep"),
    ],
)  # fmt: skip
def test_every_difference_is_named(change, word):
    differences = compare_models(model(), model(change))
    assert any(word in difference for difference in differences), differences


def test_check_compares_a_given_result(tmp_path):
    source = tmp_path / "bot.xml"
    source.write_text(TEXT)
    result = convert(source, tmp_path / "bot.usd")
    assert check_conversion(source, result) == []
    source.write_text(TEXT.replace('gear="2"', 'gear="3"'))
    assert any("actuator_gear" in line for line in check_conversion(source, result))


def test_check_reads_what_the_conversion_reads(tmp_path):
    source = tmp_path / "bot.xml"
    texture = (
        '<asset><texture name="sky" type="skybox" builtin="flat" width="8" height="8"/></asset>'
    )
    text = TEXT.replace("<worldbody>", f'<option apirate="50"/>{texture}<worldbody>')
    assert "apirate" in text
    source.write_text(text)
    with pytest.raises(ValueError, match="apirate"):
        mujoco.MjModel.from_xml_path(str(source))
    assert check_conversion(source) == []
    source.write_text(TEXT.replace("<worldbody>", "<worldbody><nothing/>"))
    with pytest.raises(ConversionError, match="nothing"):
        check_conversion(source)


@pytest.mark.parametrize(
    "part", ['<asset><mesh file="gone.obj"/></asset>', '<include file="gone.xml"/>']
)
def test_files_that_are_missing_are_named_with_the_remedy(tmp_path, part):
    source = tmp_path / "bot.xml"
    source.write_text(TEXT.replace("<worldbody>", f"{part}<worldbody>"))
    with pytest.raises(ConversionError, match=r"bot\.xml.*gone\..*Provide the file"):
        convert(source, tmp_path / "a.usda")


def test_check_of_what_has_no_law(tmp_path):
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(UnsupportedError, match="only MJCF and URDF"):
        check_conversion(tmp_path / "a.obj")
    bad = tmp_path / "b.xml"
    bad.write_text('<mujoco><worldbody><geom name="g" size="-1"/></worldbody></mujoco>')
    with pytest.raises(ConversionError, match="g"):
        check_conversion(bad)


@pytest.mark.parametrize("quat", ["0.707107 0 0 0.707107", "0.3 -0.1 0.7 0.2", "1 1 0 0"])
def test_meshes_keep_the_last_digit_of_their_poses(tmp_path, quat):
    source = tmp_path / "bot.xml"
    source.write_text(
        '<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0.1 0 1 0 0.3 0 1.7"/></asset><worldbody>'
        f'<geom type="mesh" mesh="m" pos="0 0.1 -0.003" quat="{quat}"/></worldbody></mujoco>'
    )
    expected = mujoco.MjModel.from_xml_path(str(source))
    found = compile_scene(parse_stage(convert(source), exact=True).scene, exact=True).mj
    np.testing.assert_array_equal(found.geom_quat, expected.geom_quat)
    np.testing.assert_array_equal(found.geom_pos, expected.geom_pos)
