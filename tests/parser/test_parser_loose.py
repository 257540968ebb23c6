"""Scenes of loose bodies: time step, sleep."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.core.errors import ParseError
from usdsim.parser import parse_stage


def crowd(count: int) -> Usd.Stage:
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    UsdPhysics.Scene.Define(stage, "/scene")
    for i in range(count):
        cube = UsdGeom.Cube.Define(stage, f"/b{i}")
        cube.AddTranslateOp().Set(Gf.Vec3d(300.0 * i, 0.0, 0.0))
        UsdPhysics.RigidBodyAPI.Apply(cube.GetPrim())
        UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
    return stage


def test_many_loose_bodies_are_stepped_slower_and_the_report_says_so():
    found = parse_stage(crowd(64))
    assert found.scene.timestep == pytest.approx(1.0 / 120.0)
    assert found.report.defaulted["/scene"]["physxScene:timeStepsPerSecond"] == 120.0
    assert parse_stage(crowd(63)).scene.timestep is None
    assert parse_stage(crowd(64), exact=True).scene.timestep is None


@pytest.mark.parametrize("other", ["joint", "rate"])
def test_what_else_is_authored_keeps_its_time_step(other):
    stage = crowd(64)
    if other == "joint":
        joint = UsdPhysics.RevoluteJoint.Define(stage, "/joint")
        joint.CreateBody1Rel().SetTargets(["/b0"])
        assert parse_stage(stage).scene.timestep is None
    else:
        prim = stage.GetPrimAtPath("/scene")
        prim.CreateAttribute("physxScene:timeStepsPerSecond", Sdf.ValueTypeNames.UInt).Set(60)
        assert parse_stage(stage).scene.timestep == pytest.approx(1.0 / 60.0)


def test_sleep_attributes_reach_the_description():
    stage = crowd(2)
    prim = stage.GetPrimAtPath("/b1")
    UsdPhysics.RigidBodyAPI(prim).CreateStartsAsleepAttr(True)
    threshold = prim.CreateAttribute("physxRigidBody:sleepThreshold", Sdf.ValueTypeNames.Float)
    threshold.Set(50.0)  # cm^2/s^2
    first, second = parse_stage(stage, strict=True).scene.bodies
    assert (first.starts_asleep, first.sleep_threshold) == (False, None)
    assert second.starts_asleep
    assert second.sleep_threshold == pytest.approx(5e-3)
    threshold.Set(float(np.inf))
    with pytest.raises(ParseError, match=r"/b1\.physxRigidBody:sleepThreshold"):
        parse_stage(stage)
