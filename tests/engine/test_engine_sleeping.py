"""Bodies that sleep: what wakes them, and that nobody who reads them can tell."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from engine_scenes import body, geom, ground, pose, scene

from usdsim.engine import CpuEngine, compile_scene
from usdsim.engine.compile.loose import MANY

HALF = 0.1
SETTLE = 400


def boxes(count, **values):
    """Pairs of stacked boxes, the upper one of each with an odd number."""
    made = [
        body(
            f"/b{i}",
            pose((0.5 * (i // 2 % 8), 0.5 * (i // 16), HALF + 2 * HALF * (i % 2))),
            **values,
        )
        for i in range(count)
    ]
    shapes = [geom(f"/b{i}/box", i, "box", (HALF,) * 3) for i in range(count)]
    return scene(made, (), [ground(), *shapes])


def asleep(sim):
    return sim.read("tree_asleep") >= 0


@pytest.fixture(scope="module")
def settled_pair():
    compiled = compile_scene(boxes(MANY))
    return [CpuEngine(each, 2) for each in (compiled, replace(compiled, sleeps=False))]


@pytest.fixture
def pair(settled_pair):
    """The same worlds with and without sleep, at rest."""
    for sim in settled_pair:
        sim.set_param("opt.gravity", [0.0, 0.0, -9.81])
        sim.set_param("body_mass", 1.0, ids=np.arange(1, MANY + 1))
        sim.write("xfrc_applied", 0.0)
        sim.reset()
        sim.step(SETTLE)
    assert asleep(settled_pair[0]).all() and not asleep(settled_pair[1]).any()
    return settled_pair


def test_only_scenes_of_many_loose_bodies_sleep_unasked():
    assert compile_scene(boxes(MANY)).sleeps
    assert not compile_scene(boxes(MANY), exact=True).sleeps
    assert not compile_scene(boxes(MANY - 2)).sleeps
    assert not compile_scene(replace(boxes(MANY), options={"option.impratio": 1.0})).sleeps
    sim = CpuEngine(compile_scene(boxes(8)))
    sim.step(SETTLE)
    assert not asleep(sim).any()


def test_bodies_at_rest_stay_where_they_are(pair):
    sleeping, waking = pair
    for field in ("qpos", "xpos", "xquat"):
        np.testing.assert_allclose(sleeping.read(field), waking.read(field), atol=1e-4)
    before = np.array(sleeping.read("qpos"))
    sleeping.step(100)
    np.testing.assert_array_equal(sleeping.read("qpos"), before)
    assert (sleeping.read("qvel") == 0.0).all()


def push(sim):
    force = np.zeros((MANY + 1, 6))
    force[1, 0] = 30.0
    sim.write("xfrc_applied", force, env_ids=[1])


def throw(sim):
    sim.state("qvel")[1, 0:2] = 1.0
    sim.touch([1], "qvel")


def lift(sim):
    sim.state("qpos")[1, 2] += 0.5
    sim.touch([1], "qpos")


def drop_on(sim):
    sim.state("qpos")[1, 7:10] = [0.5, 0.0, 1.0]
    sim.touch([1], "qpos")


def tilt(sim):
    sim.set_param("opt.gravity", [9.0, 0.0, -6.0], env_ids=[1])


def shrink(sim):
    size = np.array(sim.param("geom_size"))
    size[1, 1] *= 0.7
    sim.set_param("geom_size", size[1], env_ids=[1])


@pytest.mark.parametrize("act", [push, throw, lift, drop_on, tilt, shrink])
def test_what_wakes_a_world_moves_it_as_if_it_never_slept(pair, act):
    for sim in pair:
        act(sim)
        sim.step(60)
    sleeping, waking = pair
    assert asleep(sleeping)[0].all() and not asleep(sleeping)[1].all()
    moved = np.abs(waking.read("xpos")[1] - waking.read("xpos")[0]).max()
    assert moved > 1e-2
    np.testing.assert_allclose(sleeping.read("xpos"), waking.read("xpos"), atol=3e-3)
    for sim in pair:
        sim.set_param("geom_size", np.array(sim.param("geom_size"))[0])


def test_heavier_bodies_wake_and_reset_wakes(pair):
    sleeping, _ = pair
    sleeping.set_param("body_mass", 2.0, env_ids=[0], ids=[3])
    assert not asleep(sleeping)[0].any() and asleep(sleeping)[1].all()
    sleeping.reset([1])
    sleeping.step()
    assert not asleep(sleeping)[1].any()


def test_contacts_of_sleeping_bodies_are_there_for_readers(pair):
    sleeping, waking = (sim.world_data(1) for sim in pair)
    assert sleeping.ncon == waking.ncon > MANY
    weights = [np.array(data.cfrc_int).sum() for data in (sleeping, waking)]
    assert weights[0] == pytest.approx(weights[1], abs=1e-3)
    assert asleep(pair[0]).all()


def test_any_number_of_threads_gives_the_same_bits():
    compiled = compile_scene(boxes(MANY))
    sims = [CpuEngine(compiled, 2, threads=threads) for threads in (1, 2)]
    for sim in sims:
        sim.step(SETTLE // 2)
        push(sim)
        sim.step(SETTLE)
    for field in ("qpos", "tree_asleep"):
        np.testing.assert_array_equal(sims[0].read(field), sims[1].read(field))


def test_bodies_that_start_asleep_hang_until_they_are_woken():
    falling = boxes(2).bodies
    hung = [
        replace(b, initial_pose_w=pose((2.0 * i, 0, 3.0)), starts_asleep=i == 1)
        for i, b in enumerate(falling)
    ]
    hung = [replace(b, rest_pose=b.initial_pose_w) for b in hung]
    sim = CpuEngine(compile_scene(replace(boxes(2), bodies=tuple(hung))), 2)
    for _ in range(2):
        sim.step(50)
        assert (sim.read("xpos")[:, 2, 2] == 3.0).all()
        assert (sim.read("xpos")[:, 1, 2] < 2.99).all()
        sim.reset()
    sim.write("xfrc_applied", 1e-6, env_ids=[1], ids=[2])
    sim.step(50)
    assert sim.read("xpos")[0, 2, 2] == 3.0
    assert sim.read("xpos")[1, 2, 2] < 2.99


def test_what_touches_the_awake_or_moves_does_not_start_asleep():
    pair = boxes(4).bodies
    half = [replace(b, starts_asleep=i != 0) for i, b in enumerate(pair)]
    half[2] = replace(half[2], linear_velocity=np.array([1.0, 0, 0]))
    compiled = compile_scene(replace(boxes(4), bodies=tuple(half)))
    assert compiled.sleeps
    assert (compiled.mj.tree_sleep_policy != int(mujoco.mjtSleepPolicy.mjSLEEP_INIT)).all()


def test_thresholds():
    never = compile_scene(boxes(MANY, sleep_threshold=0.0))
    sim = CpuEngine(never)
    sim.step(SETTLE)
    assert not asleep(sim).any()
    assert compile_scene(boxes(MANY, sleep_threshold=5e-5)).mj.opt.sleep_tolerance == pytest.approx(
        0.01
    )


WAKING = {
    "push": push,
    "throw": lambda sim: sim.write("qvel", 1.0, [0], [6]),
    "lift": lambda sim: sim.write("qpos", 1.0, [1], [2]),
    "gravity": lambda sim: sim.set_param("opt.gravity", [0.0, 1.0, -9.81], [0]),
    "mass": lambda sim: sim.set_param("body_mass", 2.0, [1], [1]),
    "reset": lambda sim: sim.reset([1]),
    "view": lambda sim: (sim.state("qvel").__setitem__((0, 1), 0.5), sim.touch([0], "qvel")),
}


@pytest.mark.parametrize("kind", [None, *WAKING])
def test_where_all_sleep_time_alone_goes_on(monkeypatch, kind):
    """To the bit what steps of chosen worlds do, which are always made."""
    made = []
    compiled = compile_scene(boxes(MANY))
    ages, steps = CpuEngine(compiled, 2), CpuEngine(compiled, 2)
    ages.step(SETTLE)
    steps.step(SETTLE, [0, 1])
    original = type(ages.batch).advance
    monkeypatch.setattr(
        type(ages.batch),
        "advance",
        lambda batch, *rest: made.append(batch is ages.batch) or original(batch, *rest),
    )
    for _ in range(3):
        ages.step(5)
        ages.step()
    assert sum(made) <= 1
    steps.step(18, [0, 1])
    if kind is not None:
        for sim in (ages, steps):
            WAKING[kind](sim)
        made.clear()
        ages.step(3)
        assert sum(made) >= 1
        steps.step(3, [0, 1])
    for field in ("time", "qpos", "qvel", "xpos", "tree_asleep"):
        np.testing.assert_array_equal(ages.read(field), steps.read(field))
    assert kind is None or not asleep(ages).all()
