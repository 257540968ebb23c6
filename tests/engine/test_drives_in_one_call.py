"""Stiff drives in one call of several steps: what they do is what they do step by step."""

from __future__ import annotations

import numpy as np
import pytest
from engine_scenes import light_links, scene

from usdsim.engine import compile_scene, create_engine
from usdsim.engine.cpu.speculative import Attempts
from usdsim.engine.effects.saturation.passage import Passage
from usdsim.parser.description import DriveDescription

H, MOST, WORLDS = 0.005, 1.0, 200


def arm(damping=20.0, links=3):
    """Light links on parallel hinges, whose drives are stiff and weak."""
    law = DriveDescription(stiffness=400.0, damping=damping, max_force=MOST, target_position=0.0)
    bodies, joints = light_links(law, links, damping=0.05)
    return compile_scene(scene(bodies, joints, timestep=H, gravity=np.array([0, -9.81, 0])))


def started(compiled, size, push=0.0, **options):
    """Worlds that begin in motion about their targets, and are pushed on."""
    rng = np.random.default_rng(3)
    sim = create_engine(compiled, WORLDS, **options)
    sim.write("qpos", size * rng.normal(size=(WORLDS, 3)))
    sim.write("qvel", 10.0 * size * rng.normal(size=(WORLDS, 3)))
    # Drives yield until they hold what pushes, which some of them cannot.
    sim.write("qfrc_applied", push * rng.normal(size=(WORLDS, 3)))
    sim.track_acceleration()
    return sim


def assert_same(one, other):
    for field in ("qpos", "qvel", "time", "qacc_warmstart", "xpos", "cvel"):
        assert np.array_equal(one.read(field), other.read(field)), field
    assert np.array_equal(one.acceleration(), other.acceleration())


@pytest.fixture
def seen(monkeypatch):
    """What calls of several steps said of their worlds, as they were made."""
    answers, plain = [], Passage.beyond

    def beyond(self, rows, start, end, pushed, n):
        found = plain(self, rows, start, end, pushed, n)
        answers.append((n, 0 if found is None else int(found.sum())))
        return found

    monkeypatch.setattr(Passage, "beyond", beyond)
    return answers


@pytest.mark.parametrize("n", [2, 3, 4, 5, 10])
@pytest.mark.parametrize(("damping", "longest"), [(20.0, 3), (0.0, 2)])
def test_steps_in_one_call_are_those_one_by_one(n, damping, longest, seen):
    """Bit for bit, also where a limit is reached at a step that nobody looked at."""
    compiled = arm(damping)
    at_once, alone = (started(compiled, 3e-4, push=MOST) for _ in range(2))
    starts = {name: np.zeros_like(at_once.read(name)) for name in ("qpos", "qvel")}
    for _ in range(6):
        at_once.read("xpos")
        at_once.step(n, starts=starts)
        for left in range(n, 0, -1):
            if left == 1:
                before = {name: np.array(alone.read(name)) for name in starts}
            alone.step()
        assert_same(at_once, alone)
        for name, values in before.items():
            assert np.array_equal(starts[name], values)
    assert bool(seen) == (n > 2)
    assert all(1 < steps <= longest for steps, _ in seen)
    if n > 2:
        assert any(worlds for _, worlds in seen)


def test_nobody_goes_back_where_no_limit_is_near(seen):
    sim = started(arm(), 1e-4)
    for _ in range(5):
        sim.read("xpos")
        sim.step(4)
    assert {worlds for _, worlds in seen} == {0}


@pytest.fixture
def attempts(monkeypatch):
    """Outcomes of attempts, as they were made."""
    outcomes, plain = [], Attempts.run

    def run(self, *args):
        outcomes.append(plain(self, *args))
        return outcomes[-1]

    monkeypatch.setattr(Attempts, "run", run)
    return outcomes


@pytest.mark.parametrize("n", [4, 20])
def test_worlds_with_drives_beyond_their_limits_are_not_tried(n, attempts):
    """Targets that jump in some worlds, whose drives reach their limits at once."""
    sim, jumps = started(arm(), 1e-6), np.arange(40, 50)
    for period in range(4):
        sim.write("ctrl", 0.01 * (-1) ** period, jumps, [0])
        sim.read("xpos")
        sim.step(n)
        assert len(attempts) == period + 1
        assert np.array_equal(attempts[-1].rest, jumps)
        assert not len(attempts[-1].returned)


@pytest.mark.parametrize("n", [4, 20])
def test_worlds_that_were_put_back_miss_one_attempt(n, attempts):
    """Pushed past a limit within the first period, and put back to rest after it."""
    sim, pushed = started(arm(), 1e-6), np.arange(40, 50)
    rest = {name: np.array(sim.read(name)[pushed]) for name in ("qpos", "qvel")}
    for push in (3.0, 0.0, 0.0):
        sim.write("qfrc_applied", push, pushed, [2])
        for name, values in rest.items():
            sim.write(name, values, pushed)
        sim.read("xpos")
        sim.step(n)
    first, second, third = attempts
    assert np.array_equal(first.returned, pushed)
    assert np.array_equal(second.rest, pushed)
    assert not len(second.returned)
    assert not len(third.rest)


def test_forces_at_each_step_are_found_from_both_ends():
    """With a limit just above and just below the largest force at the second or third step."""
    compiled = arm()
    sim = started(compiled, 3e-4)
    record = [np.array(sim.batch.state)]
    for _ in range(3):
        sim.step()
        record.append(np.array(sim.batch.state))
    drives = sim._limits.drives
    watch = drives.watch(sim.batch)
    pushed = sim.batch.bind("actuator_force")
    for n in (2, 3):
        sim.batch.state[...] = record[0]
        sim.touch()
        forces = []
        for row in record[1:n]:
            sim.batch.state[...] = row
            fields = (sim.batch.bind(name) for name in ("qpos", "qvel", "ctrl"))
            forces.append(np.abs(drives.force(*fields, None)))
        largest = np.max(forces, axis=0).max(axis=0)
        sim.batch.state[...] = record[0]
        sim.touch()
        for scale, expected in ((1.0 + 2e-4, False), (1.0 + 5e-5, True), (1.0 - 1e-9, True)):
            most = scale * largest[None]
            passage = Passage(
                sim.batch, drives.laws, watch._columns, watch._actuators, most, sim._parameters
            )
            sim.batch.state[...] = record[0]
            sim.step(1)
            sim.batch.state[...] = record[0]
            sim.batch.step(nstep=n)
            last = pushed if n > 2 else None
            found = passage.beyond(slice(None), record[0], sim.batch.state, last, n)
            assert (found is not None) == expected


@pytest.mark.parametrize("n", [2, 3])
def test_a_lone_world_goes_back_where_it_does_among_others(n):
    compiled = arm()
    many, lone = started(compiled, 3e-4, push=MOST), create_engine(compiled)
    begun, every = np.array(many.batch.state), slice(None)
    forces = (sim.batch.bind("actuator_force") for sim in (many, lone))
    pushed, alone = forces if n > 2 else (None, None)
    many.batch.step(nstep=n)
    passage = many._limits.drives.watch(many.batch).passage
    back = passage.beyond(every, begun, many.batch.state, pushed, n)
    assert 0 < back.sum() < WORLDS
    for world, expected in enumerate(back):
        lone.batch.state[...] = begun[world]
        lone.batch.step(nstep=n)
        passage = lone._limits.drives.watch(lone.batch).passage
        start = begun[world : world + 1]
        found = passage.beyond(every, start, lone.batch.state, alone, n)
        assert (found is not None) == expected


@pytest.mark.parametrize("policy", ["report", "reset"])
@pytest.mark.parametrize("told", [False, True], ids=["in the call", "before it"])
@pytest.mark.parametrize("n", [4, 20])
def test_worlds_that_fail_do_so_as_step_by_step(policy, told, n):
    """Pushed so hard that they spin apart, at once or steps later; or by what a read has found."""
    at_once, alone = (started(arm(), 3e-4, on_failure=policy) for _ in range(2))
    pushed, pushes = np.arange(7, 19), np.logspace(3, 14, 12)
    for sim in (at_once, alone):
        sim.write("qfrc_applied", pushes[:, None], pushed, [2])
        if told:
            sim.write("qvel", np.nan, [70])
        sim.read("xpos")
    at_once.step(n)
    for _ in range(n):
        alone.step()
    first = {}
    for failure in alone.failures:
        first.setdefault(failure.world, failure)
    assert len({failure.time for failure in first.values()}) > 2
    assert (70 in first) == told
    told_first = {failure.world: failure for failure in reversed(at_once.failures)}
    assert told_first == first
    assert np.array_equal(at_once.read("qpos"), alone.read("qpos"))
    assert np.array_equal(at_once.acceleration(), alone.acceleration())
