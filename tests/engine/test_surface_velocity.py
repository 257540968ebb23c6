"""Conveyors: surfaces that move while their bodies stand still."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pxr import Gf, Sdf, UsdGeom, UsdPhysics, UsdShade

from usdsim.engine import compile_scene, create_engine
from usdsim.parser import parse_stage

sys.path.insert(0, str(Path(__file__).parent.parent / "parser"))
from parser_builders import about, body, new_stage, shape

G = 9.81
API = "PhysxSurfaceVelocityAPI"


def material(stage, friction):
    shader = UsdShade.Material.Define(stage, "/material")
    api = UsdPhysics.MaterialAPI.Apply(shader.GetPrim())
    api.CreateDynamicFrictionAttr(friction)
    api.CreateStaticFrictionAttr(friction)
    return shader


def surface(prim, linear=None, angular=None, **flags):
    prim.AddAppliedSchema(API)
    for name, value in (("Velocity", linear), ("AngularVelocity", angular)):
        if value is not None:
            kind = Sdf.ValueTypeNames.Vector3f
            full = f"physxSurfaceVelocity:surface{name}"
            prim.CreateAttribute(full, kind).Set(Gf.Vec3f(*map(float, value)))
    for name, value in flags.items():
        full = f"physxSurfaceVelocity:surfaceVelocity{name}"
        prim.CreateAttribute(full, Sdf.ValueTypeNames.Bool).Set(value)


def belt(friction=0.5, at=(0.0, 0.0), up="Z", meters=1.0, turn=None, **motion):
    """A kinematic slab whose top is at height zero, and a box of 0.2 m on it."""
    stage = new_stage(up=up, meters=meters)
    UsdPhysics.Scene.Define(stage, "/scene")
    look = material(stage, friction)

    def put(x, y, z):
        point = (x, y, z) if up == "Z" else (x, z, -y)
        return tuple(value / meters for value in point)

    def half(x, y, z):
        return tuple(value / meters for value in ((x, y, z) if up == "Z" else (x, z, y)))

    slab = body(stage, "/belt", pos=put(0, 0, -0.5), turn=turn, mass=None)
    UsdPhysics.RigidBodyAPI(slab).CreateKinematicEnabledAttr(True)
    shape(stage, "/belt/shape", pos=put(0.3, 0, 0), scale=half(6, 6, 0.5))
    body(stage, "/box", pos=put(*at, 0.1), mass=1.0)
    shape(stage, "/box/shape", scale=half(0.1, 0.1, 0.1))
    for path in ("/belt/shape", "/box/shape"):
        UsdShade.MaterialBindingAPI.Apply(stage.GetPrimAtPath(path)).Bind(
            look, materialPurpose="physics"
        )
    surface(slab, **motion)
    return stage


def run(stage, seconds, device="cpu"):
    compiled = compile_scene(parse_stage(stage).scene)
    sim = create_engine(compiled, 1, device=device)
    sim.step(round(seconds / compiled.mj.opt.timestep))
    box = compiled.names.find("body", "/box")
    return sim, np.array(sim.read("xpos")[0, box]), np.array(sim.read("qvel")[0, :6])


@pytest.mark.parametrize(("friction", "speed"), [(0.5, 1.0), (0.2, 0.5), (0.3, 1.0)])
def test_a_box_reaches_the_speed_of_a_belt_within_the_distance_of_friction(device, friction, speed):
    after = 1.2
    _, pos, vel = run(belt(friction, linear=(speed, 0, 0)), after, device)
    assert vel[:3] == pytest.approx([speed, 0, 0], abs=2e-3)
    # It slips for v / (mu g) and falls back by half of what the belt moves in that time.
    lag = speed**2 / (2 * friction * G)
    assert speed * after - pos[0] == pytest.approx(lag, rel=0.05, abs=2e-3)


def test_a_box_that_slips_is_pulled_by_friction(device):
    friction, speed, after = 0.2, 2.0, 0.5
    _, pos, vel = run(belt(friction, linear=(speed, 0, 0)), after, device)
    assert vel[0] == pytest.approx(friction * G * after, rel=0.03)
    assert pos[0] == pytest.approx(0.5 * friction * G * after**2, rel=0.05)


def test_a_turntable_carries_a_box_round(device):
    after, rate, radius = 1.0, 1.0, 0.5
    stage = belt(1.0, at=(radius, 0), angular=(0, 0, np.degrees(rate)))
    _, pos, vel = run(stage, after, device)
    assert np.hypot(pos[0], pos[1]) == pytest.approx(radius, abs=0.01)
    assert np.hypot(vel[0], vel[1]) == pytest.approx(rate * radius, rel=0.02)
    assert vel[5] == pytest.approx(rate, rel=0.02)
    # It lags by what it slips at first.
    assert np.arctan2(pos[1], pos[0]) == pytest.approx(rate * after, abs=0.05)


@settings(max_examples=10)
@given(
    angle=st.floats(-180, 180), local=st.booleans(), up=st.sampled_from("ZY"),
    meters=st.sampled_from([1.0, 0.01]), speed=st.floats(0.2, 1.0),
)  # fmt: skip
def test_axes_and_units_of_a_belt(angle, local, up, meters, speed):
    turn = about((0, 0, 1) if up == "Z" else (0, 1, 0), angle)
    stage = belt(0.8, up=up, meters=meters, turn=turn, linear=(speed / meters, 0, 0),
                 LocalSpace=local)  # fmt: skip
    _, _, vel = run(stage, 0.5)
    heading = np.radians(angle) if local else 0.0
    expected = speed * np.array([np.cos(heading), np.sin(heading), 0.0])
    assert vel[:3] == pytest.approx(expected, abs=5e-3)


def test_scale_multiplies_a_velocity_in_the_axes_of_the_body():
    stage = belt(0.8, linear=(0.25, 0, 0))
    prim = stage.GetPrimAtPath("/belt")
    UsdGeom.Xformable(prim).AddScaleOp().Set(Gf.Vec3f(2, 2, 1))
    assert run(stage, 0.5)[2][0] == pytest.approx(0.5, abs=2e-3)


def test_a_belt_that_is_switched_off_stands_still():
    assert run(belt(linear=(1, 0, 0), Enabled=False), 0.3)[2] == pytest.approx(
        np.zeros(6), abs=1e-3
    )


def test_belts_differ_between_worlds(device):
    compiled = compile_scene(parse_stage(belt(0.8, linear=(0.5, 0, 0))).scene)
    sim = create_engine(compiled, 3, device=device)
    geom = compiled.names.find("geom", "/belt/shape")
    rows = np.zeros((3, 1, 6))
    rows[:, 0, 0] = speeds = [0.5, -0.25, 0.0]
    sim.set_param("geom_surfacevel", rows, ids=[geom])
    sim.step(round(0.5 / compiled.mj.opt.timestep))
    assert sim.read("qvel")[:, 0] == pytest.approx(speeds, abs=2e-3)


def test_a_surface_without_a_body_is_a_finding():
    stage = new_stage()
    UsdPhysics.Scene.Define(stage, "/scene")
    surface(shape(stage, "/floor"), linear=(1, 0, 0))
    findings = parse_stage(stage).report.by_code("unsupported")
    assert [finding.path for finding in findings] == ["/floor"]
    assert "physics:kinematicEnabled" in findings[0].message
