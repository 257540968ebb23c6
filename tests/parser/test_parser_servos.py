"""Drives beside actuators: edits of a drive become the gains and the first control of a servo."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parser_builders import converted
from pxr import Usd, UsdPhysics

from usdsim import schemas
from usdsim.core.errors import StageError
from usdsim.engine import compile_scene
from usdsim.parser import parse_stage

GEAR = 2.0
TEXT = """<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 1 0" ref="10"/>
<geom type="capsule" size="0.1 0.2"/><body name="cart"><joint name="slide" type="slide"/>
<geom size="0.1"/><body name="wheel"><joint name="axle"/><geom size="0.1"/></body></body></body>
</worldbody><actuator>
<position name="servo" joint="hinge" kp="30" kv="2" gear="2" forcerange="-5 5"/>
<velocity name="speed" joint="slide" kv="4"/><motor name="motor" joint="axle" gear="3"/>
</actuator></mujoco>"""
DRIVES = {"hinge": "angular", "slide": "linear", "axle": "angular"}


@pytest.fixture
def stage() -> Usd.Stage:
    return converted(TEXT)


def joint(stage: Usd.Stage, name: str) -> Usd.Prim:
    return next(p for p in stage.Traverse() if p.GetName() == name)


def drive(stage: Usd.Stage, name: str) -> UsdPhysics.DriveAPI:
    return UsdPhysics.DriveAPI(joint(stage, name), DRIVES[name])


def compiled(stage: Usd.Stage):
    result = parse_stage(stage)
    return compile_scene(result.scene), result.report


def unsupported(report) -> set[str]:
    return {finding.attribute for finding in report.by_code("unsupported")}


def test_a_drive_that_restates_its_actuator_is_no_finding_and_one_of_another_tool_is(stage):
    assert not parse_stage(stage).report.by_code("superseded-drive")
    for prim in stage.Traverse():
        prim.ClearCustomData()
    told = {finding.path for finding in parse_stage(stage).report.by_code("superseded-drive")}
    assert told == {str(joint(stage, name).GetPath()) for name in ("hinge", "slide")}


@settings(max_examples=25)
@given(
    stiffness=st.none() | st.floats(0.0, 50.0),
    damping=st.none() | st.floats(0.0, 5.0),
    force=st.none() | st.floats(0.5, 500.0),
)
def test_edited_gains_become_those_of_the_servo(stiffness, damping, force):
    stage = converted(TEXT)
    edits = {"Stiffness": stiffness, "Damping": damping, "MaxForce": force}
    for name, value in edits.items():
        if value is not None:
            getattr(drive(stage, "hinge"), f"Get{name}Attr")().Set(value)
    model, report = compiled(stage)
    mj = model.mj
    degrees = 180.0 / np.pi
    kp = 30.0 if stiffness is None else np.float32(stiffness) * degrees / GEAR**2
    kd = 2.0 if damping is None else np.float32(damping) * degrees / GEAR**2
    limit = 5.0 if force is None else np.float32(force) / GEAR
    assert mj.actuator_gainprm[0, 0] == pytest.approx(kp, rel=1e-6)
    assert mj.actuator_biasprm[0, :3] == pytest.approx([0.0, -kp, -kd], rel=1e-6)
    assert mj.actuator_forcerange[0] == pytest.approx([-limit, limit], rel=1e-6)
    assert not report.by_code("conflict")


def test_no_edit_keeps_every_bit(stage):
    model, _ = compiled(stage)
    assert model.mj.actuator_gainprm[:2, 0].tolist() == [30.0, 4.0]
    assert model.mj.actuator_biasprm[0, :3].tolist() == [0.0, -30.0, -2.0]


def test_targets_become_first_controls(stage):
    drive(stage, "hinge").GetTargetPositionAttr().Set(45.0)
    drive(stage, "slide").GetTargetVelocityAttr().Set(0.5)
    model, report = compiled(stage)
    # The servo's travel counts from the joint's own zero, 10 degrees before its rest pose.
    assert model.initial.ctrl[:2] == pytest.approx([GEAR * np.radians(55.0), 0.5])
    assert not unsupported(report)


def test_what_a_servo_cannot_do_is_reported(stage):
    drive(stage, "slide").GetStiffnessAttr().Set(3.0)
    drive(stage, "slide").GetDampingAttr().Set(7.0)
    drive(stage, "hinge").GetTargetVelocityAttr().Set(3.0)
    model, report = compiled(stage)
    assert model.mj.actuator_gainprm[1, 0] == pytest.approx(7.0)
    linear, angular = "drive:linear:physics:", "drive:angular:physics:"
    assert unsupported(report) == {linear + "stiffness", angular + "targetVelocity"}
    drive(stage, "hinge").GetTypeAttr().Set("acceleration")
    assert angular + "type" in unsupported(compiled(stage)[1])


def test_the_dialect_goes_first_where_both_are_edited(stage):
    drive(stage, "hinge").GetStiffnessAttr().Set(1.0)
    servo = joint(stage, "servo")
    servo.GetAttribute("mjc:gainPrm").Set([50.0, *[0.0] * 9])
    servo.GetAttribute("mjc:biasPrm").Set([0.0, -50.0, -2.0, *[0.0] * 7])
    model, report = compiled(stage)
    assert model.mj.actuator_gainprm[0, 0] == 50.0
    assert report.by_code("conflict")


def test_a_drive_that_was_added_acts_beside_a_motor(stage):
    schemas.modify_joint_drive_properties(
        str(joint(stage, "axle").GetPath()), schemas.JointDriveBaseCfg(stiffness=5.0), stage
    )
    model, _ = compiled(stage)
    assert model.mj.nactuator == 4
    assert model.mj.actuator_biasprm[:, 1].min() == pytest.approx(-30.0)
    assert np.isclose(model.mj.actuator_biasprm[:, 1], -5.0).any()


@pytest.mark.parametrize("start", [{}, {"stiffness": 0.0}])
def test_schemas_bring_the_servo_along(stage, start):
    path = str(joint(stage, "hinge").GetPath())
    for values in (start, {"stiffness": 8.0, "damping": 4.0, "max_force": 6.0}):
        schemas.modify_joint_drive_properties(path, schemas.JointDriveBaseCfg(**values), stage)
    servo = joint(stage, "servo")
    assert servo.GetAttribute("mjc:gainPrm").Get()[0] == 2.0
    model, report = compiled(stage)
    assert model.mj.actuator_biasprm[0, :3].tolist() == [0.0, -2.0, -1.0]
    assert model.mj.actuator_forcerange[0].tolist() == [-3.0, 3.0]
    assert not report.warnings


def test_schemas_refuse_what_would_not_compile(stage):
    hinge, slide = (str(joint(stage, name).GetPath()) for name in ("hinge", "slide"))
    before = stage.GetRootLayer().ExportToString()
    for path, values in (
        (hinge, {"drive_type": "acceleration"}),
        (slide, {"stiffness": 1.0}),
        (slide, {"target_position": 1.0}),
    ):
        with pytest.raises(StageError, match="which moves the joint"):
            schemas.modify_joint_drive_properties(path, schemas.JointDriveBaseCfg(**values), stage)
    assert stage.GetRootLayer().ExportToString() == before
