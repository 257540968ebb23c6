"""Kinematic bodies carry what rests on them, and hit with their speed."""

from __future__ import annotations

import numpy as np
import pytest
from engine_scenes import body, geom, pose, scene
from pxr import Gf, Usd, UsdGeom, UsdPhysics

from usdsim.core.errors import InvalidValueError
from usdsim.engine import compile_scene, create_engine
from usdsim.math.rotations import quat_from_wxyz
from usdsim.math.time_samples import PoseSamples
from usdsim.parser import parse_stage
from usdsim.parser.description import MaterialDescription, Pose

G = 9.81


def slab(device, friction=1.0, at=(0.0, 0.0, 0.1), worlds=1, gravity=G):
    """A kinematic slab whose top is at height zero, and a box of 0.2 m on it."""
    look = MaterialDescription(path="/look", dynamic_friction=friction, static_friction=friction)
    bodies = [body("/slab", pose((0, 0, -0.5)), kinematic=True), body("/box", pose(at))]
    shapes = [
        geom("/slab/shape", 0, "box", (4, 4, 0.5), material=0),
        geom("/box/shape", 1, "box", (0.1, 0.1, 0.1), material=0),
    ]
    description = scene(
        bodies, geoms=shapes, materials=(look,), gravity=np.array([0.0, 0.0, -gravity])
    )
    compiled = compile_scene(description)
    sim = create_engine(compiled, worlds, device=device)
    ids = [compiled.names.find("body", path) for path in ("/slab", "/box")]
    return sim, *ids, round(1.0 / compiled.mj.opt.timestep)


def move(sim, slab_id, velocity):
    sim.set_kinematic_velocity(np.asarray(velocity, dtype=float)[..., None, :], None, [slab_id])


def test_a_slab_moved_by_poses_carries_a_box(device):
    sim, slab_id, box, second = slab(device)
    for i in range(second):
        sim.write("mocap_pos", [-0.2 * (i + 1) / second, 0.0, -0.5])
        sim.step()
    assert sim.read("xpos")[0, slab_id, 0] == pytest.approx(-0.2, abs=1e-6)
    slip = 0.2**2 / (2 * G)
    assert sim.read("xpos")[0, box, 0] == pytest.approx(-0.2 + slip, abs=1e-3)
    assert sim.read("cvel")[0, slab_id, 3] == pytest.approx(-0.2, rel=1e-4)
    sim.step(second // 5)
    assert sim.read("cvel")[0, slab_id, 3] == 0.0
    assert sim.read("qvel")[0, 0] == pytest.approx(0.0, abs=1e-3)


def test_a_pose_is_reached_evenly_within_a_call(device):
    sim, slab_id, box, second = slab(device)
    sim.step(5)
    sim.write("mocap_pos", [0.05, 0.0, -0.5])
    sim.step(second // 5)
    assert sim.read("xpos")[0, slab_id, 0] == pytest.approx(0.05, abs=1e-6)
    assert sim.read("xpos")[0, box, 0] == pytest.approx(0.05 - 0.25**2 / (2 * G), abs=1e-3)


def test_a_turntable_takes_a_box_round(device):
    sim, slab_id, box, second = slab(device, at=(0.5, 0.0, 0.1))
    move(sim, slab_id, [0, 0, 0, 0, 0, 1.0])
    sim.step(second)
    found = sim.read("xpos")[0, box]
    assert np.hypot(*found[:2]) == pytest.approx(0.5, abs=0.01)
    assert np.arctan2(found[1], found[0]) == pytest.approx(1.0, abs=0.04)
    half = sim.read("xquat")[0, slab_id]
    assert half == pytest.approx([np.cos(0.5), 0, 0, np.sin(0.5)], abs=1e-5)


def test_a_lift_takes_a_box_to_its_height(device):
    sim, slab_id, box, second = slab(device)
    rest = float(sim.read("xpos")[0, box, 2])
    move(sim, slab_id, [0, 0, 0.4, 0, 0, 0])
    sim.step(second)
    # Twice the contact's time constant times the speed.
    lag = 2 * float(sim.compiled.mj.geom_solref[0, 0]) * 0.4
    assert rest + 0.4 - sim.read("xpos")[0, box, 2] <= 1.2 * lag
    move(sim, slab_id, np.zeros(6))
    sim.step(second // 2)
    assert sim.read("xpos")[0, box, 2] == pytest.approx(rest + 0.4, abs=2e-4)


def test_a_pusher_hits_with_its_speed(device):
    sim, slab_id, _, second = slab(device, at=(4.3, 0.0, -0.5), gravity=0.0)
    move(sim, slab_id, [0.5, 0, 0, 0, 0, 0])
    sim.step(second)
    assert sim.read("qvel")[0, 0] == pytest.approx(0.5, rel=0.02)


def test_worlds_move_on_their_own_and_start_anew(device):
    sim, slab_id, box, second = slab(device, worlds=3)
    speeds = np.array([0.2, -0.1, 0.0])
    rows = np.zeros((3, 6))
    rows[:, 0] = speeds
    move(sim, slab_id, rows)
    sim.step(second // 2)
    assert sim.read("xpos")[:, slab_id, 0] == pytest.approx(speeds / 2, abs=1e-5)
    assert sim.read("qvel")[:, 0] == pytest.approx(speeds, abs=1e-3)
    sim.reset([0])
    assert sim.read("cvel")[:, slab_id, 3] == pytest.approx([0.0, -0.1, 0.0])
    sim.write("mocap_pos", [0.3, 0.0, -0.5], env_ids=[0])
    sim.step(5)
    # A pose written after a reset places the body.
    assert sim.read("qvel")[0, 0] == pytest.approx(0.0, abs=1e-6)
    assert sim.read("xpos")[0, box, 0] == pytest.approx(0.0, abs=1e-6)


def test_what_is_no_number_is_refused(device):
    sim, slab_id, _, _ = slab(device)
    with pytest.raises(InvalidValueError, match="finite"):
        move(sim, slab_id, [np.nan, 0, 0, 0, 0, 0])
    assert not sim.read("cvel")[0, slab_id].any()


@pytest.mark.parametrize("together", [True, False])
def test_animated_bodies_follow_their_own_samples(device, together):
    """Three boxes, of which two share their times, turn and travel in worlds put elsewhere."""
    random = np.random.default_rng(0)
    times = [np.array([0.0, 0.1, 0.3]), np.array([0.0, 0.1, 0.3]), np.array([0.0, 0.05, 0.2, 0.3])]
    samples = []
    for own in times[:2] if together else times:
        quat = np.array([0, 0, 0, 1.0]) + 0.2 * random.normal(size=(len(own), 4))
        quat /= np.linalg.norm(quat, axis=1, keepdims=True)
        samples.append(PoseSamples(times=own, pos=random.normal(size=(len(own), 3)), quat=quat))
    bodies = []
    for i, one in enumerate(samples):
        at, turn = one.at(0.0)
        place = Pose(at, turn)
        bodies.append(body(f"/b{i}", place, kinematic=True, samples=one))
    shapes = [geom(f"/b{i}/s", i, "box", (0.1, 0.1, 0.1)) for i in range(len(samples))]
    compiled = compile_scene(scene(bodies, geoms=shapes))
    sim = create_engine(compiled, 2, device=device)
    for count in (30, 45, 100):
        sim.step(count)
        now = float(np.asarray(sim.time)[0])
        for i, one in enumerate(samples):
            pos, quat = one.at(now)
            found = sim.read("xpos")[:, 1 + i], quat_from_wxyz(sim.read("xquat")[:, 1 + i])
            assert found[0] == pytest.approx(np.tile(pos, (2, 1)), abs=1e-5)
            assert np.abs(found[1] @ quat) == pytest.approx(1.0, abs=1e-6)


def animated(kinematic):
    """A table that travels 0.5 m in two seconds from time code 1 on, and a box on it."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(24)
    stage.SetStartTimeCode(1)
    stage.SetEndTimeCode(49)
    UsdPhysics.Scene.Define(stage, "/scene")
    for path, height, scale in (("/table", -0.5, (3, 3, 0.5)), ("/box", 0.1, (0.1, 0.1, 0.1))):
        cube = UsdGeom.Cube.Define(stage, path)
        move = cube.AddTranslateOp()
        move.Set(Gf.Vec3d(0, 0, height))
        cube.AddScaleOp().Set(Gf.Vec3f(*scale))
        UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
        if path == "/box" or kinematic:
            rigid = UsdPhysics.RigidBodyAPI.Apply(cube.GetPrim())
            rigid.CreateKinematicEnabledAttr(path == "/table")
        if path == "/table":
            move.Set(Gf.Vec3d(0, 0, -0.5), 1)
            move.Set(Gf.Vec3d(0.5, 0, -0.5), 49)
    return stage


@pytest.mark.parametrize("kinematic", [True, False])
def test_animated_transforms_are_followed_and_carry(device, kinematic):
    result = parse_stage(animated(kinematic))
    assert not result.report.warnings
    compiled = compile_scene(result.scene)
    sim = create_engine(compiled, 2, device=device)
    table, box = (compiled.names.find("body", path) for path in ("/table", "/box"))
    for _ in range(2):
        sim.step(round(0.5 / compiled.mj.opt.timestep))
        assert sim.read("xpos")[:, table, 0] == pytest.approx(0.125, abs=1e-5)
        assert sim.read("qvel")[:, 0] == pytest.approx(0.25, abs=1e-3)
        assert sim.read("xpos")[0, box, 0] == pytest.approx(0.125 - 0.25**2 / G, abs=2e-3)
        sim.reset()
        assert sim.read("xpos")[:, table, 0] == pytest.approx(0.0, abs=1e-7)


def test_samples_that_cannot_act_are_findings():
    stage = animated(True)
    prim = stage.GetPrimAtPath("/box")
    mass = UsdPhysics.MassAPI.Apply(prim).CreateMassAttr()
    mass.Set(1.0, 1)
    mass.Set(2.0, 10)
    op = UsdGeom.Xformable(prim).GetOrderedXformOps()[0]
    op.Set(Gf.Vec3d(0, 0, 0.1), 1)
    op.Set(Gf.Vec3d(1, 0, 0.1), 10)
    found = parse_stage(stage).report.by_code("unsupported")
    assert {(f.path, f.attribute) for f in found} == {
        ("/box", "physics:mass"), ("/box", "xformOp:translate"),
    }  # fmt: skip


@pytest.mark.parametrize("speed", [0.1, 0.4, 1.0])
def test_what_a_lift_carries_is_where_the_lift_is(device, speed):
    """To a tenth of a millimetre once it moves evenly, and it weighs there what it weighs."""
    sim, slab_id, box, second = slab(device)
    sim.step(second // 4)
    rest = float(sim.read("xpos")[0, box, 2])
    move(sim, slab_id, [0, 0, speed, 0, 0, 0])
    sim.step(second // 2)
    assert sim.read("xpos")[0, slab_id, 2] == pytest.approx(-0.5 + speed / 2, abs=1e-6)
    assert sim.read("xpos")[0, box, 2] == pytest.approx(rest + speed / 2, abs=1e-4)
    assert sim.read("qfrc_constraint")[0, 2] == pytest.approx(G, rel=1e-3)
    assert sim.read("qvel")[0, 2] == pytest.approx(speed, rel=1e-3)


def test_what_a_lift_leaves_behind_falls(device):
    """A floor that drops at once is met again after v^2 / 2g of free fall."""
    sim, slab_id, box, second = slab(device)
    sim.step(second // 4)
    move(sim, slab_id, [0, 0, -0.4, 0, 0, 0])
    gaps = []
    for _ in range(second // 2):
        sim.step()
        gaps.append(float(sim.read("xpos")[0, box, 2] - sim.read("xpos")[0, slab_id, 2]) - 0.6)
    assert max(gaps) == pytest.approx(0.4**2 / (2 * G), rel=0.07)
    assert gaps[-1] == pytest.approx(0.0, abs=2e-3)


def test_a_pusher_touches_what_it_pushes(device):
    sim, slab_id, box, second = slab(device, at=(4.3, 0.0, -0.5), gravity=0.0)
    move(sim, slab_id, [0.5, 0, 0, 0, 0, 0])
    sim.step(second)
    apart = sim.read("xpos")[0, box, 0] - sim.read("xpos")[0, slab_id, 0] - 4.1
    assert apart == pytest.approx(0.0, abs=1e-4)
