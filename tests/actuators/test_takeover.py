"""Actuators of the MuJoCo dialect as drives: same motion, and nothing lost silently."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from usdsim.actuators import prepare_drives
from usdsim.converters import convert_file
from usdsim.core.errors import UnknownNameError
from usdsim.engine import compile_scene
from usdsim.engine.create import create_engine
from usdsim.parser.description import DriveDescription
from usdsim.parser.stage import parse_stage

SAME = 1e-9
SAME_ON_DEVICES = 1e-4
"""Single precision."""

MODEL = """
<mujoco model="arm">
  <option timestep="0.002" integrator="{integrator}"/>
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="a" axis="0 1 0" damping="0.3" armature="0.01" ref="{ref}"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="1"/>
      <body name="lower" pos="0.3 0 0">
        <joint name="b" axis="0 1 0" damping="0.1"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="0.5"/>
        <body name="rod" pos="0.3 0 0">
          <joint name="c" type="slide" axis="1 0 0" damping="5"/>
          <geom type="box" size="0.1 0.01 0.01" mass="0.1"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="t"><joint joint="a" coef="1"/><joint joint="b" coef="0.5"/></fixed></tendon>
  <actuator>{actuators}</actuator>
  {more}
</mujoco>
"""

KEY = '<keyframe><key name="k" qpos="0.3 -0.2 0.01" ctrl="{}"/></keyframe>'


def parsed(tmp_path: Path, actuators: str, more: str = "", integrator="implicitfast", ref=0.0):
    source = tmp_path / "arm.xml"
    text = MODEL.format(actuators=actuators, more=more, integrator=integrator, ref=ref)
    source.write_text(text)
    convert_file(source, tmp_path / "arm.usda")
    return parse_stage(str(tmp_path / "arm.usda")).scene


def dof_paths(scene):
    return [
        dof.path for joint in scene.joints for dof in joint.dofs if dof.kind in ("hinge", "slide")
    ]


def dofs(scene):
    return {dof.path.rpartition("/")[2]: dof for joint in scene.joints for dof in joint.dofs}


def engine(scene, device="cpu"):
    return create_engine(compile_scene(scene), 1, device=device, threads=1)


def same_motion(first, second, steps=300, start=None):
    """Step both engines and compare positions and velocities."""
    bound = SAME if first.read("qpos").dtype == np.float64 else SAME_ON_DEVICES
    assert first.compiled.mj.nq == second.compiled.mj.nq
    for sim in (first, second):
        if start is not None:
            sim.reset(keyframe=start)
    for _ in range(steps):
        first.step()
        second.step()
    assert np.isfinite(first.read("qpos")).all()
    np.testing.assert_allclose(second.read("qpos"), first.read("qpos"), rtol=0, atol=bound)
    np.testing.assert_allclose(second.read("qvel"), first.read("qvel"), rtol=0, atol=1e3 * bound)


SERVOS = """
<position joint="a" kp="40" kv="2" forcerange="-9 9"/>
<velocity joint="b" kv="3" gear="2"/>
<motor joint="c" gear="30" ctrllimited="true" ctrlrange="-0.5 0.5"/>
"""


@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast"])
@pytest.mark.parametrize("ref", [0.0, 0.4])
def test_the_same_motion(tmp_path, integrator, ref, device):
    scene = parsed(tmp_path, SERVOS, KEY.format("0.7 1.5 0.4"), integrator, ref)
    drives, notes = prepare_drives(scene, dof_paths(scene))
    assert not drives.actuators and not notes
    same_motion(engine(scene, device), engine(drives, device), start="k")
    same_motion(engine(scene, device), engine(drives, device))


def test_gains_and_limits_of_the_drives(tmp_path):
    drives = dofs(prepare_drives(s := parsed(tmp_path, SERVOS), dof_paths(s))[0])
    a, b, c = (drives[name].drive for name in "abc")
    assert (a.stiffness, a.damping, a.max_force) == (40.0, 2.0, 9.0)
    assert (b.stiffness, b.damping, b.max_force) == (0.0, 12.0, np.inf)
    assert (c.stiffness, c.damping, c.max_force) == (0.0, 0.0, 15.0)


@pytest.mark.parametrize(
    "actuators",
    [
        '<position joint="a" kp="40" gear="-3" forcerange="-2 2"/>',
        '<general joint="a" gainprm="25" biastype="affine" biasprm="0 -50 -3"/>',
        '<general joint="a" gainprm="25" biastype="affine" biasprm="0 0 -3" gear="0.5"/>',
        '<position joint="a" kp="40"/><velocity joint="a" kv="2"/><motor joint="a" gear="4"/>',
        '<position joint="a" kp="40" kv="1"/><velocity joint="a" kv="2"/>',
        '<position joint="a" kp="40" ctrlrange="-3 3"/>',
        '<motor jointinparent="a" gear="2" ctrlrange="-2 2"/>',
    ],
)
def test_kinds_of_servos(tmp_path, actuators, device):
    count = actuators.count("<")
    key = KEY.format(" ".join(["0.6", "-0.5", "0.8"][:count]))
    scene = parsed(tmp_path, actuators, key, "Euler")
    drives, _ = prepare_drives(scene, dof_paths(scene))
    assert not drives.actuators
    assert all(isinstance(dof.drive, DriveDescription) for dof in dofs(drives).values())
    same_motion(engine(scene, device), engine(drives, device), start="k")


STAYING = [
    ('<motor tendon="t"/>', None),
    ('<muscle joint="a" lengthrange="-1 1"/>', "dyntype"),
    ('<intvelocity joint="a" kp="3" actrange="-1 1"/>', "dyntype"),
    ('<damper joint="a" kv="3" ctrlrange="0 1"/>', "neither a motor nor an affine servo"),
    ('<motor joint="a" ctrlrange="-1 2"/>', "limits its control to -1 to 2"),
    ('<position joint="a" kp="3" forcerange="-1 2"/>', "limits its force to -1 to 2"),
    ('<general joint="a" gainprm="3" biastype="affine" biasprm="1 -3 0"/>', "constant force"),
    ('<general joint="a" gainprm="3" biastype="affine" biasprm="0 3 0"/>', "pushes away"),
    ('<position joint="a" kp="3"/><position joint="a" kp="4"/>', "position target"),
    ('<position joint="a" kp="3" forcerange="-1 1"/><velocity joint="a" kv="4"/>', "apart"),
]


@pytest.mark.parametrize(("actuators", "reason"), STAYING)
def test_what_is_no_drive_stays_and_is_told(tmp_path, actuators, reason):
    key = KEY.format(" ".join(["0.4"] * actuators.count("<")))
    scene = parsed(tmp_path, actuators, key, "Euler")
    drives, notes = prepare_drives(scene, dof_paths(scene))
    assert drives.actuators == scene.actuators
    assert all(dof.drive.stiffness == dof.drive.damping == 0.0 for dof in dofs(drives).values())
    if reason is None:
        assert not notes
    else:
        assert {path for path, _ in notes} == {a.path for a in scene.actuators}
        assert all(reason in message and "stays" in message for _, message in notes)
    same_motion(engine(scene), engine(drives), start="k", steps=50)


@pytest.mark.parametrize(("actuators", "reason"), STAYING[1:])
def test_configured_joints_lose_their_actuators(tmp_path, actuators, reason):
    actuators += '<motor joint="b"/>'
    count = actuators.count("<")
    scene = parsed(tmp_path, actuators, KEY.format(" ".join(["0.4"] * count)), "Euler")
    (path,) = [p for p in dof_paths(scene) if p.endswith("/a")]
    drives, notes = prepare_drives(scene, [path], [path])
    assert [joint.targets["target"][0][-2:] for joint in drives.actuators] == ["/b"]
    assert [p for p, _ in notes] == [path] * (count - 1)
    assert all("takes over from" in message for _, message in notes)
    found = dofs(drives)
    assert found["a"].drive is not None and found["b"].drive is None
    (key,) = (e for e in drives.elements if e.kind == "key")
    np.testing.assert_allclose(key.overrides["ctrl"], [0, 0, 0, 0.4])
    engine(drives).step()


def test_a_configured_joint_starts_from_its_servos_gains(tmp_path):
    scene = parsed(tmp_path, SERVOS)
    drives, notes = prepare_drives(scene, dof_paths(scene), dof_paths(scene))
    assert not drives.actuators and dofs(drives)["a"].drive.stiffness == 40.0
    assert len(notes) == 3


def test_drives_on_the_stage_stay(tmp_path):
    scene = parsed(tmp_path, '<motor joint="a"/>')
    own = DriveDescription(stiffness=3.0, target_position=0.1)
    joints = tuple(
        dataclasses.replace(j, dofs=tuple(dataclasses.replace(d, drive=own) for d in j.dofs))
        for j in scene.joints
    )
    scene = dataclasses.replace(scene, joints=joints)
    drives, notes = prepare_drives(scene, dof_paths(scene))
    assert drives is scene and len(drives.actuators) == 1
    assert ["stands beside" in message for _, message in notes] == [True]
    drives, _ = prepare_drives(scene, dof_paths(scene), dof_paths(scene))
    assert not drives.actuators and all(dof.drive is own for dof in dofs(drives).values())


def test_lost_limits_of_targets_are_told(tmp_path):
    scene = parsed(tmp_path, '<position joint="a" kp="40" ctrlrange="-1 3"/>')
    _, ((path, message),) = prepare_drives(scene, dof_paths(scene))
    assert path == scene.actuators[0].path and "target to -1 to 3" in message


def test_other_joints_keep_what_they_have(tmp_path):
    scene = parsed(tmp_path, SERVOS, KEY.format("0.7 1.5 0.4"), "Euler")
    (path,) = [p for p in dof_paths(scene) if p.endswith("/a")]
    drives, _ = prepare_drives(scene, [path])
    assert len(drives.actuators) == 2 and dofs(drives)["b"].drive is None
    same_motion(engine(scene), engine(drives), start="k")


def test_sensors_of_actuators_go_with_them(tmp_path):
    sensors = '<sensor><actuatorfrc actuator="m"/><jointpos joint="a"/></sensor>'
    scene = parsed(tmp_path, '<motor name="m" joint="a"/>', sensors)
    drives, notes = prepare_drives(scene, dof_paths(scene))
    assert engine(drives).compiled.mj.nsensor == 1 == engine(scene).compiled.mj.nsensor - 1
    assert ["goes with" in message for _, message in notes] == [True]


def test_keyframes_with_the_wrong_number_of_controls(tmp_path):
    scene = parsed(tmp_path, '<motor joint="a"/>', KEY.format("0.5"))
    (key,) = (e for e in scene.elements if e.kind == "key")
    broken = dataclasses.replace(key, overrides={**key.overrides, "ctrl": np.zeros(5)})
    elements = tuple(broken if e is key else e for e in scene.elements)
    drives, notes = prepare_drives(dataclasses.replace(scene, elements=elements), dof_paths(scene))
    assert ["has 5 values of ctrl for 1" in message for _, message in notes] == [True]
    engine(drives).reset(keyframe="k")


def test_unknown_joints_are_refused(tmp_path):
    scene = parsed(tmp_path, "")
    with pytest.raises(UnknownNameError, match="degree of freedom '/elbow'"):
        prepare_drives(scene, ["/elbow"])
    assert prepare_drives(scene, [])[0] is scene


ROBOTS = ["mjlab_go1/go1.xml", "rs_panda_gripper/panda_gripper.xml", "mink_allegro", "gym_humanoid"]


@pytest.mark.corpus
@pytest.mark.parametrize("robot", ROBOTS)
def test_real_robots_move_the_same(corpus, tmp_path, robot):
    path = corpus / "mjcf" / robot
    path = sorted(path.glob("*.xml"))[0] if path.is_dir() else path
    convert_file(path, tmp_path / "robot.usda")
    scene = parse_stage(str(tmp_path / "robot.usda")).scene
    drives, _ = prepare_drives(scene, dof_paths(scene))
    assert not drives.actuators
    assert all(dofs(drives)[p.rpartition("/")[2]].drive is not None for p in dof_paths(scene))
    same_motion(engine(scene), engine(drives), steps=50)
    for element in scene.elements:
        if element.kind == "key":
            same_motion(engine(scene), engine(drives), steps=50, start=element.path)
