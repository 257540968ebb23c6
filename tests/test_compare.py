"""Comparison of two files: equal robots in any format, and every quantity that may differ."""

from __future__ import annotations

import json

import mujoco
import pytest
from pxr import Usd, UsdGeom, UsdPhysics

import usdsim
from usdsim.cli.main import main
from usdsim.testing import check_export, compare_physics

TEXT = """<mujoco model="bot"><worldbody><body name="base"><geom size="0.1" mass="2"/>
<body name="arm" pos="0 0 0.2"><joint name="elbow" axis="0 1 0" range="-60 60" damping="0.1"/>
<geom type="capsule" size="0.02 0.1" mass="0.5" pos="0.1 0 0"/></body></body></worldbody>
<actuator><position name="servo" joint="elbow" kp="20" kv="1" forcerange="-5 5"/></actuator>
</mujoco>"""


@pytest.fixture
def bot(tmp_path):
    source = tmp_path / "bot.xml"
    source.write_text(TEXT)
    return source


def changed(bot, old, new):
    assert old in TEXT
    other = bot.with_name("other.xml")
    other.write_text(TEXT.replace(old, new))
    return other


def test_one_robot_in_every_format_is_the_same(bot, tmp_path):
    for name in ("bot.usda", "back.xml", "back.urdf"):
        other = usdsim.convert(bot, tmp_path / name)
        found = compare_physics(bot, other, steps=0)
        assert [str(c) for c in found if c.kind != "scene"] == [], name
    assert check_export(bot, tmp_path / "back.urdf") == []


@pytest.mark.parametrize(
    ("old", "new", "quantity"),
    [
        ('mass="2"', 'mass="2.01"', "mass"),
        ('pos="0.1 0 0"', 'pos="0.11 0 0"', "centre of mass"),
        ('range="-60 60"', 'range="-60 50"', "upper limit"),
        ('damping="0.1"', 'damping="0.2"', "damping"),
        ('kp="20"', 'kp="21"', "drive stiffness"),
        ('forcerange="-5 5"', 'forcerange="-6 6"', "largest force"),
        ('axis="0 1 0"', 'axis="1 0 0"', "farthest apart"),
        ('pos="0 0 0.2"', 'pos="0 0 0.3"', "farthest apart"),
        ('size="0.02 0.1"', 'size="0.02 0.2"', "bounds"),
        ('name="elbow"', 'name="knee"', "exists"),
        ("<worldbody>", '<option gravity="0 0 -1"/><worldbody>', "gravity"),
    ],
)
def test_every_difference_is_found(bot, old, new, quantity):
    # What refers to the joint keeps its name out of the way.
    text = TEXT.replace('joint="elbow"', 'joint="knee"') if "knee" in new else TEXT
    other = changed(bot, old, new)
    if "knee" in new:
        other.write_text(text.replace(old, new))
    found = compare_physics(bot, other)
    assert any(quantity in contrast.quantity for contrast in found), found


def test_what_starts_elsewhere_is_told_and_moves_alike(tmp_path):
    stage = usdsim.convert(changed_range(tmp_path), tmp_path / "a.usda")
    other = usdsim.convert(stage, tmp_path / "b.xml")
    (found,) = [c for c in compare_physics(stage, other) if c.kind != "scene"]
    assert str(found).startswith("joint 'elbow': initial position [rad or m] 0.1745")


def changed_range(folder):
    """A robot whose joint cannot be at zero, so that its stage starts elsewhere."""
    file = folder / "bot.urdf"
    inertia = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    links = "".join(f'<link name="{name}">{inertia}</link>' for name in ("base", "arm"))
    file.write_text(
        f'<robot name="bot">{links}<joint name="elbow" type="revolute"><parent link="base"/>'
        '<child link="arm"/><axis xyz="0 1 0"/><limit lower="0.17453293" upper="1"/></joint>'
        "</robot>"
    )
    return file


def test_the_command_prints_text_and_json(bot, tmp_path, capsys):
    assert main(["compare", str(bot), str(bot)]) == 0
    assert "no physical difference" in capsys.readouterr().out
    other = changed(bot, 'damping="0.1"', 'damping="0.2"')
    assert main(["compare", str(bot), str(other)]) == 1
    assert "joint 'elbow': damping 0.1 | 0.2" in capsys.readouterr().out
    assert main(["compare", str(bot), str(other), "--json"]) == 1
    (entry, *_) = json.loads(capsys.readouterr().out)["differences"]
    assert (entry["kind"], entry["name"], entry["second"]) == ("joint", "elbow", 0.2)
    assert main(["compare", str(bot), str(tmp_path / "none.xml")]) == 1
    assert "none.xml" in capsys.readouterr().err


GEARED = """<mujoco><worldbody><body name="base"><joint name="lift" type="slide"/>
<geom size=".1"/><body name="arm"><joint name="elbow"/><geom size=".1"/></body></body></worldbody>
<actuator><pid joint="lift" kp="5" kv="1" input="pos vel ff"/>
<motor joint="elbow" gear="3" ctrlrange="-2 2"/></actuator></mujoco>"""


def test_a_motor_after_a_drive_of_three_inputs_is_bounded_by_its_own(tmp_path):
    one, other = tmp_path / "one.xml", tmp_path / "other.xml"
    one.write_text(GEARED)
    other.write_text(GEARED.replace("-2 2", "-4 4"))
    (found,) = compare_physics(one, other, steps=0)
    assert (found.name, found.first, found.second) == ("elbow", 6.0, 12.0)
    assert "largest force" in found.quantity


TWINS = """<mujoco><worldbody><body name="base"><freejoint/><geom size=".1"/>
<body name="left/hand" pos="0 1 0"><joint name="left/j" axis="1 0 0"/><geom size=".2"/></body>
<body name="right/hand" pos="0 -1 0"><joint name="right/j"/><geom size=".3"/></body>
</body></worldbody></mujoco>"""


def test_bodies_with_one_name_are_compared_with_the_links_they_became(tmp_path):
    source, target = tmp_path / "twins.xml", tmp_path / "twins.urdf"
    source.write_text(TWINS)
    usdsim.convert(source, target)
    assert check_export(source, target) == []
    target.write_text(target.read_text().replace('<link name="hand_1">', '<link name="paw">'))
    target.write_text(target.read_text().replace('"hand_1"', '"paw"'))
    assert any("'hand_1'" in line for line in check_export(source, target))


def test_scenes_of_many_loose_bodies_are_compared_in_no_time(monkeypatch):
    """Random positions put them into each other, which asks for no contact forces."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdPhysics.Scene.Define(stage, "/scene")
    for i in range(60):
        box = UsdGeom.Cube.Define(stage, f"/box_{i}")
        box.AddTranslateOp().Set((3.0 * i, 0.0, 0.0))
        UsdPhysics.RigidBodyAPI.Apply(box.GetPrim())
        UsdPhysics.CollisionAPI.Apply(box.GetPrim())
    for name in ("mj_forward", "mj_collision", "mj_fullM"):
        monkeypatch.delattr(mujoco, name)
    assert compare_physics(stage, stage, steps=0) == []
