"""Speed limits of free bodies: closed forms, both engines, single worlds, and the stage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engine_scenes import G, body, scene
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.engine import compile_scene, create_engine
from usdsim.parser import parse_stage

STEP = 0.002


def falling(**values):
    """A body that falls, with its centre of mass beside its origin."""
    return scene([body("/body", com=np.array([0.1, 0.0, 0.0]), **values)], timestep=STEP)


def test_a_falling_body_reaches_its_limit_and_no_more(device):
    sim = create_engine(compile_scene(falling(max_linear_velocity=2.0)), 2, device=device)
    steps = 300
    for _ in range(steps):
        sim.step()
    assert sim.read("qvel")[:, 2] == pytest.approx([-2.0, -2.0], rel=1e-5)
    speeds = np.minimum(np.arange(1, steps + 1) * G * STEP, 2.0)
    assert sim.read("qpos")[:, 2] == pytest.approx(np.full(2, -STEP * speeds.sum()), rel=1e-4)


def test_rotation_slows_down_about_the_centre_of_mass(device):
    description = falling(
        angular_velocity=np.array([0.0, 0.0, 20.0]), max_angular_velocity=5.0,
        linear_velocity=np.array([1.0, -2.0, 0.0]),
    )  # fmt: skip
    description = replace(description, gravity=np.zeros(3))
    sim = create_engine(compile_scene(description), 1, device=device)
    # The centre of mass moves by v + w x c and keeps doing so.
    moving = np.array([1.0, -2.0 + 20.0 * 0.1, 0.0])
    for _ in range(50):
        sim.step()
    position, quat = sim.read("qpos")[0, :3], sim.read("qpos")[0, 3:]
    angle = 2.0 * np.arctan2(quat[3], quat[0])
    assert sim.read("qvel")[0, 5] == pytest.approx(5.0, rel=1e-5)
    assert angle == pytest.approx(50 * STEP * 5.0, rel=1e-3)
    com = position + 0.1 * np.array([np.cos(angle), np.sin(angle), 0.0])
    # The engine moves the origin, so the centre of mass is exact to first order in the step.
    assert com == pytest.approx(np.array([0.1, 0.0, 0.0]) + 50 * STEP * moving, abs=2e-3)


def test_worlds_have_their_own_limits(device):
    sim = create_engine(compile_scene(falling()), 3, device=device)
    assert np.isinf(sim.body_speed_limits).all()
    index = sim.body_speed_limits.shape[1] - 1
    sim.set_body_speed_limits([[[1.0, np.inf]], [[2.0, np.inf]]], env_ids=[0, 2], bodies=[index])
    for _ in range(300):
        sim.step()
    assert sim.read("qvel")[:, 2] == pytest.approx([-1.0, -300 * STEP * G, -2.0], rel=1e-4)


def test_many_steps_at_once_are_those_one_by_one(device):
    compiled = compile_scene(falling(max_linear_velocity=1.0))
    single, many = (create_engine(compiled, 4, device=device) for _ in range(2))
    for _ in range(120):
        single.step()
    many.step(120)
    np.testing.assert_array_equal(single.read("qpos"), many.read("qpos"))
    np.testing.assert_array_equal(single.read("qvel"), many.read("qvel"))


def test_bodies_that_nothing_moves_have_no_limits():
    sim = create_engine(compile_scene(scene([body(fixed=True)])))
    with pytest.raises(UnsupportedError, match="no joint moves it"):
        sim.set_body_speed_limits(1.0, bodies=[0])
    sim = create_engine(compile_scene(falling()), 1, device="cpu")
    with pytest.raises(InvalidValueError):
        sim.set_body_speed_limits(-1.0)


def stage_with_limit(metres: float = 1.0) -> Usd.Stage:
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, metres)
    UsdGeom.SetStageUpAxis(stage, "Z")
    cube = UsdGeom.Cube.Define(stage, "/box").GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(cube)
    UsdPhysics.CollisionAPI.Apply(cube)
    cube.AddAppliedSchema("PhysxRigidBodyAPI")
    floats = Sdf.ValueTypeNames.Float
    cube.CreateAttribute("physxRigidBody:maxLinearVelocity", floats).Set(3.0)
    cube.CreateAttribute("physxRigidBody:maxAngularVelocity", floats).Set(90.0)
    return stage


def test_limits_are_read_in_the_units_of_the_stage():
    result = parse_stage(stage_with_limit(0.01), strict=True)
    found = result.scene.bodies[0]
    assert found.max_linear_velocity == pytest.approx(0.03)
    assert found.max_angular_velocity == pytest.approx(np.pi / 2.0)


def test_links_of_joints_have_limits():
    stage = stage_with_limit()
    joint = UsdPhysics.RevoluteJoint.Define(stage, "/hinge")
    joint.CreateBody1Rel().SetTargets(["/box"])
    result = parse_stage(stage, strict=True)
    assert result.scene.bodies[0].max_linear_velocity == pytest.approx(3.0)


def test_kinematic_bodies_have_none_as_in_physx():
    stage = stage_with_limit()
    UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath("/box")).CreateKinematicEnabledAttr(True)
    result = parse_stage(stage, strict=True)
    assert np.isinf(result.scene.bodies[0].max_linear_velocity)
    notes = {note.attribute for note in result.report.by_code("foreign-setting")}
    assert "physxRigidBody:maxLinearVelocity" in notes


def test_limits_act_only_where_physx_is_among_the_dialects():
    result = parse_stage(stage_with_limit(), precedence=("physics",))
    assert np.isinf(result.scene.bodies[0].max_linear_velocity)
