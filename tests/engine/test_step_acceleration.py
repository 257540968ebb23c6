"""Acceleration over the last step, and when it is that of the forces instead."""

from __future__ import annotations

import numpy as np
import pytest
from engine_scenes import body, dof, engine, geom, ground, one_joint, pose, scene

H = 0.002
INERTIA = 0.1


def hinge(**values):
    """A damped hinge in two worlds, without gravity."""
    values.setdefault("num_envs", 2)
    return engine(one_joint(dof(damping=5.0), inertia=np.full(3, INERTIA)), **values)


def asked(sim):
    """The engine, told to keep velocities."""
    sim.acceleration()
    return sim


def test_before_any_step_it_is_what_the_forces_imply():
    sim = hinge()
    sim.write("qfrc_applied", [[1.0], [2.0]])
    assert sim.acceleration()[:, 0] == pytest.approx([1.0 / INERTIA, 2.0 / INERTIA])


def test_the_step_after_the_first_call_is_the_first_that_counts():
    sim = hinge()
    sim.write("qvel", 1.0)
    sim.step()
    late = sim.acceleration().copy()
    assert (late == sim.read("qacc")).all()
    before = sim.read("qvel").copy()
    sim.step()
    assert sim.acceleration() == pytest.approx((sim.read("qvel") - before) / H)


def test_tracking_counts_the_next_step_and_computes_no_forces():
    sim = hinge()
    sim.write("qvel", 1.0)
    changes = sim.versions.forces
    sim.track_acceleration()
    assert sim.versions.forces == changes
    sim.step()
    assert sim.acceleration() == pytest.approx((sim.read("qvel") - 1.0) / H)


def test_it_is_what_implicit_damping_did():
    sim = asked(hinge())
    sim.write("qvel", 1.0)
    sim.step()
    # (1 + h d / I) v' = v
    after = 1.0 / (1.0 + H * 5.0 / INERTIA)
    assert sim.acceleration()[:, 0] == pytest.approx([(after - 1.0) / H] * 2)
    assert sim.read("qacc")[0, 0] == pytest.approx(-5.0 / INERTIA)


@pytest.mark.parametrize("limit", [np.inf, 2.0])
def test_of_many_steps_the_last_counts(limit):
    single, grouped = (asked(hinge()) for _ in range(2))
    for sim in (single, grouped):
        sim.set_velocity_limits(limit)
        sim.write("qvel", [[1.0], [4.0]])
        sim.write("qfrc_applied", 3.0)
    for _ in range(7):
        single.step()
    grouped.step(7)
    assert (single.acceleration() == grouped.acceleration()).all()
    assert (single.read("qpos") == grouped.read("qpos")).all()


def test_velocity_limits_count():
    sim = asked(hinge())
    sim.set_velocity_limits(0.3)
    sim.write("qvel", 1.0)
    sim.step()
    assert sim.acceleration()[:, 0] == pytest.approx([-0.7 / H] * 2)


def test_it_is_of_a_free_body_that_hits_the_ground():
    sim = asked(engine(scene([body(at=pose((0, 0, 0.099)))], (), [geom(), ground()])))
    sim.write("qvel", -1.0, ids=[2])
    before = sim.read("qvel").copy()
    sim.step()
    assert sim.acceleration()[0] == pytest.approx((sim.read("qvel") - before)[0] / H)
    assert sim.acceleration()[0, 2] > 10.0


def test_worlds_written_or_reset_since_have_that_of_their_forces():
    sim = asked(engine(one_joint(dof(damping=5.0), inertia=np.full(3, INERTIA)), num_envs=6))
    sim.write("qvel", 1.0)
    sim.step()
    stepped = sim.acceleration().copy()
    sim.write("qvel", 0.5, env_ids=[1])
    sim.write("qfrc_applied", 1.0, env_ids=[2])
    sim.reset([3])
    sim.set_param("dof_damping", 1.0, env_ids=[4])
    sim.state("qpos")[5] = 0.0
    sim.touch([5])
    after = sim.acceleration()
    v = stepped[0, 0] * H + 1.0
    expected = [stepped[0, 0], -25.0, (1.0 - 5.0 * v) / INERTIA, 0.0, -v / INERTIA, -50.0 * v]
    assert after[:, 0] == pytest.approx(expected)


def test_worlds_that_do_not_step_keep_theirs():
    sim = asked(hinge())
    sim.write("qvel", 1.0)
    sim.step()
    before = sim.acceleration().copy()
    sim.step(2, env_ids=[0])
    assert sim.acceleration()[1] == before[1]
    assert abs(sim.acceleration()[0, 0]) < abs(before[0, 0])


@pytest.mark.parametrize("policy", ["reset", "report"])
def test_worlds_that_diverged_have_that_of_their_forces(policy):
    sim = asked(hinge(on_failure=policy))
    sim.write("qfrc_applied", 1.0)
    sim.write("qvel", 1.0)
    sim.write("qvel", np.nan, env_ids=[1])
    sim.step()
    assert len(sim.failures) == 1
    values = sim.acceleration()
    assert np.isfinite(values).all()
    assert values[1] == sim.read("qacc")[1]
    assert values[0, 0] != sim.read("qacc")[0, 0]


def test_it_is_read_only_computed_once_and_costs_nothing_unasked():
    sim = hinge()
    sim.step()
    assert not sim._watching
    values = sim.acceleration()
    sim.step()
    values = sim.acceleration()
    assert sim.acceleration() is values
    with pytest.raises(ValueError, match="read-only"):
        values[0, 0] = 1.0
