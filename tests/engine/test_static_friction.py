"""Friction that holds a joint more than it brakes it."""

from __future__ import annotations

import numpy as np
import pytest
from engine_scenes import X, body, dof, engine, joint, one_joint, scene

from usdsim.core.errors import InvalidValueError, ShapeError, UnsupportedError

MASS, STATIC, DYNAMIC = 2.0, 6.0, 2.0
H = 0.002
IMPEDANCE, CONSTANT = [0.999, 0.9999], 0.02
CREEP = (1.0 / IMPEDANCE[0] - 1.0) * IMPEDANCE[1] * CONSTANT / 2.0
"""Seconds of acceleration that a held load creeps with: it is held by a stiff damper."""


def slider(**values):
    """A mass on a rail, without gravity."""
    values.setdefault("num_envs", 1)
    rail = one_joint(dof(kind="slide", axis=X), kind="prismatic", mass=MASS)
    sim = engine(rail, **values)
    assert sim.compiled.mj.dof_solref[0].tolist() == [CONSTANT, 1.0]
    assert sim.compiled.mj.dof_solimp[0, :2].tolist() == IMPEDANCE
    sim.set_joint_friction(STATIC, DYNAMIC)
    return sim


def speeds(sim, steps):
    record = []
    for _ in range(steps):
        sim.step()
        record.append(sim.read("qvel")[:, 0].copy())
    return np.array(record)


def test_a_load_below_static_friction_is_held():
    loads = np.array([0.5, 0.9, 0.99]) * STATIC
    sim = slider(num_envs=3)
    sim.write("qfrc_applied", loads[:, None])
    record = speeds(sim, 500)
    assert (record <= loads / MASS * CREEP * (1 + 1e-6)).all()
    assert record[-1] == pytest.approx(loads / MASS * CREEP, rel=1e-3)
    assert sim.param("dof_frictionloss")[:, 0].tolist() == [STATIC] * 3


def test_a_load_above_static_friction_slides_against_dynamic_friction():
    loads = np.array([1.1, 2.0]) * STATIC
    sim = slider(num_envs=2)
    sim.write("qfrc_applied", loads[:, None])
    record = speeds(sim, 400)
    rate = np.diff(record, axis=0)[-200:] / H
    assert rate == pytest.approx(np.tile((loads - DYNAMIC) / MASS, (200, 1)), rel=1e-6)
    # It first had to come free, against static friction.
    assert record[0] == pytest.approx((loads - STATIC) / MASS * H, rel=1e-6)


def test_a_sliding_mass_brakes_with_dynamic_friction_and_is_then_held():
    sim = slider()
    sim.write("qvel", 1.0)
    load = 3.0  # more than dynamic, less than static friction
    sim.write("qfrc_applied", -load)
    time = MASS * 1.0 / (load + DYNAMIC)
    record = speeds(sim, int(0.9 * time / H))[:, 0]
    expected = 1.0 - (load + DYNAMIC) / MASS * H * np.arange(1, len(record) + 1)
    assert record == pytest.approx(expected, rel=1e-6)
    # Though the load would win over dynamic friction, it finds the mass at rest.
    assert speeds(sim, 500)[-1, 0] == pytest.approx(-load / MASS * CREEP, rel=1e-3)
    assert sim.read("qpos")[0, 0] == pytest.approx(0.5 * time, abs=0.01)


def test_no_load_between_jumps_over_the_speeds_at_which_a_mass_sticks():
    count = 40
    sim = slider(num_envs=count)
    loads = np.linspace(DYNAMIC + 0.05, STATIC - 0.05, count)
    sim.write("qvel", np.linspace(0.3, 0.317, count)[:, None])
    sim.write("qfrc_applied", -loads[:, None])
    assert speeds(sim, 700)[-1] == pytest.approx(-loads / MASS * CREEP, rel=1e-2)


def test_the_step_count_of_a_call_makes_no_difference():
    single, grouped = slider(num_envs=2), slider(num_envs=2)
    for sim in (single, grouped):
        sim.write("qfrc_applied", [[-5.0], [7.0]])
        sim.write("qvel", [[1.0], [0.0]])
    for _ in range(300):
        single.step()
    grouped.step(100)
    grouped.step(200, env_ids=[1])
    grouped.step(200, env_ids=[0])
    for field in ("qpos", "qvel", "qacc"):
        assert (single.read(field) == grouped.read(field)).all()


def test_equal_frictions_are_the_engines_own():
    told, own = slider(num_envs=2), slider(num_envs=2)
    told.set_joint_friction(3.0, 3.0)
    own.set_param("dof_frictionloss", 3.0)
    for sim in (told, own):
        assert not sim._watching
        sim.write("qfrc_applied", [[2.0], [4.0]])
        sim.step(100)
    assert (told.read("qpos") == own.read("qpos")).all()


def test_frictions_are_per_world_and_axis():
    bodies = [body(f"/b{i}", joints=(i,), parent=i - 1) for i in range(3)]
    joints = [
        joint(
            dof(f"/j{i}", "slide", np.eye(3)[i], friction=0.5), path=f"/j{i}", parent=i - 1, child=i
        )
        for i in range(3)
    ]
    sim = engine(scene(bodies, joints, gravity=np.zeros(3)), num_envs=2)
    assert [values.tolist() for values in sim.joint_friction] == [[[0.5] * 3] * 2] * 2
    sim.set_joint_friction(2.0, 1.0, env_ids=[1], dofs=[0, 2])
    sim.set_joint_friction(static=4.0, dofs=[True, False, False])
    static, dynamic = sim.joint_friction
    assert static.tolist() == [[4.0, 0.5, 0.5], [4.0, 0.5, 2.0]]
    assert dynamic.tolist() == [[0.5, 0.5, 0.5], [1.0, 0.5, 1.0]]
    sim.write("qvel", 1.0)
    sim.step()
    assert sim.param("dof_frictionloss").tolist() == [[0.5, 0.5, 0.5], [1.0, 0.5, 1.0]]
    for values in (static, dynamic):
        with pytest.raises(ValueError, match="read-only"):
            values[0, 0] = 1.0


def test_what_is_read_without_a_step_uses_the_friction_that_acts():
    sim = slider()
    sim.write("qfrc_applied", 10.0)
    assert sim.read("qacc")[0, 0] == pytest.approx((10.0 - STATIC) / MASS)
    sim.write("qvel", 1.0)
    assert sim.read("qacc")[0, 0] == pytest.approx((10.0 - DYNAMIC) / MASS)
    sim.reset()
    assert sim.param("dof_frictionloss")[0, 0] == DYNAMIC  # nothing has asked yet
    sim.write("qfrc_applied", 10.0)
    sim.step()
    assert sim.read("qvel")[0, 0] == pytest.approx((10.0 - STATIC) / MASS * H)


def test_writing_the_engines_parameter_sets_both():
    sim = slider(num_envs=2)
    sim.set_param("dof_frictionloss", 1.0, env_ids=[1])
    static, dynamic = sim.joint_friction
    assert static[:, 0].tolist() == [STATIC, 1.0]
    assert dynamic[:, 0].tolist() == [DYNAMIC, 1.0]
    sim.write("qvel", 1.0)
    sim.step()
    assert sim.param("dof_frictionloss")[:, 0].tolist() == [DYNAMIC, 1.0]


def test_stuckness_follows_the_mass_and_the_time_step():
    sim = slider(num_envs=2)
    sim.set_param("body_mass", 20.0, env_ids=[1], ids=[1])
    limit = STATIC / MASS * (H + CREEP)
    sim.write("qvel", [[0.99 * limit], [0.99 * limit]])
    sim.step()
    assert sim.param("dof_frictionloss")[:, 0].tolist() == [STATIC, DYNAMIC]


def test_limits_on_velocity_and_friction_work_together():
    sim = slider()
    sim.set_velocity_limits(0.2)
    sim.write("qfrc_applied", 20.0)
    sim.step(100)
    assert sim.read("qvel")[0, 0] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({"static": 1.0}, InvalidValueError, "'/joint' in world 0 is 2.0.*at most.*1.0"),
        ({"dynamic": 7.0}, InvalidValueError, "at most the static friction, 6.0.*both at once"),
        ({"static": -1.0, "dynamic": 0.0}, InvalidValueError, "static friction is -1.0"),
        ({"static": 1.0, "dynamic": np.nan}, InvalidValueError, "dynamic friction is nan"),
        ({"static": np.inf}, InvalidValueError, "finite"),
        ({"static": [9.0, 9.0]}, ShapeError, r"\(1, 1\)"),
        ({"static": 9.0, "dofs": [1]}, InvalidValueError, "0 to 0"),
    ],
)
def test_what_is_refused_changes_nothing(values, error, words):
    sim = slider()
    with pytest.raises(error, match=words):
        sim.set_joint_friction(**values)
    assert [v.tolist() for v in sim.joint_friction] == [[[STATIC]], [[DYNAMIC]]]
    assert sim.param("dof_frictionloss")[0, 0] == STATIC


def test_free_bodies_have_no_joint_friction():
    sim = engine(scene([body()]))
    with pytest.raises(UnsupportedError, match="static friction"):
        sim.set_joint_friction(1.0, 1.0, dofs=[0])
