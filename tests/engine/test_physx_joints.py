"""Joints of PhysX that couple, pull and rub, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.engine import compile_scene, create_engine
from usdsim.parser import parse_stage

TYPES = Sdf.ValueTypeNames
METERS = 0.1


def stage_of(*kinds, gravity=0.0, speed=0.0):
    """Bodies of 1 kg and 2 kg m^2 on joints to the world; the first one turns."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, METERS)
    UsdPhysics.Scene.Define(stage, "/scene").CreateGravityMagnitudeAttr(gravity / METERS)
    for i, kind in enumerate(kinds):
        prim = UsdGeom.Xform.Define(stage, f"/body{i}").GetPrim()
        UsdGeom.Xformable(prim).AddTranslateOp().Set((10.0 * i, 0.0, 0.0))
        rigid = UsdPhysics.RigidBodyAPI.Apply(prim)
        mass = UsdPhysics.MassAPI.Apply(prim)
        mass.CreateMassAttr(1.0)
        mass.CreateDiagonalInertiaAttr((200.0, 200.0, 200.0))
        if kind == "Free":
            continue
        joint = getattr(UsdPhysics, f"{kind}Joint").Define(stage, f"/joint{i}")
        joint.CreateBody1Rel().SetTargets([prim.GetPath()])
        joint.CreateLocalPos0Attr((10.0 * i, 0.0, 0.0))
        joint.CreateAxisAttr("Z" if kind == "Revolute" else "X")
        if i == 0 and speed:
            rigid.CreateAngularVelocityAttr((0.0, 0.0, float(np.degrees(speed))))
    return stage


def set_values(prim, *apis, **values):
    for api in apis:
        prim.AddAppliedSchema(api)
    for name, value in values.items():
        kind = TYPES.Bool if isinstance(value, bool) else TYPES.Float
        prim.CreateAttribute(name.replace("__", ":"), kind).Set(value)


def couple(stage, kind, ratio, **joints):
    prim = stage.DefinePrim("/coupling", kind)
    for name, path in joints.items():
        prim.CreateRelationship(f"physics:{name}").SetTargets([path])
    set_values(prim, **ratio)
    return prim


def simulate(stage, device, warnings=()):
    result = parse_stage(stage)
    assert [f.code for f in result.report.warnings] == list(warnings)
    compiled = compile_scene(result.scene)
    return create_engine(compiled, 1, device=device), round(1 / compiled.mj.opt.timestep)


def test_a_gear_turns_the_other_way_by_its_ratio(device):
    """Of I w with ratio r, meshing leaves I w / (1 + r^2), as PhysX has it (0.39 of 2 rad/s)."""
    stage = stage_of("Revolute", "Revolute", speed=2.0)
    couple(
        stage, "PhysxPhysicsGearJoint", {"physics__gearRatio": 2.0},
        hinge0="/joint0", hinge1="/joint1",
    )  # fmt: skip
    sim, second = simulate(stage, device)
    sim.step(second)
    first, other = sim.read("qvel")[0]
    assert first == pytest.approx(2.0 / 5.0, rel=0.02)
    assert other == pytest.approx(-2.0 * first, rel=1e-3)
    assert sim.read("qpos")[0, 1] == pytest.approx(-2.0 * sim.read("qpos")[0, 0], abs=2e-3)


def test_a_pinion_moves_its_rack_by_degrees_per_distance(device):
    """A mass m on a rack of p radians per metre adds m / p^2 to the inertia of the pinion."""
    stage = stage_of("Revolute", "Prismatic", speed=2.0)
    couple(
        stage, "PhysxPhysicsRackAndPinionJoint", {"physics__ratio": 5.0},
        hinge="/joint0", prismatic="/joint1",
    )  # fmt: skip
    sim, second = simulate(stage, device)
    sim.step(second)
    per_metre = np.radians(5.0) / METERS
    inertia = 200.0 * METERS**2
    turn, slide = sim.read("qvel")[0]
    assert turn == pytest.approx(2.0 * inertia / (inertia + per_metre**-2), rel=0.02)
    assert slide == pytest.approx(turn / per_metre, rel=1e-3)


def test_a_coupling_of_other_joints_is_a_finding():
    stage = stage_of("Revolute", "Prismatic")
    prim = couple(
        stage, "PhysxPhysicsGearJoint", {"physics__gearRatio": 2.0},
        hinge0="/joint0", hinge1="/joint1",
    )  # fmt: skip
    (finding,) = parse_stage(stage).report.warnings
    assert (finding.path, finding.attribute) == ("/coupling", "physics:hinge1")
    prim.GetRelationship("physics:hinge1").SetTargets(["/nowhere"])
    assert [f.code for f in parse_stage(stage).report.warnings] == ["dangling-joint"]
    prim.CreateAttribute("physics:jointEnabled", TYPES.Bool).Set(False)
    result = parse_stage(stage)
    assert not result.report.warnings and not result.scene.elements


def test_a_mass_on_a_spring_joint_stretches_it_by_its_weight(device):
    """Stretch m g / k beyond the largest distance, and the period of the swing in between."""
    stage = stage_of("Free", gravity=9.81)
    joint = UsdPhysics.DistanceJoint.Define(stage, "/spring")
    joint.CreateBody1Rel().SetTargets(["/body0"])
    joint.CreateLocalPos0Attr((0.0, 0.0, 10.0))
    joint.CreateMinDistanceAttr(5.0)
    joint.CreateMaxDistanceAttr(10.0)
    prefix = "physxPhysicsDistanceJoint__"
    set_values(
        joint.GetPrim(), "PhysxPhysicsDistanceJointAPI",
        **{prefix + "springEnabled": True, prefix + "springStiffness": 100.0},
        **{prefix + "springDamping": 8.0},
    )  # fmt: skip
    sim, second = simulate(stage, device)
    heights = []
    for _ in range(4 * second):
        sim.step()
        heights.append(float(sim.read("qpos")[0, 2]))
    assert heights[-1] == pytest.approx(-9.81 / 100.0, rel=0.01)
    # The first swing of a damped oscillator that starts at its distance: overshoot and time.
    damping, rate = 4.0, np.sqrt(100.0 - 16.0)
    lowest = 9.81 / 100.0 * (1.0 + np.exp(-damping * np.pi / rate))
    assert -min(heights) == pytest.approx(lowest, rel=0.02)
    assert np.argmin(heights) / second == pytest.approx(np.pi / rate, rel=0.05)


def test_joint_friction_stops_a_wheel_as_dry_friction(device):
    """Friction of M on an inertia of I takes M t / I of its speed."""
    stage = stage_of("Revolute", speed=2.0)
    set_values(stage.GetPrimAtPath("/joint0"), "PhysxJointAPI", physxJoint__jointFriction=100.0)
    sim, second = simulate(stage, device, ["approximated"])
    sim.step(second)
    assert sim.read("qvel")[0, 0] == pytest.approx(2.0 - 100.0 * METERS**2 / 2.0, rel=0.01)
    sim.step(4 * second)
    assert sim.read("qvel")[0, 0] == pytest.approx(0.0, abs=1e-3)
