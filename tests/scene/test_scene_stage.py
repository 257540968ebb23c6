"""Stages that were never another file: names from prims, drives, and what the model keeps."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from pxr import Gf, Usd, UsdGeom, UsdPhysics

import usdsim
from usdsim.core.errors import (
    InvalidValueError,
    ParseError,
    StageError,
    UnknownNameError,
    UnsupportedError,
)
from usdsim.parser.report import Finding
from usdsim.scene import PidActuator, SceneData, load_mjcf_str, load_model
from usdsim.usd import create_stage

ARM = """
    def Xform "{side}" {{
        def Cube "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{
            float physics:mass = 1
            double3 xformOp:translate = (0, {y}, 1)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }}
        def Cube "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{
            float physics:mass = 1
            double3 xformOp:translate = (2, {y}, 1)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }}
        def PhysicsFixedJoint "anchor" {{
            rel physics:body1 = </World/{side}/base>
            point3f physics:localPos0 = (0, {y}, 1)
        }}
        def PhysicsRevoluteJoint "elbow_{side}" (
            prepend apiSchemas = ["PhysicsDriveAPI:angular"]
        ) {{
            uniform token physics:axis = "Z"
            rel physics:body0 = </World/{side}/base>
            rel physics:body1 = </World/{side}/arm>
            point3f physics:localPos0 = (2, 0, 0)
            float physics:lowerLimit = -90
            float physics:upperLimit = 90
            float drive:angular:physics:stiffness = 40
            float drive:angular:physics:damping = 4
            float drive:angular:physics:targetPosition = 10
        }}
    }}
"""
STAGE = (
    '#usda 1.0\n(\ndefaultPrim = "World"\nmetersPerUnit = 1\nupAxis = "Z"\n)\n'
    'def PhysicsScene "Scene" {\nvector3f physics:gravityDirection = (0, 0, -1)\n'
    "float physics:gravityMagnitude = 0\n}\n"
    'def Xform "World" {\n' + ARM.format(side="left", y=0) + ARM.format(side="right", y=5) + "}"
)


@pytest.fixture(scope="module")
def model() -> usdsim.SceneModel:
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(STAGE)
    return load_model(stage)


def test_names_are_leaves_where_unique_and_paths_elsewhere(model):
    assert model.joint_names == ["elbow_left", "elbow_right"]
    assert sorted(model.link_names) == [
        "/World/left/arm",
        "/World/left/base",
        "/World/right/arm",
        "/World/right/base",
    ]
    assert model.get_joint("elbow_left") is model.get_joint("/World/left/elbow_left")
    assert model.get_link("/World/right/arm").path == "/World/right/arm"
    with pytest.raises(UnknownNameError, match=r"not unique.*/World/left/arm"):
        model.get_link("arm")
    with pytest.raises(UnknownNameError, match="'elbow_left'"):
        model.get_joint("elbow_lef")


def test_model_keeps_what_it_was_made_from(model):
    assert model.stage.GetPrimAtPath("/World/left/arm")
    assert model.description.bodies[0].path == "/World/left/base"
    assert model.report is not None and model.conversion is None
    assert model.low.nv == 2 and "4 links" in repr(model)


def test_drives_are_actuators_with_targets(model):
    elbow, drive = model.joints[0], model.actuators[0]
    assert isinstance(drive, PidActuator) and drive.typ == "pid"
    assert (drive.target_type, drive.target_name, drive.num_ctrls) == ("joint", "elbow_left", 1)
    assert model.num_actuators == 2 and model.num_ctrls == 2
    data = SceneData(model, batch=(2,))
    np.testing.assert_allclose(drive.get_ctrl(data), [np.deg2rad(10)] * 2, rtol=1e-6)
    drive.set_ctrl(data, [-0.5, 0.5])
    model.step_n(data, 3000)
    np.testing.assert_allclose(elbow.get_dof_pos(data)[:, 0], [-0.5, 0.5], atol=1e-3)
    per_radian = np.rad2deg(1.0)
    np.testing.assert_allclose(drive.get_kp_override(data), 40 * per_radian, rtol=1e-5)
    np.testing.assert_allclose(drive.get_kd_override(data), 4 * per_radian, rtol=1e-5)
    data.reset()
    np.testing.assert_allclose(drive.get_ctrl(data)[0], np.deg2rad(10), rtol=1e-6)


def test_drives_take_all_their_inputs(model):
    drive = model.actuators[1]
    data = SceneData(model, batch=(2,))
    data.actuator_ctrls = [0.3, 0.0]
    drive.set_targets(data, position=0.1, velocity=[0.2, 0.4], feedforward=-1.0)
    np.testing.assert_allclose(drive.get_targets(data), [[0.1, 0.2, -1], [0.1, 0.4, -1]], rtol=1e-6)
    np.testing.assert_allclose(data.actuator_ctrls, [[0.3, 0.1]] * 2, rtol=1e-6)
    drive.set_ctrl(data[1], 0.7)
    np.testing.assert_allclose(drive.get_targets(data)[1], [0.7, 0.4, -1], rtol=1e-6)
    with pytest.raises(InvalidValueError, match="velocity target of actuator"):
        drive.set_targets(data, position=0.9, velocity=np.nan)
    np.testing.assert_allclose(data.actuator_ctrls[:, 1], [0.1, 0.7], rtol=1e-6)


def test_an_actuator_without_an_input_says_so():
    servo = """<mujoco><worldbody><body><joint name="hinge"/><geom size="0.1"/></body></worldbody>
        <actuator><pid joint="hinge" kp="2"/></actuator></mujoco>"""
    model = load_mjcf_str(servo)
    data = SceneData(model)
    assert model.num_ctrls == 2, "as the bare engine has it"
    with pytest.raises(UnsupportedError, match="no feedforward input"):
        model.actuators[0].set_targets(data, position=1.0, feedforward=1.0)
    np.testing.assert_array_equal(data.actuator_ctrls, 0)


def test_a_drive_without_stiffness_is_controlled_by_velocity():
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(
        STAGE.replace("drive:angular:physics:stiffness = 40", "drive:angular:physics:stiffness = 0")
    )
    model = load_model(stage)
    data = SceneData(model)
    model.actuators[0].set_ctrl(data, 0.25)
    np.testing.assert_allclose(model.actuators[0].get_targets(data)[1], 0.25)


def test_bodies_of_two_trees_do_not_mix(model):
    left, right = model.bodies
    assert [link.body for link in model.links].count(left) == left.num_links == 2
    assert [a.name for a in right.actuators] == ["elbow_right"]
    data = SceneData(model)
    right.set_dof_pos(data, [0.25], include_floatingbase=False)
    np.testing.assert_allclose(data.dof_pos, [0, 0.25])
    right.set_actuator_ctrls(data, [0.5])
    np.testing.assert_allclose(data.actuator_ctrls[1], 0.5)


def test_joint_frames(model):
    """The arm's origin is the joint's: it turns on the spot about the parent's z axis."""
    data = SceneData(model)
    model.get_joint("elbow_right").set_dof_pos(data, [np.pi / 2])
    pose = model.get_link("/World/right/arm").get_pose(data)
    np.testing.assert_allclose(pose, [2, 5, 1, 0, 0, np.sqrt(0.5), np.sqrt(0.5)], atol=1e-6)
    np.testing.assert_allclose(model.joints[0].axis, [0, 0, 1], atol=1e-7)
    np.testing.assert_allclose(model.joint_limits, [[-np.pi / 2] * 2, [np.pi / 2] * 2], rtol=1e-6)


def test_stages_without_physics_are_refused(tmp_path):
    with pytest.raises(ParseError, match="no rigid body"):
        load_model(Usd.Stage.CreateInMemory())
    (tmp_path / "torn.usda").write_text('#usda 1.0\ndef Xform "a" (references = @gone.usda@) {}')
    with pytest.raises(StageError, match="gone"):
        load_model(tmp_path / "torn.usda")


def test_strict_lists_what_is_not_understood():
    stage = Usd.Stage.CreateInMemory()
    text = STAGE.replace("physics:mass = 1", "physics:mass = 1\n float physxRigidBody:unheard = 3")
    text = text.replace('"PhysicsMassAPI"]', '"PhysicsMassAPI", "PhysxRigidBodyAPI"]')
    stage.GetRootLayer().ImportFromString(text)
    assert load_model(stage).report.warnings
    with pytest.raises(ParseError, match="unheard"):
        load_model(stage, strict=True)


def test_models_with_findings_about_values_can_be_copied():
    stage = create_stage()
    ball = UsdGeom.Sphere.Define(stage, "/World/ball")
    UsdPhysics.RigidBodyAPI.Apply(ball.GetPrim())
    UsdPhysics.CollisionAPI.Apply(ball.GetPrim())
    model = load_model(stage)
    value = Gf.Quatf(1.0, 0.0, 0.0, 0.0)
    found = Finding("warning", "odd", "/World/ball", "looks odd", "orientation", value)
    model.report.findings.append(found)
    copy = pickle.loads(pickle.dumps(model))
    again = copy.report.findings[-1]
    assert again.value == str(value) and again.message == found.message and found.value is value
    assert copy.num_links == 1
