"""PhysxForceAPI against closed forms, which PhysX follows within its own damping."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.engine import compile_scene, create_engine
from usdsim.parser import parse_stage

TYPES = Sdf.ValueTypeNames
METERS = 0.1
MASS, INERTIA = 2.0, 0.5
TURNED = (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)
"""Y in world, and Y of a prim turned by a quarter about Z."""


def pushed(*, below=False, world=False, mode=None, force=(0, 0, 0), torque=(0, 0, 0)):
    """A pushed body, turned by a quarter about Z, with its centre of mass off its origin."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, METERS)
    UsdPhysics.Scene.Define(stage, "/scene").CreateGravityMagnitudeAttr(0.0)
    body = UsdGeom.Xform.Define(stage, "/body")
    body.AddRotateZOp().Set(90.0)
    UsdPhysics.RigidBodyAPI.Apply(body.GetPrim())
    mass = UsdPhysics.MassAPI.Apply(body.GetPrim())
    mass.CreateMassAttr(MASS)
    mass.CreateDiagonalInertiaAttr(Gf.Vec3f(INERTIA / METERS**2))
    mass.CreateCenterOfMassAttr((3.0, 0.0, 0.0))
    prim = body.GetPrim()
    if below:
        child = UsdGeom.Xform.Define(stage, "/body/nozzle")
        child.AddTranslateOp().Set((8.0, 0.0, 0.0))
        prim = child.GetPrim()
    prim.AddAppliedSchema("PhysxForceAPI")
    prim.CreateAttribute("physxForce:force", TYPES.Vector3f).Set(force)
    prim.CreateAttribute("physxForce:torque", TYPES.Vector3f).Set(torque)
    prim.CreateAttribute("physxForce:worldFrameEnabled", TYPES.Bool).Set(world)
    if mode:
        prim.CreateAttribute("physxForce:mode", TYPES.Token).Set(mode)
    return stage


def velocities(stage, device, seconds=0.2):
    """Velocity of the centre of mass and angular velocity in world after some time."""
    result = parse_stage(stage)
    assert not result.report.warnings
    compiled = compile_scene(result.scene)
    sim = create_engine(compiled, 1, device=device)
    sim.step(round(seconds / compiled.mj.opt.timestep))
    found = np.array(sim.read("cvel")[0, 1], dtype=float)
    return found[3:] / seconds, found[:3] / seconds


@pytest.mark.parametrize("world", [True, False])
@pytest.mark.parametrize("mode", ["force", None])
def test_forces_act_at_the_centre_of_mass(device, world, mode):
    """A force of m a, or an acceleration, which is the mode of what says nothing."""
    size = 3.0 / METERS * (MASS if mode else 1.0)
    linear, angular = velocities(pushed(world=world, mode=mode, force=(0, size, 0)), device)
    assert linear == pytest.approx(3.0 * np.array(TURNED[0 if world else 1]), abs=1e-4)
    assert angular == pytest.approx(np.zeros(3), abs=1e-4)


def test_a_force_on_a_prim_below_acts_there_and_turns_with_the_body(device):
    """The lever is 0.5 m, so the torque is half the force."""
    stage = pushed(below=True, mode="force", force=(0, 0.1 / METERS, 0))
    linear, angular = velocities(stage, device)
    assert angular == pytest.approx([0, 0, 0.5 * 0.1 / INERTIA], abs=1e-4)
    assert np.linalg.norm(linear) == pytest.approx(0.1 / MASS, rel=1e-3)


@pytest.mark.parametrize("world", [True, False])
def test_torques_are_angular_accelerations_or_torques(device, world):
    for mode, size in (("acceleration", 0.4), ("force", 0.4 * INERTIA / METERS**2)):
        stage = pushed(world=world, mode=mode, torque=(0, size, 0))
        _, angular = velocities(stage, device)
        assert angular == pytest.approx(0.4 * np.array(TURNED[0 if world else 1]), abs=1e-3)


def test_what_pushes_nothing_is_a_finding():
    stage = pushed(force=(0, 1, 0))
    UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath("/body")).CreateKinematicEnabledAttr(True)
    (finding,) = parse_stage(stage).report.warnings
    assert finding.attribute == "physxForce:force"
    stage = pushed(force=(0, 1, 0))
    stage.GetPrimAtPath("/body").CreateAttribute("physxForce:forceEnabled", TYPES.Bool).Set(False)
    result = parse_stage(stage)
    assert not result.report.warnings and not result.scene.actuators


@pytest.mark.parametrize("world", [True, False])
def test_forces_follow_their_samples(device, world):
    """A push that grows and turns, is switched off for a while, and starts anew with a reset."""
    stage = pushed(world=world)
    stage.SetTimeCodesPerSecond(100.0)
    prim = stage.GetPrimAtPath("/body")
    force, enabled = (
        prim.GetAttribute(f"physxForce:{name}") or prim.CreateAttribute(f"physxForce:{name}", kind)
        for name, kind in (("force", TYPES.Vector3f), ("forceEnabled", TYPES.Bool))
    )
    force.Clear()
    for code, value in ((0.0, (0, 0, 0)), (10.0, (0, 40, 0)), (20.0, (0, 40, 80))):
        force.Set(Gf.Vec3f(value), code)
    for code, value in ((0.0, True), (15.0, False)):
        enabled.Set(value, code)
    linear, _ = velocities(stage, device)
    # [m/s^2]: to 4 within 0.1 s, then 4 for 0.05 s, while that upwards grows to 4.
    y = 0.5 * 4.0 * 0.1 + 4.0 * 0.05
    z = 0.5 * 4.0 * 0.05
    wanted = y * np.array(TURNED[0 if world else 1]) + [0, 0, z]
    assert 0.2 * linear == pytest.approx(wanted, abs=0.01)
