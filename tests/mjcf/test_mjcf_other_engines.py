"""MJCF that other engines extend: what is left out is told, what has a meaning is kept."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from usdsim import SceneData, load_mjcf_str, load_model
from usdsim.core.errors import ConversionError
from usdsim.testing import compare_models

SAG = 0.005
"""Depth to which a ball of a tenth of a metre sinks into the engine's soft ground [m]."""

EXTENDED = """<mujoco>
  <compiler compress="true"/><option apirate="200"/>
  <visual><map envmapintensity="2"/><ssgi quality="high"/><shadowsize dir="1"/></visual>
  <asset><material name="lamp" emission="1 .5 0" emissionintensity="9"/>
    <gsplat name="scan"/><texture name="moving" type="2d" builtin="dynamic" width="4" height="4"
      _perinstance="true"/><texture name="sky" type="envhdr" file="sky.hdr"/></asset>
  <worldbody>
    <light name="sun" type="directional" directional="true" innerangle="3"/>
    <camera name="eye" orthographic="true" znear=".1" fovy="2"/>
    <geom name="floor" type="plane" size="0 0 0" _hard="true" _bounciness=".5"/>
    <body name="a" pos="0 0 1"><joint name="j" hardlimit="true"/><geom name="g" size=".1"/></body>
    <body name="b" pos="0 0 2"><joint name="j"/><geom name="h" size=".2" _hard="true"/></body>
  </worldbody>
</mujoco>"""


def test_what_only_other_engines_know_is_left_out_and_told():
    model = load_mjcf_str(EXTENDED)
    findings = {str(finding) for finding in model.conversion.warnings}
    for words in (
        "<compiler>, compress",
        "<option>, apirate",
        "<map>, envmapintensity",
        "<material>, emissionintensity",
        "<material>, the colour of emission",
        "<light>, directional=..., as type",
        "<light>, innerangle",
        "<camera>, znear",
        "<geom>, _hard",
        "<geom>, _bounciness",
        "<geom>, the third number of size",
        "<joint>, hardlimit",
        "<texture>, _perinstance",
        "<texture>, builtin='dynamic'",
        "<joint>, a name that another one has",
        "<gsplat>, the element",
        "<ssgi>, the element",
        "<shadowsize>, the element",
        "<texture>, the element",
    ):
        assert sum(words in finding for finding in findings) == 1, words
    assert any("<geom name='floor'> and 1 more" in finding for finding in findings)
    with pytest.raises(ConversionError, match="_hard"):
        load_mjcf_str(EXTENDED, strict=True)


def test_what_is_left_is_the_model():
    model = load_mjcf_str(EXTENDED)
    assert model.link_names == ["a", "b"] and model.joint_names == ["j", "j_1"]
    assert model.cameras["eye"].orthographic
    plain = load_mjcf_str(
        '<mujoco><worldbody><geom type="plane" size="0 0 1"/>'
        '<body pos="0 0 1"><joint/><geom size=".1"/></body>'
        '<body pos="0 0 2"><joint/><geom size=".2"/></body></worldbody></mujoco>'
    )
    for name in ("body_mass", "geom_size", "geom_solref", "jnt_axis"):
        np.testing.assert_array_equal(getattr(model.low, name), getattr(plain.low, name))


def test_fixed_tendons_are_not_drawn_but_act():
    model = load_mjcf_str(
        """<mujoco><worldbody><body><joint name="j" type="slide"/><geom size=".1"/></body>
        </worldbody><tendon><fixed name="rope" width=".01" rgba="1 0 0 1" stiffness="7">
        <joint joint="j" coef="2"/></fixed></tendon></mujoco>"""
    )
    assert model.low.tendon_stiffness.tolist() == [7.0]
    found = [str(finding) for finding in model.conversion.warnings]
    assert all(any(f"<fixed>, {word}=" in f for f in found) for word in ("width", "rgba"))


def test_terrain_without_a_base_carries_what_falls_on_it():
    model = load_mjcf_str(
        """<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 .5 0" elevation="0 0 0 0"/>
        </asset><worldbody><geom type="hfield" hfield="h"/><body pos="0 0 .2"><freejoint/>
        <geom size=".1"/></body></worldbody></mujoco>"""
    )
    assert model.low.hfield_size.tolist() == [[1.0, 1.0, 0.5, 1.0]]
    (finding,) = model.conversion.warnings
    assert "<hfield>, a base of no thickness" in str(finding)
    data = SceneData(model)
    model.step_n(data, 1000)
    assert data.dof_pos[2] == pytest.approx(0.1, abs=SAG)


@pytest.mark.parametrize(
    ("things", "words", "expected"),
    [
        ('<geom type="plane"/>', "the third number of size", '<geom type="plane" size="0 0 1"/>'),
        ('<geom type="plane" size="3"/>', "the third number", '<geom type="plane" size="3 0 1"/>'),
        (
            '<body><joint type="fixed"/><joint/><geom size=".1"/></body>',
            "<joint>, type='fixed'",
            '<body><joint/><geom size=".1"/></body>',
        ),
        (
            '<body><joint/><inertial mass="2" diaginertia="1 1 1"/></body>',
            "<inertial>, no pos",
            '<body><joint/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body>',
        ),
        (
            '<body><joint/><geom size=".1" material="gold"/></body>',
            "<geom>, a material that no element defines",
            '<body><joint/><geom size=".1"/></body>',
        ),
    ],
)
def test_what_other_engines_read_is_corrected_and_told(things, words, expected):
    form = "<mujoco><worldbody>{}</worldbody></mujoco>"
    with pytest.raises(ValueError, match="Error"):
        mujoco.MjModel.from_xml_string(form.format(things))
    model = load_mjcf_str(form.format(things))
    (finding,) = model.conversion.warnings
    assert words in str(finding)
    plain = load_mjcf_str(form.format(expected))
    assert not compare_models(plain.low, model.low)


def test_materials_of_attached_models_stay(tmp_path):
    (tmp_path / "part.xml").write_text(
        '<mujoco><asset><material name="gold" rgba="1 1 0 1"/></asset><worldbody>'
        '<body name="b"><geom size=".1" material="gold"/></body></worldbody></mujoco>'
    )
    (tmp_path / "main.xml").write_text(
        """<mujoco><asset><model name="part" file="part.xml"/></asset><worldbody><body>
        <geom size=".1" material="x_gold" _hard="1"/><attach model="part" body="b" prefix="x_"/>
        </body></worldbody></mujoco>"""
    )
    assert load_model(tmp_path / "main.xml", exact=True).low.geom_matid.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<mujoco><worldbody><composite/></worldbody></mujoco>", "load the model in version 3"),
        ("<mujocoinclude/>", "part of other models: convert one that includes it"),
        ('<mujoco><worldbody><geom sise=".1" _hard="1"/></worldbody></mujoco>', "sise"),
        ('<mujoco><worldbody><geom sise=".1"/></worldbody></mujoco>', "sise"),
        ("<mujoco><worldbody><gem/></worldbody></mujoco>", "gem"),
        ("<mujoco><worldbody>", "well-formed"),
    ],
)
def test_what_no_engine_knows_is_still_refused(text, words):
    with pytest.raises(ConversionError, match=words):
        load_mjcf_str(text)


def test_files_of_extended_models_are_found(tmp_path, monkeypatch):
    for folder in ("model/part", "model/meshes"):
        (tmp_path / folder).mkdir(parents=True)
    mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "model/meshes/m.obj").write_text(mesh)
    (tmp_path / "model/main.xml").write_text(
        '<mujoco><compiler meshdir="meshes"/><include file="part/inc.xml"/>'
        '<asset><model name="sub" file="part/sub.xml"/></asset>'
        '<worldbody><attach model="sub" body="s" prefix="x_"/></worldbody></mujoco>'
    )
    (tmp_path / "model/part/inc.xml").write_text(
        '<mujoco><asset><mesh name="m" file="m.obj" acd="true"/></asset><worldbody>'
        '<body name="i"><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    (tmp_path / "model/part/sub.xml").write_text(
        '<mujoco><worldbody><body name="s"><geom size=".1" _hard="true"/></body></worldbody>'
        "</mujoco>"
    )
    monkeypatch.chdir(tmp_path)
    model = load_model("model/main.xml")
    assert model.link_names == ["i", "x_s"] and model.low.nmesh == 1
    assert len(model.conversion.warnings) == 2
