"""Heaps of loose bodies go on by another solver where Newton's method takes too long."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from engine_scenes import body, geom, ground, pose, scene

from usdsim.engine import CpuEngine, compile_scene
from usdsim.engine.cpu import heaps

NEWTON, PGS = int(mujoco.mjtSolver.mjSOL_NEWTON), int(mujoco.mjtSolver.mjSOL_PGS)
RADIUS, ACROSS = 0.04, 4
HALF = 0.5 * ACROSS * 0.1
DEEP = 0.005
"""How far balls may be within each other at rest [m]: a sixteenth of their diameter."""


def bin_of_balls(count, **values):
    """Balls in layers above a bin whose walls are boxes."""
    rng = np.random.default_rng(0)
    cells = [divmod(i % ACROSS**2, ACROSS) for i in range(count)]
    bodies = [
        body(
            f"/b{i}",
            pose((
                0.1 * (x - 1.5) + rng.uniform(-0.008, 0.008),
                0.1 * (y - 1.5) + rng.uniform(-0.008, 0.008),
                2 * RADIUS + 0.1 * (i // ACROSS**2),
            )),
            mass=0.2,
        )
        for i, (x, y) in enumerate(cells)
    ]  # fmt: skip
    walls = [
        geom(f"/wall{i}", -1, "box", size, pose=pose(place))
        for i, (size, place) in enumerate(
            (size, place)
            for side in (-1.0, 1.0)
            for size, place in (
                ((0.05, HALF + 0.1, 1.0), (side * (HALF + 0.05), 0.0, 1.0)),
                ((HALF + 0.1, 0.05, 1.0), (0.0, side * (HALF + 0.05), 1.0)),
            )
        )
    ]
    balls = [geom(f"/b{i}/ball", i, "sphere", (RADIUS, 0.0, 0.0)) for i in range(count)]
    return scene(bodies, (), [ground(), *walls, *balls], **{"timestep": 1.0 / 120.0, **values})


def solver(sim):
    return sim.param("opt.solver").tolist()


def overlap(sim, world=0):
    """Depth of the deepest contact of a world [m]."""
    return -float(sim.world_data(world).contact.dist.min(initial=0.0))


@pytest.fixture(scope="module")
def compiled():
    return compile_scene(bin_of_balls(70))


@pytest.fixture
def eager(monkeypatch):
    """Lets small heaps count as dear ones."""
    monkeypatch.setattr(heaps, "MANY_ITERATIONS", 12)
    monkeypatch.setattr(heaps, "MANY_OPERATIONS", 1e5)


def heaped(compiled, worlds=1):
    """Worlds whose balls lie in the bin."""
    sim = CpuEngine(compiled, worlds)
    sim.step(150)
    assert solver(sim) == [PGS] * worlds
    assert sim.param("opt.iterations").tolist() == [heaps.SWEEPS] * worlds
    return sim


def test_a_heap_comes_to_rest_by_the_other_solver(compiled, eager):
    sim = CpuEngine(compiled)
    sim.step(10)
    assert solver(sim) == [NEWTON]
    sim.step(290)
    assert solver(sim) == [PGS]
    assert overlap(sim) < DEEP
    assert np.median(np.abs(sim.read("qvel"))) < 0.01


def test_what_is_cheap_keeps_newtons_method(compiled):
    sim = CpuEngine(compiled)
    sim.step(200)
    assert solver(sim) == [NEWTON]


def test_worlds_change_each_for_itself_and_steps_in_one_call_are_single_ones(compiled, eager):
    sim, single = CpuEngine(compiled, 2), CpuEngine(compiled)
    far = np.array(sim.read("qpos"))
    far[1].reshape(-1, 7)[:, 2] += 100.0
    sim.write("qpos", far)
    sim.step(120)
    for _ in range(120):
        single.step()
    assert solver(sim) == [PGS, NEWTON] and solver(single) == [PGS]
    np.testing.assert_array_equal(sim.read("qpos")[0], single.read("qpos")[0])


def test_it_comes_back_when_the_heap_falls_apart_or_is_reset(compiled, eager):
    sim = heaped(compiled, 2)
    apart = np.array(sim.read("qpos"))
    apart[0].reshape(-1, 7)[:, 2] += np.arange(70)
    sim.write("qpos", apart)
    sim.step()
    assert solver(sim) == [NEWTON, PGS]
    assert sim.param("opt.iterations")[0] == compiled.mj.opt.iterations
    sim.reset([1])
    assert solver(sim) == [NEWTON, NEWTON]
    fresh = CpuEngine(compiled, 2)
    sim.reset()
    for engine in (sim, fresh):
        engine.step(40)
    np.testing.assert_array_equal(sim.read("qpos"), fresh.read("qpos"))


def test_what_sleeps_does_not_count_as_gone(compiled, eager):
    sim = heaped(compiled)
    # Everything counts as slow, so the heap sleeps before it has no contacts.
    sim.set_param("opt.sleep_tolerance", 1e3)
    sim.step(50)
    assert (sim.read("tree_asleep") >= 0).all() and sim.batch.bind("ncon")[0] == 0
    assert solver(sim) == [PGS]


def test_a_solver_that_was_set_stays(compiled, eager):
    sim = CpuEngine(compiled, 3)
    sim.set_param("opt.iterations", 90, env_ids=[0])
    sim.step(150)
    assert solver(sim) == [NEWTON, PGS, PGS]
    sim.set_param("opt.solver", int(mujoco.mjtSolver.mjSOL_CG), env_ids=[1])
    sim.reset()
    assert solver(sim) == [NEWTON, int(mujoco.mjtSolver.mjSOL_CG), NEWTON]


@pytest.mark.parametrize("change", [{"sleeps": False}, {}])
def test_only_what_may_sleep_has_another_solver(change, eager):
    stated = {} if change else {"options": {"option.impratio": 1.0}}
    compiled = replace(compile_scene(bin_of_balls(70, **stated)), **change)
    sim = CpuEngine(compiled)
    sim.step(150)
    assert solver(sim) == [int(compiled.mj.opt.solver)]


@pytest.mark.nightly
def test_five_hundred_balls_lie_in_their_bin():
    """With the limits that are shipped; a step of Newton's method takes seconds at the end."""
    sim = CpuEngine(compile_scene(bin_of_balls(500)))
    sim.step(400)
    assert solver(sim) == [PGS]
    assert overlap(sim) < DEEP
    heights = sim.read("qpos")[0].reshape(-1, 7)[:, 2]
    assert heights.min() > RADIUS - DEEP and heights.max() < 5.0
