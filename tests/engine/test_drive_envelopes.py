"""Performance envelopes of drives: closed forms on both engines, and the stage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engine_scenes import Z, body, dof, joint, scene
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.engine import compile_scene, create_engine
from usdsim.parser import parse_stage
from usdsim.parser.description import DriveDescription, EnvelopeDescription

STEP, FORCE = 0.002, 5.0


def turned(envelope, velocity=0.0, max_force=FORCE, **values):
    """A disc of inertia 1 that a drive turns as fast as it may, or pushes with what it is given."""
    values = values or {"damping": 1e4, "target_velocity": 1e3}
    drive = DriveDescription(max_force=max_force, envelope=envelope, **values)
    axis = dof("/hinge", axis=Z, drive=drive, velocity=velocity)
    disc = body("/disc", joints=(0,), inertia=np.ones(3))
    return replace(scene([disc], [joint(axis, path="/hinge")], timestep=STEP), gravity=np.zeros(3))


@pytest.mark.parametrize(
    ("envelope", "start", "expected"),
    [
        # Full force up to a speed, and none beyond it.
        (EnvelopeDescription(max_velocity=4.0), 0.0, 4.0),
        # dw/dt = 5 until w = 5, then 10 - w.
        (EnvelopeDescription(max_velocity=10.0, gradient=1.0), 0.0, 10.0 - 5.0 * np.exp(-1.0)),
        # dw/dt = 5 - w.
        (EnvelopeDescription(resistance=1.0), 0.0, 5.0 - 5.0 * np.exp(-2.0)),
        # What turns the other way is braked with 5 - |w|, then driven.
        (EnvelopeDescription(resistance=1.0), -4.0, 5.0 * (1.0 - np.exp(np.log(5.0) - 2.0))),
        # Beyond the largest speed there is no force, also none that brakes.
        (EnvelopeDescription(max_velocity=10.0, gradient=1.0), 12.0, 12.0),
        (None, 0.0, 10.0),
    ],
)
def test_speed_follows_from_the_envelope(envelope, start, expected, device):
    sim = create_engine(compile_scene(turned(envelope, start)), 2, device=device)
    for _ in range(round(2.0 / STEP)):
        sim.step()
    assert sim.read("qvel")[:, 0] == pytest.approx([expected] * 2, rel=4e-3)


@pytest.mark.parametrize("max_force", [FORCE, np.inf])
def test_it_limits_what_a_program_pushes_too(max_force, device):
    """A drive without gains, as explicit actuators have it, and several steps in one call."""
    envelope = EnvelopeDescription(max_velocity=4.0)
    sim = create_engine(
        compile_scene(turned(envelope, max_force=max_force, damping=0.0)), 2, device=device
    )
    sim.write("ctrl", [[3.0]], env_ids=[1], ids=[2])
    sim.step(1000)
    assert sim.read("qvel")[:, 0] == pytest.approx([0.0, 4.0], rel=1e-4)
    assert np.isfinite(sim.param("actuator_forcerange")).all()
    np.testing.assert_array_equal(
        sim.param("actuator_forcerange")[0], sim.compiled.mj.actuator_forcerange
    )


def test_worlds_have_their_own_force_limits_within_it():
    envelope = EnvelopeDescription(resistance=1.0)
    sim = create_engine(compile_scene(turned(envelope)), 2)
    sim.set_param("actuator_forcerange", [[[-2.0, 2.0]]], env_ids=[1])
    sim.step(round(8.0 / STEP))
    assert sim.read("qvel")[:, 0] == pytest.approx([5.0, 2.0], rel=2e-3)


def test_the_attributes_are_read_in_degrees():
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    for name in ("a", "b"):
        prim = UsdGeom.Xform.Define(stage, f"/{name}").GetPrim()
        UsdPhysics.RigidBodyAPI.Apply(prim)
        UsdPhysics.MassAPI.Apply(prim).CreateMassAttr(1.0)
    hinge = UsdPhysics.RevoluteJoint.Define(stage, "/hinge")
    hinge.CreateBody0Rel().SetTargets(["/a"])
    hinge.CreateBody1Rel().SetTargets(["/b"])
    prim = hinge.GetPrim()
    UsdPhysics.DriveAPI.Apply(prim, "angular")
    prefix = "physxDrivePerformanceEnvelope:angular:"
    values = {
        "maxActuatorVelocity": 180.0,
        "speedEffortGradient": 90.0,
        "velocityDependentResistance": 0.5,
    }
    for name, value in values.items():
        prim.CreateAttribute(prefix + name, Sdf.ValueTypeNames.Float, False).Set(value)
    (found,) = parse_stage(stage, strict=True).scene.joints
    envelope = found.dofs[0].drive.envelope
    read = envelope.max_velocity, envelope.gradient, envelope.resistance
    assert read == pytest.approx((np.pi, np.pi / 2.0, 0.5 * 180.0 / np.pi))
    for name, value in zip(values, (np.inf, 0.0, 0.0), strict=True):
        prim.GetAttribute(prefix + name).Set(value)
    (found,) = parse_stage(stage, strict=True).scene.joints
    assert found.dofs[0].drive.envelope is None
