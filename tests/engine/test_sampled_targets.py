"""Drives follow the samples of their targets as simulation time advances."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.engine import compile_scene, create_engine
from usdsim.parser import parse_stage

START, RATE = 10, 50
"""Start time code of the stage, and time codes per second."""


def driven(kind="Prismatic", **samples):
    """A body of 1 kg on one axis with a critically damped drive; samples by name of the target."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 0.1)
    stage.SetTimeCodesPerSecond(RATE)
    stage.SetStartTimeCode(START)
    stage.SetEndTimeCode(START + 2 * RATE)
    UsdPhysics.Scene.Define(stage, "/scene").CreateGravityMagnitudeAttr(0.0)
    body = UsdGeom.Xform.Define(stage, "/body").GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(body)
    mass = UsdPhysics.MassAPI.Apply(body)
    mass.CreateMassAttr(1.0)
    mass.CreateDiagonalInertiaAttr((100.0, 100.0, 100.0))
    joint = getattr(UsdPhysics, f"{kind}Joint").Define(stage, "/joint")
    joint.CreateBody1Rel().SetTargets([body.GetPath()])
    if kind != "Spherical":
        joint.CreateAxisAttr("X")
    axes = {"Prismatic": ["linear"], "Revolute": ["angular"], "Spherical": ["rotX", "rotY", "rotZ"]}
    for axis in axes[kind]:
        drive = UsdPhysics.DriveAPI.Apply(joint.GetPrim(), axis)
        drive.CreateStiffnessAttr(1e4)
        drive.CreateDampingAttr(200.0)
        for name, keys in samples.items():
            if axis == "rotY" or len(axes[kind]) == 1:
                attribute = joint.GetPrim().CreateAttribute(
                    f"drive:{axis}:physics:{name}", Sdf.ValueTypeNames.Float
                )
                for second, value in keys:
                    attribute.Set(value, START + RATE * second)
    return stage


def simulate(stage, device, worlds=1):
    result = parse_stage(stage)
    assert not result.report.warnings
    compiled = compile_scene(result.scene)
    return create_engine(compiled, worlds, device=device), round(1 / compiled.mj.opt.timestep)


def test_a_slide_follows_a_ramp_with_the_lag_of_its_damping(device):
    """A drive with target position r t, and none of velocity, moves at r, late by r kd / kp."""
    sim, second = simulate(driven(targetPosition=[(0, 0.0), (1, 5.0), (2, 5.0)]), device)
    sim.step(second // 2)
    assert sim.read("ctrl")[0, 0] == pytest.approx(0.25, rel=1e-5)
    assert sim.read("qvel")[0, 0] == pytest.approx(0.5, rel=1e-3)
    assert sim.read("qpos")[0, 0] == pytest.approx(0.25 - 0.5 * 200 / 1e4, abs=2e-3)
    sim.step(3 * second // 2)
    assert sim.read("qpos")[0, 0] == pytest.approx(0.5, abs=1e-4)


def test_a_hinge_follows_samples_of_velocity_in_degrees(device):
    stage = driven("Revolute", targetVelocity=[(0, 90.0), (1, 90.0)])
    joint = stage.GetPrimAtPath("/joint")
    joint.GetAttribute("drive:angular:physics:stiffness").Set(0.0)
    sim, second = simulate(stage, device)
    sim.step(second)
    assert sim.read("qvel")[0, 0] == pytest.approx(np.pi / 2, rel=1e-3)


def test_a_ball_turns_to_sampled_angles():
    stage = driven("Spherical", targetPosition=[(0, 0.0), (1, 30.0)])
    sim, second = simulate(stage, "cpu")
    sim.step(2 * second)
    half = np.radians(30.0) / 2
    assert sim.read("qpos")[0] == pytest.approx([np.cos(half), 0, np.sin(half), 0], abs=1e-3)


def test_time_zero_is_the_start_of_the_stage():
    stage = driven(targetPosition=[(-1, 0.0), (1, 4.0)])
    drive = parse_stage(stage).scene.joints[0].dofs[0].drive
    assert drive.target_position == pytest.approx(0.2)
    assert drive.samples.times.tolist() == [-1.0, 1.0]


def test_worlds_have_their_own_time_and_what_is_written_stays(device):
    sim, second = simulate(driven(targetPosition=[(0, 0.0), (1, 5.0)]), device, worlds=3)
    sim.step(second // 2)
    sim.reset([0])
    sim.write("ctrl", 0.1, env_ids=[1], ids=[0])
    sim.step(second // 4)
    assert sim.read("ctrl")[:, 0] == pytest.approx([0.125, 0.1, 0.375], rel=1e-5)
    sim.step(second)
    assert sim.read("qpos")[1, 0] == pytest.approx(0.1, abs=1e-3)
    sim.reset()
    assert sim.read("ctrl")[:, 0] == pytest.approx([0.0] * 3)
    sim.step(second // 4)
    assert sim.read("ctrl")[:, 0] == pytest.approx([0.125] * 3, rel=1e-5)


def test_samples_of_a_drive_that_does_not_act_are_findings():
    stage = driven(targetPosition=[(0, 0.0), (1, 5.0)])
    gain = stage.GetPrimAtPath("/joint").GetAttribute("drive:linear:physics:stiffness")
    gain.Set(1.0, 1)
    gain.Set(2.0, 20)
    found = parse_stage(stage).report.warnings
    assert [finding.attribute for finding in found] == ["drive:linear:physics:stiffness"]
