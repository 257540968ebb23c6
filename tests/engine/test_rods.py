"""Curves as rods: what theory says of how they bend, hang and swing."""

import mujoco
import numpy as np
import pytest
from engine_scenes import body, geom, ground, pose, scene
from scipy.optimize import brentq
from soft_scenes import soft

from usdsim.engine import CpuEngine, compile_scene
from usdsim.parser.description import WORLD, PinDescription

G = 9.81
YOUNG, RADIUS, LENGTH = 1e9, 0.005, 1.0
STIFFNESS = YOUNG * np.pi * RADIUS**4 / 4.0
"""E I of a round section [N m^2]."""


def chain(count, periodic=False):
    """Segments between so many points."""
    ends = np.stack([np.arange(count), (np.arange(count) + 1) % count], axis=1).astype(np.int32)
    return ends if periodic else ends[:-1]


def line(segments, axis=0, at=(0.0, 0.0, 0.0)):
    points = np.zeros((segments + 1, 3)) + np.array(at)
    points[:, axis] += np.linspace(0.0, LENGTH, segments + 1)
    return points


def rod(points, held=(), elements=None, **values):
    """A rod whose points are held where they are."""
    held = np.array(held, np.int32)
    pin = PinDescription(path="/hold", body=WORLD, vertices=held, points=points[held])
    values = {"thickness": 2.0 * RADIUS, "youngs_modulus": YOUNG, "mass": 0.1} | values
    elements = chain(len(points)) if elements is None else elements
    return soft(points, elements, pins=(pin,) if len(held) else (), **values)


def engine_of(*bodies, gravity=G, **others):
    compiled = compile_scene(scene(deformables=bodies, gravity=(0.0, 0.0, -gravity), **others))
    return CpuEngine(compiled, 1)


def points_of(engine, path="/soft"):
    return np.array(engine.read("flexvert_xpos")[0, engine.compiled.deformable(path).vertices])


@pytest.mark.parametrize("segments", [5, 20])
def test_a_cantilever_sags_as_theory_says(segments):
    points = line(segments)
    load = 1e-2
    engine = engine_of(rod(points, (0, 1), elasticity_damping=0.05), gravity=0.0)
    force = np.array(engine.read("xfrc_applied"))
    force[0, engine.compiled.deformable("/soft").body_ids[-1], 2] = -load
    engine.write("xfrc_applied", force)
    engine.step(5000)
    sag = -points_of(engine)[-1, 2]
    # Each point between two segments is a spring of E I over their length: with N of them, the sum
    # over k of k^2 / N^3 stands for the 1/3 of F L^3 / (3 E I).
    springs = np.arange(1, segments)
    theory = load * LENGTH**3 / STIFFNESS * (springs**2).sum() / segments**3
    assert sag == pytest.approx(theory, rel=2e-3)
    if segments == 20:
        assert sag == pytest.approx(load * LENGTH**3 / (3.0 * STIFFNESS), rel=0.08)


def test_bending_and_twisting_have_moduli_of_their_own():
    both = [rod(line(4), (0, 1)), rod(line(4), (0, 1), bend_modulus=2e9, twist_modulus=3e8)]
    flexes = [engine_of(item).compiled.mj for item in both]
    bent = [np.array(model.flex_bending) for model in flexes]
    assert not np.array_equal(*bent)
    twice = engine_of(rod(line(4), (0, 1), youngs_modulus=2e9, twist_modulus=3e8)).compiled.mj
    np.testing.assert_array_equal(twice.flex_bending, bent[1])


def test_a_torque_at_the_end_twists_it_as_theory_says():
    segments, torque, shear = 8, 1e-3, 2e8
    item = rod(line(segments), (0, 1), twist_modulus=shear, elasticity_damping=0.02)
    model = engine_of(item, gravity=0.0).compiled.mj
    data = mujoco.MjData(model)
    last = model.joint("/soft_twist")
    data.qfrc_applied[last.dofadr[0]] = torque
    for _ in range(1000):
        mujoco.mj_step(model, data)
    along = LENGTH * (segments - 1) / segments  # From the middle of the first to that of the last.
    theory = torque * along / (shear * np.pi * RADIUS**4 / 2.0)
    assert data.qpos[last.qposadr[0]] == pytest.approx(theory, rel=1e-3)


def test_a_hanging_chain_swings_with_the_period_of_its_first_mode():
    start = line(30, axis=2) * [1, 1, -1]
    start[:, 0] = -0.01 * start[:, 2]
    engine = engine_of(rod(start, (0,), youngs_modulus=0.0))
    step = float(engine.compiled.mj.opt.timestep)
    tips = []
    for _ in range(3000):
        engine.step(1)
        tips.append(points_of(engine)[-1])
    across = np.array(tips)[:, 0]
    zeros = np.flatnonzero((across[:-1] > 0.0) & (across[1:] <= 0.0))
    period = np.diff(zeros).mean() * step
    assert period == pytest.approx(2.0 * np.pi / (1.2024 * np.sqrt(G / LENGTH)), rel=0.02)
    # It keeps its length.
    sides = np.linalg.norm(np.diff(points_of(engine), axis=0), axis=1)
    np.testing.assert_allclose(sides, np.linalg.norm(np.diff(start, axis=0), axis=1), rtol=5e-4)


def test_between_two_points_it_hangs_as_a_catenary():
    along = np.linspace(-0.5, 0.5, 41)
    start = np.stack([0.6 * along, 0.0 * along, -0.4 * (1.0 - 2.0 * np.abs(along))], axis=1)
    engine = engine_of(rod(start, (0, 40), youngs_modulus=0.0, linear_damping=2.0))
    engine.step(4000)
    scale = brentq(lambda a: 2.0 * a * np.sinh(0.3 / a) - LENGTH, 0.05, 2.0)
    sag = scale * (np.cosh(0.3 / scale) - 1.0)
    assert -points_of(engine)[:, 2].min() == pytest.approx(sag, rel=2e-3)


def _ring(count):
    angle = np.arange(count) * 2.0 * np.pi / count
    return np.stack([0.2 * np.cos(angle), 0.2 * np.sin(angle), 0.0 * angle], axis=1)


@pytest.mark.parametrize(
    ("points", "elements", "held"),
    [
        (_ring(16), chain(16, periodic=True), ()),
        (_ring(16)[:9], None, (0, 1)),
        (_ring(16)[:9], None, (0, 1, 7, 8)),
        (
            np.concatenate([line(4), line(4, at=(0, 1, 0))]),
            np.delete(chain(10), 4, 0),
            (0, 1, 5, 6),
        ),
        (line(1), None, ()),
        (line(2), None, (0, 1)),
        (line(8), None, (3, 4)),
        (line(3), None, (0, 1, 2, 3)),
    ],
)
def test_curves_of_every_form_are_at_rest_as_they_are(points, elements, held):
    engine = engine_of(rod(points, held, elements), gravity=0.0)
    engine.step(300)
    np.testing.assert_allclose(points_of(engine), points, atol=1e-6)


def test_energy_falls_under_damping():
    body = rod(line(10), (0, 1), youngs_modulus=1e8, elasticity_damping=0.1)
    engine = engine_of(body)
    compiled = engine.compiled
    mass = compiled.mj.body_mass[compiled.deformable("/soft").body_ids]
    data = mujoco.MjData(compiled.mj)
    mujoco.mj_resetData(compiled.mj, data)
    energies = []
    for _ in range(3000):
        mujoco.mj_step(compiled.mj, data)
        energies.append(0.5 * data.qvel[:27] @ (np.repeat(mass[2:], 3) * data.qvel[:27]))
    peaks = [max(energies[k : k + 500]) for k in range(0, 3000, 500)]
    assert peaks == sorted(peaks, reverse=True) and peaks[-1] < 0.1 * peaks[0]


def test_it_lies_on_the_ground_and_hangs_on_a_body():
    points = line(10, at=(0.0, 0.0, 0.05))
    engine = engine_of(rod(points), geoms=[ground()])
    engine.step(500)
    np.testing.assert_allclose(points_of(engine)[:, 2], RADIUS, atol=1e-3)
    # A weight on the end of a cable swings below where the cable is held.
    hold = PinDescription(
        path="/tie", body=0, vertices=np.array([10], np.int32), points=np.zeros((1, 3))
    )
    start = line(10, axis=2) * [1, 1, -1]
    top = PinDescription(
        path="/top", body=WORLD, vertices=np.array([0], np.int32), points=start[:1]
    )
    cable = soft(start, chain(11), pins=(top, hold), thickness=0.01, mass=0.1, youngs_modulus=1e6)
    weight = body("/weight", pose((0.0, 0.0, -1.0)), mass=5.0)
    engine = engine_of(
        cable, bodies=[weight], geoms=[geom("/weight/shape", size=(0.02, 0, 0), collides=False)]
    )
    engine.step(1000)
    assert engine.read("xpos")[0, 1, 2] == pytest.approx(-1.0, abs=2e-3)
