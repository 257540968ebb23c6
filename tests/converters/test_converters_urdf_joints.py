"""Joints: axes, limits, dynamics, drives and mimic relations, in SI after parsing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from converters_urdf_text import arm, codes, converted, described, joint, link, robot
from pxr import UsdGeom, UsdPhysics

from usdsim.converters.cfg import JointDriveCfg, NaturalFrequencyGainsCfg, PDGainsCfg
from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.parser import parse_stage
from usdsim.scene import MotorActuator, SceneData, load_model
from usdsim.testing import check_conversion

LIMIT = '<limit lower="-1" upper="2" effort="5" velocity="3"/>'


def shoulder(stage):
    scene = described(stage)
    return next(joint for joint in scene.joints if joint.name == "shoulder")


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (1, 2, -3)])
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_axis_and_limits(tmp_path, kind, axis):
    inner = f'<axis xyz="{axis[0]} {axis[1]} {axis[2]}"/>{LIMIT}'
    found = shoulder(converted(tmp_path, arm(kind=kind, inner=inner)).stage)
    assert found.kind == kind
    (dof,) = found.dofs
    np.testing.assert_allclose(dof.axis, np.array(axis) / np.linalg.norm(axis), atol=1e-7)
    np.testing.assert_allclose(dof.anchor, 0.0, atol=1e-12)
    assert dof.lower == pytest.approx(-1.0, rel=1e-6)
    assert dof.upper == pytest.approx(2.0, rel=1e-6)
    assert dof.velocity_limit == pytest.approx(3.0, rel=1e-6)
    assert dof.drive.max_force == pytest.approx(5.0)


def test_units_on_the_stage(tmp_path):
    inner = f'<axis xyz="0 0 1"/>{LIMIT}<dynamics damping="0.7" friction="0.2"/>'
    stage = converted(tmp_path, arm(inner=inner)).stage
    prim = stage.GetPrimAtPath("/bot/Physics/shoulder")
    values = {
        "physics:lowerLimit": math.degrees(-1.0),
        "physics:upperLimit": math.degrees(2.0),
        "newton:velocityLimit": math.degrees(3.0),
        "newton:damping": math.radians(0.7),
        "newton:friction": 0.2,
        "drive:angular:physics:maxForce": 5.0,
    }
    for name, value in values.items():
        assert prim.GetAttribute(name).Get() == pytest.approx(value, rel=1e-6), name
    assert prim.GetAttribute("physics:axis").Get() == "Z"


def test_motors_in_place_of_drives(tmp_path):
    loose = '<axis xyz="0 0 1"/>'
    text = robot(
        link("base"), link("arm"), link("hand"), link("finger"), link("thumb"),
        joint("shoulder"),
        joint("wrist", "continuous", "arm", "hand", loose),
        joint("grip", "fixed", "hand", "finger", ""),
        joint("thumb", "revolute", "hand", "thumb", LIMIT + loose + '<mimic joint="wrist"/>'),
    )  # fmt: skip
    conversion = converted(tmp_path, text, joint_motors=True)
    motors = [p for p in conversion.stage.Traverse() if p.GetTypeName() == "MjcActuator"]
    assert [str(p.GetPath()) for p in motors] == [
        "/bot/Physics/shoulder_motor",
        "/bot/Physics/wrist_motor",
    ]
    model = load_model(conversion.stage)
    assert all(isinstance(motor, MotorActuator) for motor in model.actuators)
    assert model.actuator_names == ["shoulder_motor", "wrist_motor"]
    # A torque of 50 N m, ten times the limit of effort, turns 0.04 kg m^2 by 1250 rad/s^2.
    single = load_model(converted(tmp_path, arm(), joint_motors=True).stage)
    data = SceneData(single)
    data.actuator_ctrls = [50.0]
    single.step(data)
    assert data.dof_vel[0] == pytest.approx(1250 * single.options.timestep, rel=1e-5)


def test_continuous_is_unlimited(tmp_path):
    inner = '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="2"/>'
    dof = shoulder(converted(tmp_path, arm(kind="continuous", inner=inner)).stage).dofs[0]
    assert (dof.lower, dof.upper) == (-math.inf, math.inf)
    assert dof.velocity_limit == math.inf


def test_zero_effort_and_velocity_mean_no_limit(tmp_path):
    inner = '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="0" velocity="0"/>'
    result = converted(tmp_path, arm(inner=inner))
    dof = shoulder(result.stage).dofs[0]
    assert dof.drive is None
    assert dof.velocity_limit == math.inf
    assert codes(result) == ["limit-zero", "limit-zero"]
    stage = converted(tmp_path, arm(inner=inner), zero_limits="keep").stage
    prim = stage.GetPrimAtPath(shoulder(stage).path)
    assert UsdPhysics.DriveAPI(prim, "angular").GetMaxForceAttr().Get() == 0.0
    assert prim.GetAttribute("newton:velocityLimit").Get() == 0.0
    with pytest.raises(InvalidValueError, match="zero_limits"):
        converted(tmp_path, arm(inner=inner), zero_limits="ignore")


def test_planar_moves_in_the_plane_and_turns_about_its_normal(tmp_path):
    normal = np.array([1.0, 2.0, -2.0]) / 3.0
    inner = '<axis xyz="1 2 -2"/>'
    found = shoulder(converted(tmp_path, arm(kind="planar", inner=inner)).stage)
    assert found.kind == "d6"
    assert sorted(dof.kind for dof in found.dofs) == ["hinge", "slide", "slide"]
    for dof in found.dofs:
        along = abs(float(dof.axis @ normal))
        assert along == pytest.approx(1.0 if dof.kind == "hinge" else 0.0, abs=1e-6)


def test_spherical(tmp_path):
    found = shoulder(converted(tmp_path, arm(kind="ball", inner="")).stage)
    assert found.kind == "spherical"


def test_floating_inside_the_robot_is_free_and_says_so(tmp_path):
    result = converted(tmp_path, arm(kind="floating", inner=""))
    assert codes(result) == ["floating-inside"]
    assert shoulder(result.stage).kind == "free"


def test_loop_joint(tmp_path):
    loop = (
        '<loop_joint name="rod" type="ball"><link1 link="base" xyz="1 0 0" rpy="0 0 0"/>'
        '<link2 link="arm" xyz="0 1 0" rpy="0 0 0"/></loop_joint>'
    )
    text = robot(link("base"), joint("shoulder"), link("arm"), loop)
    scene = described(converted(tmp_path, text).stage)
    rod = next(joint for joint in scene.joints if joint.name == "rod")
    assert (rod.kind, rod.in_tree) == ("spherical", False)
    np.testing.assert_allclose(rod.parent_frame.pos, [1, 0, 0])
    np.testing.assert_allclose(rod.child_frame.pos, [0, 1, 0])


@pytest.mark.parametrize("follow", [True, False])
def test_mimic(tmp_path, follow):
    inner = (
        '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="4"/>'
        '<mimic joint="shoulder" multiplier="-0.5" offset="0.3"/>'
    )
    text = robot(link("base"), joint("shoulder"), link("arm"),
                 joint("follower", parent="arm", child="tip", inner=inner),
                 link("tip"))  # fmt: skip
    stage = converted(tmp_path, text, convert_mimic_joints_to_normal_joints=not follow).stage
    scene = described(stage)
    found = next(joint for joint in scene.joints if joint.name == "follower")
    if not follow:
        assert found.mimic is None
        assert found.dofs[0].drive.max_force == 4.0
        return
    assert found.mimic.joint == "/bot/Physics/shoulder"
    assert found.mimic.gearing == pytest.approx(-0.5)
    assert found.mimic.offset == pytest.approx(0.3, rel=1e-6)
    assert found.dofs[0].drive is None
    prim = stage.GetPrimAtPath("/bot/Physics/follower")
    assert prim.GetAttribute("newton:mimicCoef0").Get() == pytest.approx(math.degrees(0.3))


def test_mimic_between_turning_and_sliding(tmp_path):
    inner = (
        '<axis xyz="0 0 1"/><limit lower="0" upper="1"/><mimic joint="shoulder" multiplier="2"/>'
    )
    text = robot(link("base"), joint("shoulder"), link("arm"),
                 joint("slide", "prismatic", "arm", "tip", inner), link("tip"))  # fmt: skip
    scene = described(converted(tmp_path, text).stage)
    found = next(joint for joint in scene.joints if joint.name == "slide")
    assert found.mimic.gearing == pytest.approx(2.0, rel=1e-6)


MIRRORED = """<axis xyz="0 0 1"/><limit lower="{lower}" upper="{upper}"/>
<mimic joint="shoulder" multiplier="-1"/>"""


@pytest.mark.parametrize(("lower", "upper", "held"), [(1, 3, True), (0.5, 3, False)])
def test_limits_that_hold_a_follower_and_its_leader_are_left_out(tmp_path, lower, upper, held):
    """The shoulder turns from -1 to 2 rad, so its mirrored twin from -2 to 1 rad."""
    inner = MIRRORED.format(lower=lower, upper=upper)
    text = robot(link("base"), joint("shoulder", inner=LIMIT + '<axis xyz="0 0 1"/>'), link("arm"),
                 joint("twin", parent="base", child="tip", inner=inner), link("tip"))  # fmt: skip
    result = converted(tmp_path, text)
    assert ("mimic-limits" in codes(result)) == held
    twin = next(joint for joint in described(result.stage).joints if joint.name == "twin").dofs[0]
    wanted = (-math.inf, math.inf) if held else (lower, upper)
    assert (twin.lower, twin.upper) == pytest.approx(wanted)
    # On a stage nothing is left out, and the report says so.
    prim = UsdPhysics.RevoluteJoint(result.stage.GetPrimAtPath("/bot/Physics/twin"))
    prim.CreateLowerLimitAttr(math.degrees(lower))
    prim.CreateUpperLimitAttr(math.degrees(upper))
    found = parse_stage(result.stage).report.by_code("held-by-limits")
    assert [finding.path for finding in found] == (["/bot/Physics/twin"] if held else [])


def test_assumed_gains_move_followers_too(tmp_path):
    """A twin of the link, followed at twice the speed, is four times its inertia more."""
    command = (
        '<ros2_control name="c" type="system"><joint name="shoulder">'
        '<command_interface name="position"/></joint></ros2_control>'
    )
    twin = joint(
        "twin", parent="base", child="tip",
        inner='<axis xyz="0 0 1"/><limit lower="-9" upper="9"/>'
        '<mimic joint="shoulder" multiplier="2"/>',
    )  # fmt: skip
    gains = []
    for more in ((), (twin, link("tip"))):
        text = robot(link("base"), joint("shoulder"), link("arm"), *more, command)
        gains.append(shoulder(converted(tmp_path, text).stage).dofs[0].drive.stiffness)
    assert gains[0] > 0.0
    assert gains[1] == pytest.approx(5.0 * gains[0], rel=1e-6)


def test_a_base_that_nothing_holds_is_bolted_and_the_report_says_so(tmp_path):
    for options, told in (({}, True), ({"fix_base": True}, False), ({"fix_base": False}, False)):
        findings = converted(tmp_path, arm(), **options).report.findings
        assert [finding.code for finding in findings] == ["base-fixed"] * told


@pytest.mark.parametrize("merge", [False, True])
def test_what_mimics_a_fixed_joint_is_fixed_where_that_puts_it(tmp_path, merge):
    turn, slide = (
        f'<axis xyz="0 0 1"/><limit lower="-1" upper="1"/><mimic joint="{leader}" multiplier="2" '
        f'offset="{offset}"/>'
        for leader, offset in (("shoulder", 0.3), ("elbow", 0.1))
    )
    # The follower of a follower comes first, as it may in a file.
    text = robot(link("base"), joint("rail", "prismatic", "arm", "slider", slide, origin=""),
                 link("slider"), joint("elbow", "revolute", "base", "arm", turn, origin=""),
                 link("arm"), joint("shoulder", "fixed", "base", "held", ""),
                 link("held"))  # fmt: skip
    result = converted(tmp_path, text, merge_fixed_joints=merge)
    assert [f.code for f in result.report.findings].count("mimic-held") == 2
    assert not [f for f in result.report.warnings if f.code.startswith("mimic")]
    scene = described(result.stage)
    assert {joint.kind for joint in scene.joints} <= {"fixed"}
    placed = UsdGeom.XformCache()
    pose = placed.GetLocalToWorldTransform(result.stage.GetPrimAtPath("/bot/base/arm/slider"))
    np.testing.assert_allclose(pose.ExtractTranslation(), [0.0, 0.0, 2 * 0.3 + 0.1], atol=1e-6)
    turned = pose.ExtractRotationMatrix()
    assert math.atan2(turned[0][1], turned[0][0]) == pytest.approx(0.3, rel=1e-6)
    if not merge:
        assert check_conversion(tmp_path / "bot.urdf", result.stage) == []
    free = converted(tmp_path, text, convert_mimic_joints_to_normal_joints=True)
    assert {"revolute", "prismatic"} <= {joint.kind for joint in described(free.stage).joints}


def test_gains_by_pattern(tmp_path):
    text = robot(link("base"), joint("left_hip", child="a"), link("a"),
                 joint("right_hip", child="b"), link("b"))  # fmt: skip
    gains = PDGainsCfg(stiffness={"left_.*": 10.0, "right_.*": 20.0}, damping=3.0)
    scene = described(converted(tmp_path, text, joint_drive=JointDriveCfg(gains=gains)).stage)
    drives = {joint.name: joint.dofs[0].drive for joint in scene.joints if joint.dofs}
    assert drives["left_hip"].stiffness == pytest.approx(10.0, rel=1e-6)
    assert drives["right_hip"].stiffness == pytest.approx(20.0, rel=1e-6)
    assert drives["left_hip"].damping == pytest.approx(3.0, rel=1e-6)
    assert drives["left_hip"].max_force == 5.0
    with pytest.raises(UnknownNameError, match="right_hip"):
        wrong = JointDriveCfg(gains=PDGainsCfg(stiffness={"hand": 1.0}))
        converted(tmp_path, text, joint_drive=wrong)


def test_targets_choose_the_gains(tmp_path):
    gains = PDGainsCfg(stiffness=10.0, damping=3.0)
    found = {}
    for target in ("position", "velocity", "none"):
        cfg = JointDriveCfg(target_type=target, gains=gains, drive_type="acceleration")
        drive = shoulder(converted(tmp_path, arm(), joint_drive=cfg).stage).dofs[0].drive
        found[target] = (round(drive.stiffness, 4), round(drive.damping, 4))
        assert drive.acceleration
    assert found == {"position": (10.0, 3.0), "velocity": (0.0, 3.0), "none": (0.0, 0.0)}
    with pytest.raises(InvalidValueError, match="target_type"):
        converted(tmp_path, arm(), joint_drive=JointDriveCfg(target_type="speed"))


def test_natural_frequency_counts_everything_the_joint_carries(tmp_path):
    text = robot(
        link("base"),
        joint("shoulder", inner=f'<axis xyz="0 0 1"/>{LIMIT}'),
        link("arm", mass=2.0, com="0.5 0 0"),
        joint("wrist", "fixed", "arm", "hand", "", '<origin xyz="1 0 0"/>'),
        link("hand", mass=3.0),
    )
    gains = NaturalFrequencyGainsCfg(natural_frequency=10.0, damping_ratio=0.5)
    cfg = JointDriveCfg(gains=gains)
    for merge in (False, True):
        stage = converted(tmp_path, text, joint_drive=cfg, merge_fixed_joints=merge).stage
        drive = shoulder(stage).dofs[0].drive
        inertia = 0.04 + 2.0 * 0.25 + 0.04 + 3.0
        assert drive.stiffness == pytest.approx(inertia * 100.0, rel=1e-6)
        assert drive.damping == pytest.approx(2 * 0.5 * inertia * 10.0, rel=1e-6)


def test_joints_between_bodies_do_not_collide_and_close_no_loop(tmp_path):
    stage = converted(tmp_path, arm()).stage
    shoulder = UsdPhysics.Joint(stage.GetPrimAtPath("/bot/Physics/shoulder"))
    assert shoulder.GetCollisionEnabledAttr().Get() is False
    assert shoulder.GetExcludeFromArticulationAttr().Get() is False


@pytest.mark.parametrize(("upper", "said"), [(180, True), (6.28, False), (1e16, False)])
def test_limits_that_look_like_degrees_are_said(tmp_path, upper, said):
    limit = f'<limit lower="-{upper}" upper="{upper}" effort="5" velocity="3"/>'
    report = converted(tmp_path, arm(inner=f'<axis xyz="0 0 1"/>{limit}')).report
    found = report.by_code("unusual-limit")
    assert bool(found) == said
    for warning in found:
        assert "'shoulder' turns from -180 to 180 rad" in warning.message
        assert "radian" in warning.message and warning.severity == "warning"
