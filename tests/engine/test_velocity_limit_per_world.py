"""Velocity limits that differ between worlds and change at run time."""

from __future__ import annotations

import numpy as np
import pytest
from engine_scenes import X, Z, body, dof, engine, joint, one_joint, pose, scene

from usdsim.core.errors import InvalidValueError, ShapeError, UnsupportedError
from usdsim.engine.cpu import groups

INERTIA = 0.1


def spinning(**values):
    """A hinge without gravity, in three worlds unless told otherwise."""
    values.setdefault("num_envs", 3)
    return engine(one_joint(dof(), inertia=np.full(3, INERTIA)), **values)


def two_joints(**values):
    """A free body that carries a slide, which carries a hinge."""
    bodies = [
        body("/base", inertia=np.full(3, 0.2)),
        body("/cart", joints=(0,), parent=0),
        body("/wheel", joints=(1,), parent=1),
    ]
    joints = [
        joint(dof("/rail", "slide", X), path="/rail", kind="prismatic", parent=0, child=1),
        joint(dof("/axle", axis=Z), path="/axle", parent=1, child=2),
    ]
    return engine(scene(bodies, joints, gravity=np.zeros(3)), **values)


def test_limits_start_as_authored_and_are_read_only():
    sim = engine(one_joint(dof(velocity_limit=1.5)), num_envs=2)
    assert sim.velocity_limits.tolist() == [[1.5], [1.5]]
    with pytest.raises(ValueError, match="read-only"):
        sim.velocity_limits[0, 0] = 2.0


def test_each_world_has_its_own_limit():
    sim = spinning()
    sim.set_velocity_limits([[1.0], [2.0], [np.inf]])
    sim.write("qfrc_applied", 1.0)
    for _ in range(200):
        sim.step()
    free = 200 * 0.002 / INERTIA
    assert sim.read("qvel")[:, 0] == pytest.approx([1.0, 2.0, free], rel=1e-6)
    # q += h v with v growing by a h up to the limit, then staying there
    grown = np.arange(1, 201) * 0.002 / INERTIA
    expected = [0.002 * np.minimum(grown, limit).sum() for limit in (1.0, 2.0, np.inf)]
    assert sim.read("qpos")[:, 0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("together", [1, 2, 100])
def test_limits_of_worlds_hold_whatever_the_grouping(together, monkeypatch):
    monkeypatch.setattr(groups, "TOGETHER", together)
    single, grouped = spinning(), spinning()
    for sim in (single, grouped):
        sim.set_velocity_limits([[0.5], [2.0], [np.inf]])
        sim.write("qfrc_applied", 1.0)
    for _ in range(60):
        single.step()
    grouped.step(20)
    grouped.step(40, env_ids=[2, 0])
    grouped.step(40, env_ids=[1])
    assert (single.read("qpos") == grouped.read("qpos")).all()
    assert (single.read("qvel") == grouped.read("qvel")).all()


def test_only_the_worlds_and_axes_named_change():
    sim = two_joints(num_envs=2)
    sim.set_velocity_limits([3.0], env_ids=[1], dofs=[7])
    expected = np.full((2, 8), np.inf)
    expected[1, 7] = 3.0
    assert (sim.velocity_limits == expected).all()
    sim.set_velocity_limits([4.0, 5.0])
    expected[:, 6:] = [4.0, 5.0]
    assert (sim.velocity_limits == expected).all()
    sim.set_velocity_limits(6.0, env_ids=[True, False], dofs=np.arange(8) == 6)
    expected[0, 6] = 6.0
    assert (sim.velocity_limits == expected).all()


def test_a_limit_set_below_the_speed_acts_with_the_next_step_and_goes_again():
    sim = spinning(num_envs=1)
    sim.write("qvel", 5.0)
    sim.set_velocity_limits(1.0)
    assert sim.read("qvel")[0, 0] == 5.0
    sim.step()
    assert sim.read("qvel")[0, 0] == pytest.approx(1.0)
    assert sim.read("qpos")[0, 0] == pytest.approx(0.002)
    sim.set_velocity_limits(np.inf)
    sim.write("qvel", 5.0)
    sim.step()
    assert sim.read("qvel")[0, 0] == pytest.approx(5.0)


def test_a_limit_of_zero_holds_the_axis():
    sim = spinning(num_envs=1)
    sim.set_velocity_limits(0.0)
    sim.write("qfrc_applied", 3.0)
    sim.step(10)
    assert sim.read("qvel")[0, 0] == pytest.approx(0.0, abs=1e-12)
    assert sim.read("qpos")[0, 0] == pytest.approx(0.0, abs=1e-12)


def test_limits_keep_momentum_in_the_worlds_that_have_them():
    sim = two_joints(num_envs=2)
    sim.set_velocity_limits(0.5, env_ids=[1], dofs=[6])
    sim.write("qvel", 2.0, ids=[6])
    sim.step()
    assert sim.read("qvel")[:, 6] == pytest.approx([2.0, 0.5])
    # three bodies of one kilogram: the base moves so that all together keep their momentum
    base, rail = sim.read("qvel")[:, 0], sim.read("qvel")[:, 6]
    assert 3.0 * base + 2.0 * rail == pytest.approx([4.0, 4.0])


def test_without_limits_steps_are_those_of_the_engine_alone():
    plain, limited = spinning(), spinning()
    limited.set_velocity_limits(1.0)
    limited.set_velocity_limits(np.inf)
    for sim in (plain, limited):
        sim.write("qfrc_applied", 1.0)
        sim.step(50)
    assert not limited._watching
    assert (plain.read("qpos") == limited.read("qpos")).all()


@pytest.mark.parametrize(
    ("values", "selection", "error", "words"),
    [
        (np.nan, {}, InvalidValueError, "nan.*>= 0"),
        ([1.0, -2.0], {}, InvalidValueError, "-2.0.*>= 0"),
        ("fast", {}, InvalidValueError, "numbers"),
        ([1.0, 2.0, 3.0], {}, ShapeError, r"\(2, 2\)"),
        (1.0, {"dofs": [8]}, InvalidValueError, "0 to 7"),
        (1.0, {"env_ids": [2]}, InvalidValueError, "0 to 1"),
        (1.0, {"dofs": [0]}, UnsupportedError, "hinges and slides"),
    ],
)
def test_what_is_refused_changes_nothing(values, selection, error, words):
    sim = two_joints(num_envs=2)
    sim.set_velocity_limits([4.0, 5.0])
    before = sim.velocity_limits.copy()
    with pytest.raises(error, match=words):
        sim.set_velocity_limits(values, **selection)
    assert (sim.velocity_limits == before).all()


def test_ball_joints_have_no_limit_and_are_named():
    ball = dof("/socket", "ball")
    sim = engine(one_joint(ball, kind="spherical", at=pose()))
    with pytest.raises(UnsupportedError, match="'/socket'"):
        sim.set_velocity_limits(1.0, dofs=[0])
