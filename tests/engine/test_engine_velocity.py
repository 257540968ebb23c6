"""Velocity limits do not depend on how steps are grouped."""

from __future__ import annotations

import numpy as np
import pytest
from device_under_test import DEVICE
from engine_scenes import G, X, body, dof, engine, joint, scene

from usdsim.core.errors import SimulationError
from usdsim.engine import compile_scene, create_engine
from usdsim.engine.cpu import groups

COUNT = 5


@pytest.fixture(autouse=True, params=[1, 2, 100])
def together(request, monkeypatch):
    """One world after the other, or several at a time."""
    monkeypatch.setattr(groups, "TOGETHER", request.param)


def swinging():
    """A double pendulum whose joints soon reach their limits in some worlds."""
    arms = [
        body(f"/arm{i}", joints=(i,), parent=i - 1, com=np.array([0, 0, -0.2])) for i in range(2)
    ]
    axes = [
        joint(
            dof(f"/pin{i}", axis=X, anchor=np.array([0, 0, -0.4 * i]), velocity_limit=2.0 - i),
            path=f"/pin{i}",
            parent=i - 1,
            child=i,
        )
        for i in range(2)
    ]
    return scene(arms, axes, gravity=np.array([0, 0, -G]))


def started(**values):
    sim = engine(swinging(), num_envs=COUNT, **values)
    sim.write("qpos", np.linspace(0.0, 1.5, COUNT)[:, None], ids=[0])
    return sim


@pytest.mark.parametrize("group", [2, 7, 50, 150])
def test_grouped_steps_are_the_same_bits(group):
    single, grouped = started(), started()
    rounds = 300 // group
    fastest = np.zeros((COUNT, 2))
    for _ in range(rounds * group):
        single.step()
        fastest = np.maximum(fastest, np.abs(single.read("qvel")))
    for _ in range(rounds):
        grouped.step(group)
    for field in ("qpos", "qvel", "time", "xpos", "qacc"):
        assert (single.read(field) == grouped.read(field)).all()
    # Some worlds were at a limit and some were not, or this would compare too little.
    at_limit = np.isclose(fastest, [2.0, 1.0], rtol=1e-9).any(axis=1)
    assert at_limit.any() and not at_limit.all()
    assert (fastest <= np.array([2.0, 1.0]) + 1e-9).all()


def test_only_the_worlds_stepped_are_limited():
    single, grouped = started(), started()
    for sim in (single, grouped):
        sim.write("qvel", 30.0, env_ids=[0])
    for _ in range(40):
        single.step(env_ids=[4, 1])
    grouped.step(40, env_ids=[4, 1])
    assert (single.read("qpos") == grouped.read("qpos")).all()
    assert grouped.read("qvel")[0].tolist() == [30.0, 30.0]
    assert grouped.time == pytest.approx([0, 0.08, 0, 0, 0.08])


@pytest.mark.parametrize("policy", ["raise", "reset", "report"])
def test_failures_are_those_of_single_steps(policy):
    single, grouped = started(on_failure=policy), started(on_failure=policy)
    for sim in (single, grouped):
        sim.step(3)
        sim.write("qvel", np.nan, env_ids=[2])
    errors = []
    for sim, calls in ((single, [1] * 12), (grouped, [12])):
        for count in calls:
            try:
                sim.step(count)
            except SimulationError as error:
                errors.append((error.worlds, error.prims, error.times))
    assert len(errors) == (2 if policy == "raise" else 0)
    assert errors[:1] == errors[1:]
    assert [(f.world, f.message) for f in single.failures] == [
        (f.world, f.message) for f in grouped.failures
    ]
    assert single.failures[0].time == pytest.approx(0.006)
    assert (single.read("qpos") == grouped.read("qpos")).all()
    assert (single.time == grouped.time).all()


@pytest.mark.parametrize("device", ["cpu", DEVICE])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_state_that_the_last_step_starts_from_is_handed_out(device, count):
    compiled = compile_scene(swinging())
    single, grouped = (create_engine(compiled, COUNT, device=device) for _ in range(2))
    for sim in (single, grouped):
        sim.write("qpos", np.linspace(0.0, 1.5, COUNT)[:, None], ids=[0])
    starts = {name: np.full((COUNT, 2), -7.0) for name in ("qpos", "qvel")}
    single.step(count - 1, env_ids=[0, 3])
    grouped.step(count, env_ids=[0, 3], starts=starts)
    for name, values in starts.items():
        assert (values[[0, 3]] == single.read(name)[[0, 3]]).all()
        assert (values[[1, 2, 4]] == -7.0).all()
