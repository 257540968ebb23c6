"""Contacts over materials, shapes, speeds, time steps and worlds, against closed forms."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from device_under_test import DEVICE
from engine_scenes import G, body, geom, ground, pose, scene
from hypothesis import given, settings
from hypothesis import strategies as st

from usdsim.engine import CpuEngine, compile_scene, create_engine
from usdsim.parser.description import MaterialDescription, MeshDescription

R = 0.1
MIX = {
    "average": lambda a, b: 0.5 * (a + b),
    "min": np.minimum,
    "multiply": np.multiply,
    "max": np.maximum,
}
CORNERS = R * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
FACES = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))], np.int32)
SIZES = {"sphere": (R, 0, 0), "box": (R, R, R), "mesh": (0, 0, 0)}


def above_ground(kind, friction=0.5, mode=None, timestep=0.002, gap=0.0, bouncing=0.0, **values):
    """A shape of 1 kg above a plane; each has a material of its own."""
    looks = [
        MaterialDescription(
            path=path, static_friction=friction, dynamic_friction=friction, restitution=bouncing,
            friction_combine=mode, restitution_combine=mode,
        )
        for path in ("/a", "/b")
    ]  # fmt: skip
    shape = geom(kind=kind, size=SIZES[kind], material=0, mesh="cube" if kind == "mesh" else None)
    start = body(at=pose((0, 0, R + gap)), inertia=np.full(3, 0.4 * R**2))
    mesh = MeshDescription(path="cube", points=CORNERS, faces=FACES)
    return compile_scene(
        scene([start], (), [ground(material=1), shape], materials=tuple(looks),
              timestep=timestep, meshes={"cube": mesh}, **values)
    )  # fmt: skip


@pytest.mark.parametrize("engine", ["cpu", DEVICE])
@pytest.mark.parametrize("kind", SIZES)
@settings(max_examples=5)
@given(
    mode=st.sampled_from([None, *MIX]),
    timestep=st.sampled_from([0.001, 0.002, 0.005, 1 / 120]),
    seed=st.integers(0, 2**32 - 1),
)
def test_worlds_of_any_materials_bounce_by_their_own(engine, kind, mode, timestep, seed):
    """Restitution and friction of every world, both sides, in one batch, at any speed."""
    count, random = 12, np.random.default_rng(seed)
    compiled = above_ground(
        kind, mode=mode, timestep=timestep, gap=0.002, bouncing=0.5, gravity=np.zeros(3)
    )
    sim = create_engine(compiled, count, device=engine)
    e, mu = random.uniform(0.0, 1.0, (2, count)), random.uniform(0.0, 1.0, (2, count))
    for path, restitution, friction in zip(("/body/shape", "/ground"), e, mu, strict=True):
        values = np.stack([friction, friction, restitution], axis=-1)[:, None]
        sim.set_surfaces(values, None, [compiled.names.index("geom", path)])
    fall, speed = random.uniform(0.5, 8.0, count), random.uniform(0.0, 8.0, count)
    velocity = np.zeros((count, 6))
    velocity[:, 0], velocity[:, 2] = speed, -fall
    sim.write("qvel", velocity)
    sim.step(int(np.ceil(0.002 / (0.5 * timestep))) + 1)
    mixed = MIX[mode or "average"]
    restitution, friction = mixed(*e), mixed(*mu)
    push = np.minimum(friction * (1 + restitution) * fall, speed / (3.5 if kind == "sphere" else 1))
    found = np.array(sim.read("qvel"))
    tolerance = 1e-3 if kind == "sphere" else 0.02
    assert np.abs(found[:, 2] - restitution * fall).max() <= tolerance * 8.0
    assert np.abs(found[:, 0] - (speed - push)).max() <= tolerance * 8.0


# Friction, speed [m/s] and height of the drop [m]; the last is a box thrown down while it slides.
HOPS = [(1.0, 1.0, 0.0), (1.0, 3.0, 0.0), (1.0, 6.0, 0.0), (0.8, 4.0, 0.1)]


@pytest.mark.parametrize("timestep", [0.001, 0.002, 0.005])
@pytest.mark.parametrize(("friction", "speed", "height"), HOPS)
def test_a_box_that_grips_hops_no_higher_than_in_mujoco(timestep, friction, speed, height):
    ours = above_ground("box", friction=friction, timestep=timestep).mj
    plain = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="{timestep}"/><default><geom friction="{friction}"/></default>
        <worldbody><geom type="plane" size="9 9 .1"/><body pos="0 0 {R}"><freejoint/>
        <geom type="box" size="{R} {R} {R}" mass="1"/></body></worldbody></mujoco>"""
    )

    def hop(model):
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, nstep=round(0.2 / timestep))
        rest, heights = data.qpos[2], []
        data.qvel[0], data.qvel[2] = speed, -np.sqrt(2.0 * G * height)
        for _ in range(round(0.8 / timestep)):
            mujoco.mj_step(model, data)
            heights.append(data.qpos[2])
        return max(heights) - rest

    assert hop(ours) <= max(hop(plain), 1e-3)


@pytest.mark.parametrize("timestep", [0.001, 0.002, 0.005])
@pytest.mark.parametrize("height", [0.1, 1.0, 4.0])
def test_where_nothing_bounces_little_of_any_drop_comes_back(timestep, height):
    sim = CpuEngine(above_ground("sphere", timestep=timestep))
    assert not sim._between_steps
    fall = np.sqrt(2.0 * G * height)
    sim.write("qvel", [[0, 0, -fall, 0, 0, 0]])
    fastest = 0.0
    for _ in range(round(0.3 / timestep)):
        sim.step()
        fastest = max(fastest, float(sim.read("qvel")[0, 2]))
    assert fastest <= 0.05 * fall


@pytest.mark.parametrize("engine", ["cpu", DEVICE])
@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("timestep", [0.001, 0.005])
def test_where_nothing_bounces_nothing_leaves_the_ground_again(engine, kind, timestep):
    """A rebound of 0.02 would reach 0.4 mm per metre of the drop."""
    heights = np.array([0.1, 1.0, 4.0])
    sim = create_engine(above_ground(kind, timestep=timestep), len(heights), device=engine)
    velocity = np.zeros((len(heights), 6))
    velocity[:, 2] = -np.sqrt(2.0 * G * heights)
    sim.write("qvel", velocity)
    sim.step(3)
    highest = np.zeros(len(heights))
    for _ in range(round(0.8 / timestep)):
        sim.step()
        highest = np.maximum(highest, sim.read("qpos")[:, 2] - R)
    assert (highest <= 0.02**2 * heights).all()
