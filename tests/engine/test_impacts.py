"""Impacts: restitution as authored, with Coulomb's friction, and one law of mixing."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from device_under_test import DEVICE
from engine_scenes import G, body, geom, ground, joint, pose, scene
from engine_scenes import dof as axis
from hypothesis import given, settings
from hypothesis import strategies as st

from usdsim.engine import CpuEngine, Engine, compile_scene, create_engine
from usdsim.parser.description import WORLD, MaterialDescription, MeshDescription

R = 0.1
MODES = {"average": lambda a, b: (a + b) / 2, "min": min, "multiply": lambda a, b: a * b}
MODES["max"] = max
FLOATS = np.zeros(3)


def surface(path, e, mu, mode=None) -> MaterialDescription:
    return MaterialDescription(
        path=path, static_friction=mu, dynamic_friction=mu, restitution=e,
        friction_combine=mode, restitution_combine=mode,
    )  # fmt: skip


def thrown(mine, table, velocity, kind="sphere", timestep=0.002, gap=0.01, more=(), **values):
    """A ball, box or mesh of 1 kg above a plane, without gravity unless told otherwise."""
    values.setdefault("gravity", FLOATS)
    start = body(
        at=pose((0, 0, R + gap)),
        inertia=np.full(3, 0.4 * R**2),
        linear_velocity=np.array(velocity, float),
    )
    corners = R * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    if kind == "mesh":
        faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
        faces += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
        values["meshes"] = {
            "cube": MeshDescription(path="cube", points=corners, faces=np.array(faces, np.int32))
        }
        shape = geom(kind="mesh", size=(0, 0, 0), mesh="cube", material=0)
    else:
        shape = geom(kind=kind, size=(R, R, R) if kind == "box" else (R, 0, 0), material=0)
    described = scene(
        [start], (), [ground(material=1), shape, *more],
        materials=(mine, table, surface("/lively", 1.0, 0.5)), timestep=timestep, **values,
    )  # fmt: skip
    return compile_scene(described)


def after(sim: Engine, steps: int) -> np.ndarray:
    sim.step(steps)
    return np.array(sim.read("qvel")[0])


def coulomb(kind, speed, fall, e, mu):
    """Tangential speed and spin after a bounce of a ball or a box that falls flat."""
    if kind == "sphere":
        # A push at the surface moves it there by 1/m + r^2/I = 3.5/m.
        push = min(mu * (1.0 + e) * fall, speed / 3.5)
        return speed - push, push * R / (0.4 * R**2)
    return max(0.0, speed - mu * (1.0 + e) * fall), None


@pytest.mark.parametrize("engine", ["cpu", DEVICE])
@pytest.mark.parametrize("restitution", [0.0, 0.1, 0.8, 1.0])
@pytest.mark.parametrize(("speed", "mu"), [(0.0, 0.6), (3.0, 0.6), (6.0, 0.3)])
def test_alike_materials_rebound_and_rub_as_newton_and_coulomb_have_it(
    engine, restitution, speed, mu
):
    """One material for what meets; a third shape, far away, lets the scene bounce at 0 too."""
    m = surface("/m", restitution, mu)
    far = geom("/far", WORLD, "sphere", (R, 0, 0), pose=pose((50, 0, 0)), material=2)
    sim = create_engine(thrown(m, m, (speed, 0, -4.43), more=(far,)), device=engine)
    v = after(sim, 10)
    slid, spin = coulomb("sphere", speed, 4.43, restitution, mu)
    assert v[2] == pytest.approx(restitution * 4.43, rel=1e-4, abs=1e-4)
    assert v[0] == pytest.approx(slid, rel=1e-3, abs=1e-4)
    assert v[4] == pytest.approx(spin, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("engine", ["cpu", DEVICE])
@pytest.mark.parametrize("kind", ["box", "mesh"])
@pytest.mark.parametrize("restitution", [0.2, 0.8, 1.0])
@pytest.mark.parametrize("timestep", [0.001, 1 / 60])
def test_flat_faces_rebound_without_turning(engine, kind, restitution, timestep):
    m = surface("/m", restitution, 0.3)
    sim = create_engine(thrown(m, m, (6.0, 0, -4.43), kind, timestep), device=engine)
    v = after(sim, 6 if timestep > 0.01 else 10)
    slid, _ = coulomb("box", 6.0, 4.43, restitution, 0.3)
    assert v[[0, 2]] == pytest.approx([slid, restitution * 4.43], rel=0.02)
    # The friction of a box would tip it; corners that fell together leave together.
    assert np.abs(v[3:]).max() < 0.05


@settings(max_examples=60)
@given(
    own=st.tuples(st.floats(0.05, 1.0), st.floats(0.0, 1.2)),
    other=st.tuples(st.floats(0.05, 1.0), st.floats(0.0, 1.2)),
    mode=st.sampled_from([None, *MODES]),
    speed=st.floats(0.0, 12.0),
    fall=st.floats(0.5, 12.0),
    timestep=st.sampled_from([0.0005, 0.001, 0.002, 0.005, 1 / 120]),
    gap=st.floats(0.001, 0.02),
)
def test_first_bounces_of_any_materials_obey_the_closed_form(
    own, other, mode, speed, fall, timestep, gap
):
    mine, table = surface("/a", *own, mode), surface("/b", *other, mode)
    combine = MODES[mode or "average"]
    e, mu = (combine(a, b) for a, b in zip(own, other, strict=True))
    sim = CpuEngine(thrown(mine, table, (speed, 0, -fall), timestep=timestep, gap=gap))
    v = after(sim, int(np.ceil(gap / fall / timestep)) + 1)
    slid, spin = coulomb("sphere", speed, fall, e, mu)
    assert v[2] == pytest.approx(e * fall, rel=1e-6, abs=1e-6)
    assert v[0] == pytest.approx(slid, rel=1e-3, abs=1e-3)
    assert v[4] == pytest.approx(spin, rel=1e-3, abs=1e-2)
    # It is where it would be had it turned round at the surface.
    t = (np.ceil(gap / fall / timestep) + 1) * timestep - gap / fall
    assert sim.read("qpos")[0, 2] - R == pytest.approx(e * fall * t, abs=1e-5 + 1e-3 * fall * t)


@pytest.mark.parametrize("engine", ["cpu", DEVICE])
@pytest.mark.parametrize("ratio", [1.0, 10.0])
def test_balls_that_meet_keep_momentum(engine, ratio):
    m = surface("/m", 0.8, 0.4)
    bodies = [
        body("/a", pose((0, 0, 1)), mass=ratio, linear_velocity=np.array([2.0, 0, 0])),
        body("/b", pose((0.21, 0.05, 1)), linear_velocity=np.array([-1.0, 0, 0])),
    ]
    shapes = [geom(f"/{n}/s", i, material=0) for i, n in enumerate("ab")]
    sim = create_engine(
        compile_scene(scene(bodies, (), shapes, materials=(m,), gravity=FLOATS)), device=engine
    )
    v = after(sim, 20)
    assert ratio * v[:3] + v[6:9] == pytest.approx([2.0 * ratio - 1.0, 0, 0], abs=1e-4)
    assert v[6] > v[0] + 1.0


@pytest.mark.parametrize(("threshold", "bounces"), [(None, False), (0.5, False), (0.05, True)])
def test_nothing_bounces_below_the_threshold(threshold, bounces):
    m = surface("/m", 1.0, 0.5)
    sim = CpuEngine(thrown(m, m, (0, 0, -0.18), gap=0.0005, bounce_threshold=threshold))
    assert (after(sim, 10)[2] > 0.17) == bounces


@pytest.mark.parametrize("engine", ["cpu", DEVICE])
@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_a_lively_box_stops_and_stays_as_a_dead_one_does(engine, restitution):
    """Friction in lasting contact: at restitution 1 a box once kept its 3 m/s."""
    m = surface("/m", restitution, 0.6)
    compiled = thrown(m, m, (3.0, 0, 0), "box", gap=0.0, gravity=np.array([0, 0, -G]))
    sim = create_engine(compiled, device=engine)
    sim.step(500)
    # It hops a little as it is set in motion, and what is perfectly elastic goes on hopping.
    assert sim.read("qpos")[0, 0] == pytest.approx(9.0 / (2 * 0.6 * G), rel=0.06)
    assert restitution == 1.0 or np.abs(sim.read("qvel")).max() < 1e-3
    tilt = np.radians(25.0)
    down = G * np.array([np.sin(tilt), 0, -np.cos(tilt)])
    sim = create_engine(thrown(m, m, FLOATS, "box", gap=0.0, gravity=down), device=engine)
    sim.step(1000)
    assert abs(sim.read("qpos")[0, 0]) < 1e-4


@pytest.mark.parametrize("engine", ["cpu", DEVICE])
def test_links_rebound_through_their_joints(engine):
    """A hammer: its head of mass m at the end of an arm, its reaction goes to the bearing."""
    arm = body(
        "/arm", pose((0, 0, 0.5)), mass=1.0, com=np.array([0.5, 0, 0]), inertia=np.full(3, 1e-3),
        joints=(0,),
    )  # fmt: skip
    hinge = joint(axis(), child=0)
    m = surface("/m", 0.7, 0.3)
    shapes = [
        geom("/block", WORLD, "box", (0.2, 0.2, 0.2), material=0, pose=pose((0.5, 0, 0.15))),
        geom("/arm/head", 0, material=0, pose=pose((0.5, 0, 0))),
    ]
    compiled = compile_scene(scene([arm], [hinge], shapes, materials=(m,), gravity=FLOATS))
    sim = create_engine(compiled, device=engine)
    sim.write("qvel", [[2.0]])
    assert after(sim, 60)[0] == pytest.approx(-1.4, rel=0.02)


@pytest.mark.parametrize("engine", ["cpu", DEVICE])
def test_restitution_of_each_world_is_its_own(engine):
    m = surface("/m", 0.0, 0.5)
    sim = create_engine(thrown(m, m, (0, 0, -3.0)), 3, device=engine)
    own = np.array([0.0, 0.4, 1.0])
    sim.set_surfaces(np.stack([0 * own + 0.5, 0 * own + 0.5, own], -1)[:, None])
    sim.step(5)
    v = np.array(sim.read("qvel")[:, 2])
    assert v == pytest.approx(3.0 * own, abs=1e-3)


# -- spin ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["cpu", DEVICE])
def test_a_fast_top_keeps_its_energy(engine):
    """At 300 rad/s and 1 ms it diverged within half a second."""
    top = body(
        "/top", pose(axis=np.array([1.0, 0, 0]), angle=0.3), com=np.array([0, 0, 0.1]),
        inertia=np.array([0.002, 0.002, 0.004]), joints=(0,),
        angular_velocity=300.0 * np.array([0, -np.sin(0.3), np.cos(0.3)]),
    )  # fmt: skip
    ball = joint(axis(kind="ball"), kind="spherical", child=0)
    compiled = compile_scene(scene([top], [ball], timestep=0.001))
    assert compiled.mj.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICIT
    sim = create_engine(compiled, device=engine)
    start = np.linalg.norm(sim.read("qvel"))
    assert start == pytest.approx(300.0)
    sim.step(1000)
    assert np.linalg.norm(sim.read("qvel")) == pytest.approx(start, rel=5e-3)


def test_slow_and_single_axes_keep_the_fast_integrator():
    for spin, more in ((10.0, True), (300.0, False)):
        bodies = [body("/a", joints=(0,))]
        joints = [joint(axis(velocity=spin), path="/joint", child=0)]
        if more:
            bodies.append(body("/b", parent=0, joints=(1,)))
            joints.append(joint(axis("/j2"), path="/j2", parent=0, child=1))
        model = compile_scene(scene(bodies, joints)).mj
        assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST


# -- one law of mixing -----------------------------------------------------------------------------

FRICTIONS = [
    (0.5, 0.1, 0.5, "average"),
    (0.5, 0.9, 0.5, "average"),
    (0.5, 0.1, 0.5, "min"),
    (0.5, 0.9, 0.1, "average"),
    (0.5, 0.05, 0.1, "min"),
    (0.5, 0.2, 0.5, "multiply"),
    (0.5, 0.2, 0.5, "max"),
]


@pytest.mark.parametrize("engine", ["cpu", DEVICE])
@pytest.mark.parametrize("way", ["parameter", "surface"])
@pytest.mark.parametrize(("before", "override", "table", "mode"), FRICTIONS)
def test_friction_that_is_overridden_combines_as_the_materials_say(
    engine, way, before, override, table, mode
):
    mine, other = surface("/a", 0.0, before, mode), surface("/b", 0.0, table, mode)
    slope = G * np.sqrt(0.5)
    compiled = thrown(mine, other, FLOATS, "box", gap=0.0, gravity=np.array([slope, 0, -slope]))
    sim = create_engine(compiled, 2, device=engine)
    box = compiled.names.index("geom", "/body/shape")
    if way == "parameter":
        sim.set_param("geom_friction", [override, 0.005, 1e-4], [1], [box])
    else:
        sim.set_surfaces([override, override, 0.0], [1], [box])
    sim.step(100)
    v = np.array(sim.read("qvel")[:, 0])
    expected = [MODES[mode](own, table) for own in (before, override)]
    assert 1.0 - v / (slope * 0.2) == pytest.approx(expected, rel=0.05, abs=5e-3)


@settings(max_examples=30)
@given(
    compiled=st.floats(0.05, 1.0),
    own=st.floats(0.0, 1.2),
    other=st.floats(0.0, 1.2),
    modes=st.tuples(*[st.sampled_from([None, *MODES])] * 2),
    world=st.integers(0, 2),
)
def test_what_is_set_mixes_as_what_was_compiled(compiled, own, other, modes, world):
    """The same contact, whether frictions were there at first or came later, in their world."""

    def scenes(a, b):
        return thrown(surface("/a", 0.0, a, modes[0]), surface("/b", 0.0, b, modes[1]), FLOATS,
                      "box", gap=0.0)  # fmt: skip

    later, first = CpuEngine(scenes(compiled, compiled), 3), CpuEngine(scenes(own, other))
    geoms = [later.compiled.names.index("geom", path) for path in ("/body/shape", "/ground")]
    later.set_surfaces([[own, own, 0.0], [other, other, 0.0]], [world], geoms)
    for w in range(3):
        found = later.world_data(w).contact.friction
        expected = first.world_data(0).contact.friction if w == world else None
        if expected is None:
            assert found[:, 0] == pytest.approx(mixed_alone(modes, compiled))
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def mixed_alone(modes, value):
    order = ["average", "min", "multiply", "max"]
    mode = max((m or "average" for m in modes), key=order.index)
    return MODES[mode](value, value)
