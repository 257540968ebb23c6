"""Targets: what each simulator reads is on the stage, and the stage means the same here."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from converters_urdf_text import joint, link, robot, write
from pxr import Sdf, Usd, UsdPhysics

import usdsim
from usdsim.converters.conversion import convert_file, default_cfg
from usdsim.converters.targets.table import EVERY, FIXED, TARGETS
from usdsim.core.errors import InvalidValueError
from usdsim.exporters import export_mjcf
from usdsim.testing import compare_models
from usdsim.usd.schemas import applied_schemas

ARM = """<mujoco model="arm"><compiler angle="radian"/><worldbody>
<body name="base"><inertial pos="0 0 0.05" mass="2" diaginertia="0.01 0.02 0.03"/>
<body name="upper" pos="0 0 0.1"><joint name="hinge" axis="0 1 0" range="-2 2" armature="0.5"
damping="0.3" frictionloss="0.2" ref="0.1"/><geom name="rod" size="0.05" margin="0.01" gap="0.02"/>
<body name="hand" pos="0 0 0.2" gravcomp="1"><joint name="slide" type="slide" axis="1 0 0"
damping="4"/><geom size="0.03"/></body></body></body></worldbody>
<actuator><position name="lift" joint="hinge" kp="80" kv="6" forcerange="-9 9"/>
<velocity name="push" joint="slide" kv="7"/></actuator>
<keyframe><key name="rest"/><key name="up" qpos="0.7 0.02" qvel="0.5 0" ctrl="0.7 0.25"/></keyframe>
</mujoco>"""


@pytest.fixture
def arm(tmp_path):
    (tmp_path / "arm.xml").write_text(ARM)
    return tmp_path / "arm.xml"


def converted(source, **options):
    return convert_file(source, None, default_cfg("mjcf", **options))


def prim(stage, name):
    return next(p for p in stage.TraverseAll() if p.GetName() == name)


def value(of, name):
    attribute = of.GetAttribute(name)
    assert attribute and attribute.HasAuthoredValue(), name
    return attribute.Get()


def test_physx_reads_what_the_joint_says(arm):
    stage = converted(arm, target="physx").stage
    hinge = prim(stage, "hinge")
    axis = "physxJointAxis:angular:"
    assert value(hinge, axis + "armature") == pytest.approx(0.5)
    assert value(hinge, "physxJoint:armature") == pytest.approx(0.5)
    assert value(hinge, axis + "viscousFrictionCoefficient") == pytest.approx(math.radians(0.3))
    assert value(hinge, axis + "dynamicFrictionEffort") == pytest.approx(0.2)
    assert value(hinge, axis + "staticFrictionEffort") == pytest.approx(0.2)
    assert {"PhysxJointAPI", "PhysxJointAxisAPI:angular"} <= set(applied_schemas(hinge))
    slide = prim(stage, "slide")
    assert value(slide, "physxJointAxis:linear:viscousFrictionCoefficient") == pytest.approx(4.0)


def test_physx_reads_bodies_colliders_and_solver_settings(arm):
    stage = converted(arm, target="physx").stage
    hand, rod = prim(stage, "hand"), prim(stage, "rod")
    assert value(hand, "physxRigidBody:disableGravity") is True
    assert value(hand, "physxRigidBody:angularDamping") == 0.0
    assert value(rod, "physxCollision:restOffset") == pytest.approx(0.01)
    assert value(rod, "physxCollision:contactOffset") == pytest.approx(0.03)
    root = stage.GetDefaultPrim()
    assert value(root, "physxArticulation:enabledSelfCollisions") is True
    assert value(root, "physxArticulation:solverPositionIterationCount") == 128
    materials = [p for p in stage.Traverse() if p.HasAPI(UsdPhysics.MaterialAPI)]
    assert {value(p, "physxMaterial:frictionCombineMode") for p in materials} == {"max"}


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_leaves_the_model_as_it_is(target, arm, tmp_path):
    usdsim.convert(arm, tmp_path / "arm.usda", target=target, keyframe="")
    model = usdsim.load_model(tmp_path / "arm.usda", exact=True)
    assert compare_models(mujoco.MjModel.from_xml_path(str(arm)), model.low) == []
    assert [f for f in model.report.findings if f.severity != "info"] == []


def test_a_stage_starts_in_the_keyframe_for_those_who_know_none(arm, tmp_path):
    usdsim.convert(arm, tmp_path / "arm.usda", target="physx", keyframe="up")
    model = usdsim.load_model(tmp_path / "arm.usda")
    data = usdsim.SceneData(model)
    assert np.ravel(data.dof_pos) == pytest.approx([0.7, 0.02], abs=1e-6)
    assert np.ravel(data.dof_vel) == pytest.approx([0.5, 0.0], abs=1e-6)
    assert np.ravel(data.actuator_ctrls) == pytest.approx([0.7, 0.25], abs=1e-6)
    stage = Usd.Stage.Open(str(tmp_path / "arm.usda"))
    drive = UsdPhysics.DriveAPI(prim(stage, "hinge"), "angular")
    assert drive.GetTargetPositionAttr().Get() == pytest.approx(math.degrees(0.6), abs=1e-4)


def test_the_first_keyframe_counts_unless_another_is_asked_for(arm):
    def names(**options):
        return [f.message for f in converted(arm, **options).report.findings]

    assert "starts in keyframe 'rest'" in names(target="newton")
    assert "starts in keyframe 'up'" in names(keyframe="up")
    assert names() == names(target="mujoco") == names(target="all", keyframe="") == []
    with pytest.raises(InvalidValueError, match=r"keyframe.*rest, up"):
        converted(arm, keyframe="down")


def test_controls_of_a_keyframe_reach_servos_after_a_drive_of_three_inputs(tmp_path):
    source = tmp_path / "drives.xml"
    source.write_text("""<mujoco><worldbody><body><joint name="lift" type="slide"/>
        <geom size=".1"/><body name="arm"><joint name="elbow"/><geom size=".1"/></body></body>
        </worldbody><actuator><pid joint="lift" kp="5" kv="1" input="pos vel ff"/>
        <position joint="elbow" kp="3"/></actuator>
        <keyframe><key name="up" qpos="0.2 0.1" ctrl="0.2 0 0 0.1"/></keyframe></mujoco>""")
    stage = converted(source, keyframe="up").stage
    drive = UsdPhysics.DriveAPI(prim(stage, "elbow"), "angular")
    assert drive.GetTargetPositionAttr().Get() == pytest.approx(math.degrees(0.1), abs=1e-4)
    assert export_mjcf(stage, tmp_path / "out.xml").report.counts["actuator"] == 2


def test_physx_has_a_body_below_what_moves_on_the_world(arm, tmp_path):
    stage = converted(arm, target="physx").stage
    base = prim(stage, "base")
    assert base.HasAPI(UsdPhysics.RigidBodyAPI)
    assert UsdPhysics.FixedJoint(base.GetChild("fixed"))
    (tmp_path / "cart.xml").write_text(
        '<mujoco><worldbody><body name="cart" pos="0 0 1"><joint type="slide" axis="1 0 0"/>'
        '<geom size="0.1"/><body><joint/><geom size="0.1"/></body></body></worldbody></mujoco>'
    )
    result = converted(tmp_path / "cart.xml", target="physx")
    assert [f.code for f in result.report.findings] == ["base-added"]
    without = converted(tmp_path / "cart.xml")
    added, plain = (usdsim.load_model(each.stage) for each in (result, without))
    assert added.low.nv == plain.low.nv and added.low.nbody == plain.low.nbody + 1


BESIDE = """<mujoco><option solver="PGS"/><worldbody>
  <body name="ball" pos="0.1 0.2 1">
    <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
    <geom size="0.1"/></body>
  <body name="rod" pos="0 0 2"><joint name="swing"/><geom size="0.1" mass="1"/>
    <body pos="0.3 0 0"><joint name="elbow"/><geom size="0.1"/></body></body>
</worldbody><tendon><fixed name="cord"><joint joint="y" coef="1"/></fixed></tendon></mujoco>"""


@pytest.mark.parametrize(
    ("target", "bases"),
    [("newton", ["/World/ball_base"]), ("physx", ["/World/ball_base", "/World/rod_base"])],
)
def test_what_moves_beside_each_other_has_bases_that_stand(tmp_path, target, bases):
    (tmp_path / "beside.xml").write_text(BESIDE.replace("<mujoco>", '<mujoco model="World">'))
    result = converted(tmp_path / "beside.xml", target=target)
    added = [f.where for f in result.report.findings if f.code == "base-added"]
    assert added == [", ".join(bases)]
    for path in bases:
        fixed = UsdPhysics.FixedJoint(result.stage.GetPrimAtPath(f"{path}/fixed"))
        assert fixed.GetBody0Rel().GetTargets() == ["/World"]
    one = usdsim.load_model(result.stage).low
    other = usdsim.load_model(converted(tmp_path / "beside.xml").stage).low
    assert (one.nv, one.nq, one.nbody) == (other.nv, other.nq, other.nbody + len(bases))
    for name in ("ball", "rod"):
        there, here = one.body(name), other.body(name)
        ground = one.body_pos[there.parentid[0]]
        np.testing.assert_allclose(there.pos + ground, here.pos, atol=1e-12)


def test_newton_is_told_what_it_does_not_read(tmp_path):
    (tmp_path / "beside.xml").write_text(BESIDE)
    report = converted(tmp_path / "beside.xml", target="newton").report
    told = {f.code: f.message for f in report.findings}
    assert "pgs became newton" in told["solver-replaced"]
    assert "a joint beside others" in told["target-omits"]
    both = converted(tmp_path / "beside.xml", target="all")
    assert value(prim(both.stage, "PhysicsScene"), "mjc:option:solver") == "pgs"


def test_mujoco_has_an_actuator_for_every_drive(tmp_path):
    source = write(tmp_path, robot(link("base"), joint("shoulder"), link("arm")))
    options = {"joint_drive": {"stiffness": 30.0, "damping": 2.0}}
    plain = usdsim.load_model(usdsim.convert(source, **options))
    stage = usdsim.convert(source, target="mujoco", **options)
    actuator = prim(stage, "Actuators").GetChildren()[0]
    assert list(value(actuator, "mjc:gainPrm"))[:1] == pytest.approx([30.0], rel=1e-6)
    assert list(value(actuator, "mjc:biasPrm"))[:3] == pytest.approx([0.0, -30.0, -2.0], rel=1e-6)
    model = usdsim.load_model(stage)
    assert model.low.nu == 1
    ends = []
    for each in (plain, model):
        data = usdsim.SceneData(each)
        data.actuator_ctrls = np.full(np.shape(data.actuator_ctrls), 0.4)
        each.step_n(data, 100)
        ends.append(np.ravel(data.dof_pos))
    assert ends[0] == pytest.approx(ends[1], abs=1e-6) and abs(ends[0][0]) > 0.1


def test_links_without_weight_float_in_newton_too(tmp_path):
    free = '<gazebo reference="arm"><turnGravityOff>true</turnGravityOff></gazebo>'
    source = write(tmp_path, robot(link("base"), joint("shoulder"), link("arm"), free))
    stage = usdsim.convert(source, target="newton")
    assert value(prim(stage, "arm"), "mjc:gravcomp") == 1.0
    assert usdsim.load_model(stage).low.body_gravcomp.tolist().count(1.0) == 1


@pytest.mark.parametrize("target", ["mujoco", "newton"])
def test_limits_and_dry_friction_are_as_soft_there_as_here(tmp_path, target):
    limit = '<limit lower="-1" upper="2" effort="5" velocity="3"/>'
    rubbing = joint("shoulder", inner=f'<axis xyz="0 0 1"/>{limit}<dynamics friction="0.3"/>')
    source = write(tmp_path, robot(link("base"), rubbing, link("arm")))
    plain, aimed = (usdsim.convert(source, **o) for o in ({}, {"target": target}))
    shoulder = prim(aimed, "shoulder")
    one, other = (usdsim.load_model(stage).low for stage in (plain, aimed))
    assert list(value(shoulder, "mjc:solreflimit")) == list(one.jnt_solref[-1])
    assert list(value(shoulder, "mjc:solimplimit")) == list(one.jnt_solimp[-1])
    assert list(value(shoulder, "mjc:solimpfriction")) == list(one.dof_solimp[-1])
    for array in ("jnt_solref", "jnt_solimp", "dof_solref", "dof_solimp", "dof_frictionloss"):
        np.testing.assert_array_equal(getattr(one, array), getattr(other, array))


def test_an_edit_of_the_drive_edits_the_actuator(tmp_path):
    source = write(tmp_path, robot(link("base"), joint("shoulder"), link("arm")))
    stage = usdsim.convert(source, target="mujoco", joint_drive={"stiffness": 30.0, "damping": 2.0})
    UsdPhysics.DriveAPI(prim(stage, "shoulder"), "angular").GetStiffnessAttr().Set(math.radians(60))
    model = usdsim.load_model(stage)
    assert model.low.actuator_gainprm[0, 0] == pytest.approx(60.0, rel=1e-6)


def test_what_is_authored_stays_and_foreign_stages_have_targets_too(tmp_path):
    stage = Usd.Stage.CreateNew(str(tmp_path / "in.usda"))
    stage.SetDefaultPrim(stage.DefinePrim("/robot", "Xform"))
    for name in ("a", "b"):
        UsdPhysics.RigidBodyAPI.Apply(stage.DefinePrim(f"/robot/{name}", "Sphere"))
    hinge = UsdPhysics.RevoluteJoint.Define(stage, "/robot/hinge")
    hinge.CreateBody0Rel().SetTargets(["/robot/a"])
    hinge.CreateBody1Rel().SetTargets(["/robot/b"])
    of = hinge.GetPrim()
    kind = Sdf.ValueTypeNames.Float
    of.CreateAttribute("physxJoint:armature", kind, False).Set(0.25)
    of.CreateAttribute("physxJoint:maxJointVelocity", kind, False).Set(90.0)
    of.CreateAttribute("newton:velocityLimit", kind, False).Set(45.0)
    stage.Save()
    usdsim.convert(tmp_path / "in.usda", tmp_path / "out.usda", target="newton")
    written = Usd.Stage.Open(str(tmp_path / "out.usda"))
    result = prim(written, "hinge")
    assert value(result, "newton:armature") == 0.25
    assert value(result, "newton:velocityLimit") == 45.0
    assert not of.GetAttribute("newton:armature")


def test_followers_are_said_in_both_words_and_follow_once(tmp_path):
    (tmp_path / "two.xml").write_text(
        '<mujoco><worldbody><body><joint name="a"/><geom size="0.1"/><body><joint name="b"/>'
        '<geom size="0.1"/></body></body></worldbody><equality><joint joint1="b" joint2="a" '
        'polycoef="0.1 2 0 0 0"/></equality></mujoco>'
    )
    stage = converted(tmp_path / "two.xml", target="physx").stage
    follower = prim(stage, "b")
    assert value(follower, "physxMimicJoint:rotX:gearing") == pytest.approx(-2.0)
    assert value(follower, "physxMimicJoint:rotX:offset") == pytest.approx(-math.degrees(0.1))
    model = usdsim.load_model(stage)
    assert model.low.neq == 1
    assert [f for f in model.report.findings if f.severity != "info"] == []


def test_what_a_simulator_cannot_read_is_named(tmp_path):
    (tmp_path / "odd.xml").write_text(
        '<mujoco><worldbody><body><joint name="a" stiffness="3"/><geom size="0.1"/></body>'
        '</worldbody><tendon><fixed name="t"><joint joint="a" coef="1"/></fixed></tendon>'
        '<actuator><motor name="m" joint="a"/><position joint="a"/></actuator></mujoco>'
    )
    found = [f for f in converted(tmp_path / "odd.xml", target="physx").report.warnings]
    assert {f.code for f in found} == {"target-omits"}
    text = " ".join(f.message for f in found)
    assert all(word in text for word in ("tendons", "springs", "no servos")) and len(found) == 3
    assert converted(tmp_path / "odd.xml", target="newton").report.warnings == []
    with pytest.raises(InvalidValueError, match="target"):
        converted(tmp_path / "odd.xml", target="gazebo")


def test_the_table_says_each_thing_once():
    for dialect, rows in EVERY.items():
        assert len({row.usd for row in rows}) == len(rows)
        assert set(FIXED.get(dialect, {})) <= {row.spec for row in rows}
        assert all(row.api for row in rows)
