"""MJCF whose frames are those of the world is the model whose frames are those of parents."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from usdsim import load_mjcf_str, load_model
from usdsim.core.errors import ConversionError

MODEL = """<mujoco><compiler angle="degree" coordinate="{}"/><worldbody>
  <geom name="floor" type="plane" size="1 1 1" pos="0 0 -1"/>
  <body name="arm" pos="1 0 2" euler="0 0 90"><joint name="swing" type="hinge" {}/>
  <geom name="rod" type="capsule" size=".1" {}/><geom name="block" type="box" size=".1 .2 .3" {}/>
  <site name="tip" {}/><camera name="eye" {}/><light name="lamp" {}/>
  <body name="hand" {}><inertial mass="2" {}/><joint name="reach" type="slide" {}/></body>
  <body name="ball" {}><joint name="spin" type="ball" {}/><geom name="round" size=".1" {}/></body>
  </body></worldbody></mujoco>"""
"""In an arm's frame at (1, 0, 2), x is y of the world, and y is -x."""
WORLD = (
    'pos="1 1 2" axis="1 0 0"', 'fromto="1 0 2 1 1 2"', 'pos="0 0 2" euler="0 0 120"',
    'pos="1 2 3" axisangle="0 0 1 90"', 'pos="1 0 3" xyaxes="0 1 0 -1 0 0"',
    'pos="0 0 3" dir="0 1 0"', 'pos="1 1 2"', 'pos="1 2 2" fullinertia="2 1 2 .1 .2 .3"',
    'pos="1 1 2" axis="0 1 0"',
)  # fmt: skip
PARENT = (
    'pos="1 0 0" axis="0 -1 0"', 'fromto="0 0 0 1 0 0"', 'pos="0 1 0" euler="0 0 30"',
    'pos="2 0 1" quat="1 0 0 0"', 'pos="0 0 1"', 'pos="0 1 1" dir="1 0 0"',
    'pos="1 0 0" euler="0 0 -90"', 'pos="0 1 0" fullinertia="2 1 2 .1 .2 .3"',
    'pos="0 0 0" axis="0 1 0"',
)  # fmt: skip


@pytest.mark.parametrize("placed", [True, False])
def test_every_frame_is_restated_in_its_parent(placed):
    """A body that does not say where it is, is where its inertial frame is."""
    ball = ('pos="1 3 2" euler="0 0 90"', 'pos="1 3 2"', 'pos="1 3 2" euler="0 0 90"')
    ball = ball if placed else ("", *ball[1:])
    world = load_mjcf_str(MODEL.format("global", *WORLD, *ball))
    parent = load_mjcf_str(MODEL.format("local", *PARENT, 'pos="3 0 0"', "", ""))
    assert not world.conversion.warnings
    for name in (
        "body_pos", "body_quat", "body_ipos", "body_iquat", "body_inertia", "jnt_pos", "jnt_axis",
        "geom_pos", "geom_quat", "geom_size", "site_pos", "site_quat", "cam_pos", "cam_quat",
        "light_pos", "light_dir",
    ):  # fmt: skip
        found, expected = (getattr(model.low, name) for model in (world, parent))
        np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=name)


def test_free_bodies_start_where_the_world_says():
    model = load_mjcf_str(
        """<mujoco><compiler coordinate="global"/><worldbody><body name="b"><freejoint/>
        <geom type="box" size=".1 .2 .3" pos="1 2 3" quat="0 1 0 0"/></body></worldbody></mujoco>"""
    )
    np.testing.assert_allclose(model.low.qpos0, [1, 2, 3, 0, 1, 0, 0], atol=1e-15)
    assert not model.low.geom_pos.any()


def test_attached_models_with_such_frames_are_refused(tmp_path):
    (tmp_path / "part.xml").write_text(
        '<mujoco><compiler coordinate="global"/><worldbody><body name="b"><geom size=".1"/></body>'
        "</worldbody></mujoco>"
    )
    (tmp_path / "main.xml").write_text(
        '<mujoco><asset><model name="part" file="part.xml"/></asset><worldbody>'
        '<attach model="part" body="b" prefix="x_"/></worldbody></mujoco>'
    )
    with pytest.raises(ConversionError, match=r"part\.xml.*coordinate='global'.*2\.3\.3 saves"):
        load_model(tmp_path / "main.xml")


def test_what_else_is_wrong_with_such_a_model_is_told():
    with pytest.raises(ConversionError, match="sise"):
        load_mjcf_str(
            '<mujoco><compiler coordinate="global"/><worldbody><geom sise=".1"/></worldbody>'
            "</mujoco>"
        )


def test_the_engine_refuses_such_models():
    """Once it does not, there is nothing to restate."""
    with pytest.raises(ValueError, match="global coordinates"):
        mujoco.MjModel.from_xml_string('<mujoco><compiler coordinate="global"/></mujoco>')
