"""Sums of contact forces tell impulses: over a bounce they are the change of momentum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from device_under_test import DEVICE
from engine_scenes import G, body, geom, ground, pose, scene
from hypothesis import example, given, settings
from hypothesis import strategies as st

from usdsim.engine import compile_scene, create_engine
from usdsim.parser.description import WORLD, MaterialDescription
from usdsim.sensors.contact.elements import Filter, address_of, with_contact_sensors

R = 0.1


def summed(bodies, shapes, filters=(), e=0.7, mu=0.4, gravity=G, **values):
    look = MaterialDescription(path="/look", dynamic_friction=mu, static_friction=mu, restitution=e)
    shapes = [replace(shape, material=0) for shape in shapes]
    described = scene(
        bodies, (), shapes, materials=(look,), gravity=np.array([0, 0, -gravity]), **values
    )
    paths = [b.path for b in bodies]
    return compile_scene(with_contact_sensors(described, paths, filters))


def force(sim, path, other=""):
    first = address_of(sim.compiled, path, other)
    return -np.array(sim.read("sensordata")[:, first : first + 3], np.float64)


def momentum(sim, dofs=slice(0, 3)):
    return np.array(sim.read("qvel")[:, dofs], np.float64)


@pytest.mark.parametrize("engine", ["cpu", DEVICE])
@pytest.mark.parametrize("kind", ["sphere", "box"])
@settings(max_examples=8)
@given(
    e=st.floats(0.05, 1.0),
    fall=st.floats(0.5, 6.0),
    speed=st.floats(0.0, 6.0),
    timestep=st.sampled_from([0.001, 0.002, 0.005]),
)
@example(e=0.375, fall=0.5, speed=0.0, timestep=0.005)
def test_forces_over_a_bounce_change_the_momentum(engine, kind, e, fall, speed, timestep):
    size = (R, 0, 0) if kind == "sphere" else (R, R, R)
    shapes = [ground(), geom(kind=kind, size=size)]
    compiled = summed([body(at=pose((0, 0, R + 0.002)))], shapes, e=e, timestep=timestep)
    sim = create_engine(compiled, 2, device=engine)
    sim.write("qvel", [[speed, 0, -fall, 0, 0, 0], [0, 0, -0.5 * fall, 0, 0, 0]])
    before, pushed = momentum(sim), np.zeros((2, 3))
    steps = 25
    for _ in range(steps):
        sim.step()
        pushed += timestep * force(sim, "/body")
    weight = np.array([0, 0, -G * steps * timestep])
    # Forces at rest that single precision finds are some hundredths of the weight off.
    allowed = 0.03 * (fall + speed) + 0.02 * G * steps * timestep
    assert momentum(sim) - before == pytest.approx(pushed + weight, abs=allowed)


def test_balls_push_each_other_and_filters_tell_whom(device):
    bodies = [body("/a", pose((0, 0, 1))), body("/b", pose((0.21, 0, 1)))]
    shapes = [geom(f"/{n}/s", i) for i, n in enumerate("ab")]
    shapes.append(geom("/far", WORLD, pose=pose((9, 0, 0))))
    filters = [Filter("/b", True), Filter("/far", False, ("/far",))]
    sim = create_engine(summed(bodies, shapes, filters, gravity=0.0), device=device)
    sim.write("qvel", [[2.0, 0, 0, 0, 0, 0, -1.0, 0, 0, 0, 0, 0]])
    total = np.zeros((4, 3))
    for _ in range(10):
        sim.step()
        found = [("/a", ""), ("/b", ""), ("/a", "/b"), ("/a", "/far")]
        total += sim.compiled.mj.opt.timestep * np.array([force(sim, *f)[0] for f in found])
    push = 0.5 * 1.7 * 3.0
    assert total[:, 0] == pytest.approx([-push, push, -push, 0.0], rel=1e-4, abs=1e-4)


def test_what_a_pusher_hits_reports_it_once(device):
    bodies = [body("/p", pose((0, 0, 1)), kinematic=True), body("/b", pose((0.21, 0, 1)))]
    shapes = [geom(f"/{n}/s", i) for i, n in enumerate("pb")]
    sim = create_engine(summed(bodies, shapes, gravity=0.0), device=device)
    pusher = sim.compiled.names.index("body", "/p")
    sim.set_kinematic_velocity([[1.0, 0, 0, 0, 0, 0]], None, [pusher])
    total = 0.0
    for _ in range(20):
        sim.step()
        total += sim.compiled.mj.opt.timestep * force(sim, "/b")[0, 0]
    assert momentum(sim, slice(0, 3))[0, 0] == pytest.approx(1.7, rel=0.02)
    assert total == pytest.approx(1.7, rel=0.02)


def test_writes_and_resets_forget_what_was_hit(device):
    sim = create_engine(summed([body(at=pose((0, 0, R)))], [ground(), geom()]), 2, device=device)
    sim.write("qvel", [[0, 0, -2.0, 0, 0, 0]])
    sim.step()
    assert (force(sim, "/body")[:, 2] > 1000.0).all()
    sim.write("qpos", [[0, 0, 1.0, 1, 0, 0, 0]], [0])
    found = force(sim, "/body")[:, 2]
    assert found[0] == pytest.approx(0.0, abs=1e-6)
    sim.reset([0])
    sim.step()
    assert force(sim, "/body")[1, 2] == pytest.approx(0.0, abs=1e-6)
