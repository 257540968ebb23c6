"""Velocities of jointed bodies become velocities of their joints."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from parser_builders import about, body, joint, new_stage, parse, shape
from pxr import Gf, Sdf, UsdGeom, UsdPhysics

from usdsim.engine import CpuEngine, compile_scene
from usdsim.parser import parse_stage


def spin(prim, degrees, velocity=None):
    api = UsdPhysics.RigidBodyAPI(prim)
    api.CreateAngularVelocityAttr(Gf.Vec3f(*map(float, degrees)))
    if velocity is not None:
        api.CreateVelocityAttr(Gf.Vec3f(*map(float, velocity)))
    return prim


def door(degrees, velocity=None, **values):
    """A thin door, 1 m wide, hinged upright to the world at its left edge."""
    stage = new_stage()
    scene = UsdPhysics.Scene.Define(stage, "/scene")
    scene.CreateGravityMagnitudeAttr(0.0)
    spin(body(stage, "/door", pos=(0.5, 0, 0), mass=3.0), degrees, velocity)
    shape(stage, "/door/shape", scale=(0.5, 0.01, 1.0))
    joint(
        stage, "/hinge", body1="/door", axis="Z", localPos0=(0, 0, 0), localPos1=(-0.5, 0, 0),
        **values,
    )  # fmt: skip
    return stage


def test_a_hinged_door_swings_with_its_energy():
    sim = CpuEngine(compile_scene(parse(door((0, 0, 90)))))
    rate = np.pi / 2
    assert sim.read("qvel")[0, 0] == pytest.approx(rate, rel=1e-6)
    data = sim.world_data(0)
    mujoco.mj_energyVel(sim.compiled.mj, data)
    about_hinge = 3.0 * (1.0**2 + 0.02**2) / 12 + 3.0 * 0.5**2
    assert data.energy[1] == pytest.approx(0.5 * about_hinge * rate**2, rel=1e-5)
    sim.step(round(1.0 / sim.compiled.mj.opt.timestep))
    assert sim.read("qpos")[0, 0] == pytest.approx(rate, rel=1e-3)


def test_the_linear_velocity_turns_a_hinge_without_angular_one():
    (hinge,) = parse(door((0, 0, 0), (0, 1.0, 0))).joints
    assert hinge.dofs[0].velocity == pytest.approx(2.0)


def test_a_state_of_the_joint_goes_first():
    stage = door((0, 0, 90))
    prim = stage.GetPrimAtPath("/hinge")
    prim.AddAppliedSchema("PhysicsJointStateAPI:angular")
    name = "state:angular:physics:velocity"
    prim.CreateAttribute(name, Sdf.ValueTypeNames.Float).Set(30.0)
    result = parse_stage(stage)
    assert result.scene.joints[0].dofs[0].velocity == pytest.approx(np.radians(30))
    assert [f.attribute for f in result.report.by_code("unsupported")] == [
        "physics:angularVelocity"
    ]


def test_what_no_axis_can_do_is_a_finding():
    result = parse_stage(door((0, 45.0, 90)))
    (finding,) = result.report.by_code("unsupported")
    assert finding.path == "/door" and finding.attribute == "physics:angularVelocity"
    assert "0.7854 rad/s" in finding.message
    assert result.scene.joints[0].dofs[0].velocity == pytest.approx(np.pi / 2)
    assert not parse_stage(door((0, 0, 90))).report.by_code("unsupported")


def test_a_linear_velocity_is_that_of_the_centre_of_mass():
    stage = door((0, 0, 0), (0, 1.0, 0))
    UsdPhysics.MassAPI(stage.GetPrimAtPath("/door")).CreateCenterOfMassAttr((0.25, 0, 0))
    (hinge,) = parse(stage).joints
    assert hinge.dofs[0].velocity == pytest.approx(1.0 / 0.75)


@pytest.mark.parametrize(("stated", "rate"), [(None, 0.0), ((0, 0, 0), -1.0)])
def test_a_carriage_stands_still_where_the_stage_says_so(stated, rate):
    """A slide on a moving slide: carried along unless it is said to stand."""
    stage = new_stage()
    UsdPhysics.Scene.Define(stage, "/scene")
    above = None
    for name in ("bridge", "carriage"):
        shape(stage, f"{body(stage, f'/{name}', mass=1.0).GetPath()}/shape", collides=False)
        joint(stage, f"/to_{name}", "Prismatic", body0=above, body1=f"/{name}", axis="X")
        above = f"/{name}"
    spin(stage.GetPrimAtPath("/bridge"), (0, 0, 0), (1, 0, 0))
    if stated is not None:
        spin(stage.GetPrimAtPath("/carriage"), (0, 0, 0), stated)
    result = parse_stage(stage)
    assert [item.dofs[0].velocity for item in result.scene.joints] == pytest.approx([1.0, rate])
    assert not result.report.findings


@pytest.mark.parametrize(("stated", "relative"), [(None, 0.0), ((0, 0, 0), -np.pi / 2)])
def test_a_ball_is_carried_along_unless_it_is_said_to_stand(stated, relative):
    stage = door((0, 0, 90))
    shape(stage, f"{body(stage, '/bob', pos=(0, 0, 0), mass=1.0).GetPath()}/shape", collides=False)
    joint(
        stage, "/ball", "Spherical", body0="/door", body1="/bob",
        localPos0=(-0.5, 0, 0), localPos1=(0, 0, 0),
    )  # fmt: skip
    if stated is not None:
        spin(stage.GetPrimAtPath("/bob"), stated)
    result = parse_stage(stage)
    turning = CpuEngine(compile_scene(result.scene)).read("qvel")[0, 1:]
    assert turning == pytest.approx([0, 0, relative], abs=1e-6)


@settings(max_examples=25)
@given(
    rates=st.lists(st.floats(-2, 2), min_size=3, max_size=3),
    kinds=st.lists(st.sampled_from(["Revolute", "Prismatic"]), min_size=3, max_size=3),
    axes=st.lists(st.sampled_from("XYZ"), min_size=3, max_size=3),
    angles=st.lists(st.floats(-170, 170), min_size=3, max_size=3),
)
@example([1, -1, 0], ["Revolute"] * 3, ["X"] * 3, [0, 0, 0])
@example([0, 1, -1], ["Revolute"] * 3, ["X"] * 3, [0, 0, 0])
@example([1, -1, 1], ["Prismatic"] * 3, ["Z"] * 3, [0, 0, 0])
def test_chains_move_as_their_bodies_do(rates, kinds, axes, angles):
    """Authored: the velocities that MuJoCo computes for the links of a chain with known rates."""
    stage = new_stage()
    UsdPhysics.Scene.Define(stage, "/scene")
    above = None
    for i in range(3):
        prim = body(stage, f"/link{i}", pos=(0.3 * i, 0.1 * i, 0), turn=about((1, 1, i), angles[i]))
        UsdPhysics.MassAPI.Apply(prim).CreateCenterOfMassAttr((0.1, -0.05, 0.02))
        shape(stage, f"/link{i}/shape", scale=(0.05, 0.05, 0.05), collides=False)
        joint(
            stage, f"/joint{i}", kinds[i], body0=above, body1=f"/link{i}", axis=axes[i],
            localPos0=_seen(stage, above, f"/link{i}")[0],
            localRot0=_seen(stage, above, f"/link{i}")[1],
        )  # fmt: skip
        above = f"/link{i}"
    compiled = compile_scene(parse(stage))
    data = mujoco.MjData(compiled.mj)
    data.qvel[:] = rates
    mujoco.mj_forward(compiled.mj, data)
    for i in range(3):
        moved = np.zeros(6)
        index = compiled.names.find("body", f"/link{i}")
        kind = mujoco.mjtObj.mjOBJ_BODY
        mujoco.mj_objectVelocity(compiled.mj, data, kind, index, moved, False)
        spin(stage.GetPrimAtPath(f"/link{i}"), np.degrees(moved[:3]), moved[3:])
    result = parse_stage(stage)
    assert not result.report.by_code("unsupported")
    found = [axis.velocity for item in result.scene.joints for axis in item.dofs]
    assert CpuEngine(compile_scene(result.scene)).read("qvel")[0] == pytest.approx(found, abs=1e-9)
    assert found == pytest.approx(rates, abs=2e-5)


def _seen(stage, parent, child):
    """Frame of a child in its parent's frame: position and xyzw."""
    cache = UsdGeom.XformCache()
    matrix = cache.GetLocalToWorldTransform(stage.GetPrimAtPath(child))
    if parent:
        matrix = matrix * cache.GetLocalToWorldTransform(stage.GetPrimAtPath(parent)).GetInverse()
    quat = matrix.ExtractRotationQuat()
    return tuple(matrix.ExtractTranslation()), (*quat.GetImaginary(), quat.GetReal())
