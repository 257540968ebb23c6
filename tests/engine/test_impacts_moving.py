"""Impacts on what moves without a velocity of the engine: kinematic bodies and belts."""

from __future__ import annotations

import numpy as np
import pytest
from engine_scenes import body, geom, pose, scene

from usdsim.engine import compile_scene, create_engine
from usdsim.parser.description import MaterialDescription

R = 0.1


def paddle(device, e, mu, velocity, ball=(0.0, 0.0, R + 0.02), fall=0.0, belt=None, worlds=1):
    """A kinematic slab whose top is at height zero, and a ball above it, without gravity."""
    m = MaterialDescription(path="/m", static_friction=mu, dynamic_friction=mu, restitution=e)
    bodies = [
        body("/slab", pose((0, 0, -0.5)), kinematic=True,
             surface_velocity=np.zeros(6) if belt is None else belt),
        body("/ball", pose(ball), inertia=np.full(3, 0.4 * R**2),
             linear_velocity=np.array([0.0, 0.0, -fall])),
    ]  # fmt: skip
    shapes = [
        geom("/slab/shape", 0, "box", (4, 4, 0.5), material=0),
        geom("/ball/shape", 1, "sphere", (R, 0, 0), material=0),
    ]
    compiled = compile_scene(scene(bodies, (), shapes, materials=(m,), gravity=np.zeros(3)))
    sim = create_engine(compiled, worlds, device=device)
    if velocity is not None:
        rows = np.broadcast_to(np.asarray(velocity, float), (worlds, 6))
        sim.set_kinematic_velocity(rows[:, None], None, [compiled.names.find("body", "/slab")])
    return sim


@pytest.mark.parametrize("e", [0.3, 1.0])
def test_a_paddle_sends_a_ball_off_with_its_own_speed_on_top(device, e):
    sim = paddle(device, e, 0.0, [0, 0, 2.0, 0, 0, 0], fall=1.0)
    sim.step(10)
    # Seen from the paddle the ball comes at 3 m/s.
    assert sim.read("qvel")[0, 2] == pytest.approx(2.0 + 3.0 * e, rel=1e-3)


def test_a_turning_paddle_hits_with_the_speed_of_the_point_that_hits(device):
    sim = paddle(device, 0.5, 0.0, [0, 0, 0, 0, -2.0, 0], ball=(1.0, 0.0, R + 0.002))
    sim.step(4)
    normal = 2.0 * 1.0
    assert np.linalg.norm(sim.read("qvel")[0, :3]) == pytest.approx(1.5 * normal, rel=0.02)


def test_each_world_has_its_paddle(device):
    speeds = np.array([0.0, 1.0, 3.0])
    rows = np.zeros((3, 6))
    rows[:, 2] = speeds
    sim = paddle(device, 0.5, 0.0, rows, fall=1.0, worlds=3)
    sim.step(15)
    assert sim.read("qvel")[:, 2] == pytest.approx(speeds + 0.5 * (1.0 + speeds), rel=1e-3)


@pytest.mark.parametrize(("e", "mu", "speed"), [(0.5, 0.1, 2.0), (0.8, 0.9, 1.0), (1.0, 0.3, 6.0)])
def test_a_belt_pulls_what_bounces_on_it_as_coulomb_has_it(device, e, mu, speed):
    fall = 3.0
    belt = np.array([speed, 0.0, 0.0, 0.0, 0.0, 0.0])
    sim = paddle(device, e, mu, None, fall=fall, belt=belt)
    sim.step(10)
    push = min(mu * (1.0 + e) * fall, speed / 3.5)
    v = sim.read("qvel")[0]
    assert v[[0, 2]] == pytest.approx([push, e * fall], rel=1e-3)
    assert v[4] == pytest.approx(-push * R / (0.4 * R**2), rel=1e-3)


@pytest.mark.parametrize("speed", [0.4, 1.0])
def test_a_lift_of_materials_that_bounce_carries_and_sends_back(device, speed):
    """A box rides where the lift is, and a ball rebounds beside it from where it is, too."""
    m = MaterialDescription(path="/m", static_friction=1.0, dynamic_friction=1.0, restitution=0.5)
    bodies = [
        body("/lift", pose((0, 0, -0.5)), kinematic=True),
        body("/box", pose((0, 0, R))),
        body("/ball", pose((1, 0, R + 0.5)), inertia=np.full(3, 0.4 * R**2)),
    ]
    sizes = ("box", (4, 4, 0.5)), ("box", (R, R, R)), ("sphere", (R, 0, 0))
    shapes = [
        geom(f"{b.path}/shape", i, *size, material=0)
        for i, (b, size) in enumerate(zip(bodies, sizes, strict=True))
    ]
    compiled = compile_scene(scene(bodies, (), shapes, materials=(m,)))
    sim, step = create_engine(compiled, device=device), compiled.mj.opt.timestep
    lift = compiled.names.index("body", "/lift")
    sim.step(50)
    rest, rebounds, before = float(sim.read("qpos")[0, 2]), [], 0.0
    for i in range(round(1.0 / step)):
        # Slowly enough that nothing is thrown.
        now = speed * min(1.0, (i + 1) / 100)
        sim.set_kinematic_velocity([[0, 0, now, 0, 0, 0]], None, [lift])
        sim.step()
        after = float(sim.read("qvel")[0, 8])
        if after > before + 2.0:
            rebounds.append((after - now) / (now - before + 9.81 * step))
        before = after
    height = rest + float(sim.read("xpos")[0, lift, 2]) + 0.5
    assert sim.read("qpos")[0, 2] == pytest.approx(height, abs=1e-4)
    assert sim.read("qfrc_constraint")[0, 2] == pytest.approx(9.81, rel=1e-3)
    # Below that weight within the step of the rebound matters.
    assert rebounds
    assert rebounds == pytest.approx([0.5] * len(rebounds), abs=0.02)


def test_a_moving_slab_rubs_what_bounces_on_it(device):
    sim = paddle(device, 0.6, 0.2, [-3.0, 0, 0, 0, 0, 0], fall=2.0)
    sim.step(12)
    push = min(0.2 * 1.6 * 2.0, 3.0 / 3.5)
    assert sim.read("qvel")[0, [0, 2]] == pytest.approx([-push, 1.2], rel=1e-3)
