"""Resets by state rows, parameters restored by copying, and constants derived once."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from engine_scenes import G, X, Z, body, dof, engine, geom, ground, joint, pose, scene
from mujoco import batch as mjbatch

from usdsim.engine import CpuEngine
from usdsim.engine.fields import STATE

COUNT = 4
SOME = np.array([0, 2])
REST = np.array([1, 3])


def stage():
    """A pendulum on a box that lies on the ground, and a driven slide."""
    bodies = [
        body("/box", at=pose((0, 0, 0.5))),
        body("/arm", joints=(0,), parent=0, com=np.array([0, 0.1, -0.2])),
        body("/cart", joints=(1,), at=pose((2, 0, 1))),
    ]
    axes = [
        joint(dof("/pin", axis=X, damping=0.1), path="/pin", parent=0, child=1),
        joint(dof("/rail", "slide", Z, damping=1.0), path="/rail", kind="prismatic", child=2),
    ]
    return scene(bodies, axes, [ground(), geom(path="/box/shape")], gravity=np.array([0, 0, -G]))


def started() -> CpuEngine:
    sim = engine(stage(), num_envs=COUNT)
    assert isinstance(sim, CpuEngine)
    return sim


def shaken() -> CpuEngine:
    """Worlds in which everything that is state is something else than at first."""
    sim = started()
    rng = np.random.default_rng(0)
    for field in ("qvel", "xfrc_applied", "qfrc_applied", "ctrl", "act", "userdata"):
        state = sim.state(field)
        state[...] = rng.normal(size=state.shape)
        sim.touch(field=field)
    sim.step(20)
    return sim


@pytest.mark.parametrize("worlds", [None, SOME, np.array([True, False, True, False])])
def test_a_reset_by_rows_is_the_engines_own(worlds, monkeypatch):
    ours, engines = shaken(), shaken()
    calls = []
    reset = mjbatch.Batch.reset
    monkeypatch.setattr(mjbatch.Batch, "reset", lambda *args: calls.append(args) or reset(*args))
    ours.reset(worlds)
    assert not calls
    engines._rows._row = None
    engines.reset(worlds)
    assert len(calls) == 1
    for _ in range(2):
        for field in (*sorted(STATE), "xpos", "cvel", "qacc", "sensordata", "qfrc_constraint"):
            np.testing.assert_array_equal(ours.read(field), engines.read(field), field)
        ours.step(30)
        engines.step(30)


def test_worlds_with_parameters_of_state_are_reset_by_the_engine():
    sim = shaken()
    assert sim._rows.reset(sim.batch, SOME)
    sim.batch.expand("eq_active0")
    assert not sim._rows.reset(sim.batch, SOME)


def every_parameter(sim: CpuEngine) -> dict[str, np.ndarray]:
    """All parameters of all worlds, derived ones included."""
    models = [sim.world_model(world) for world in range(sim.num_envs)]
    found = {}
    for name in mjbatch.MODEL_FIELDS:
        owners = [model.opt if name.startswith("opt.") else model for model in models]
        found[name] = np.stack([getattr(o, name.removeprefix("opt.")) for o in owners])
    return found


CHANGES = {
    "body_mass": lambda now: 2.0 * now,
    "body_inertia": lambda now: 3.0 * now,
    "dof_armature": lambda now: now + 0.1,
    "geom_friction": lambda now: 0.5 * now,
    "geom_size": lambda now: 1.5 * now,
    "opt.gravity": lambda now: 0.5 * now,
}


@pytest.mark.parametrize("fields", [[name] for name in CHANGES] + [list(CHANGES)])
def test_restored_worlds_are_as_if_nothing_had_been_written(fields):
    plain, sim = started(), started()
    for field in fields:
        sim.set_param(field, CHANGES[field](sim.param(field)))
    sim.step(3)
    written = every_parameter(sim)
    sim.restore_params(fields, SOME)
    restored, original = every_parameter(sim), every_parameter(plain)
    for name, values in restored.items():
        np.testing.assert_array_equal(values[SOME], original[name][SOME], name)
        np.testing.assert_array_equal(values[REST], written[name][REST], name)
    for each in (plain, sim):
        each.reset()
        each.step(30)
    np.testing.assert_array_equal(sim.read("qpos")[SOME], plain.read("qpos")[SOME])
    assert all((written[name][REST] != original[name][REST]).any() for name in fields)


def test_what_is_not_restored_stays():
    sim, other = started(), started()
    for each in (sim, other):
        each.set_param("body_mass", 2.0 * each.param("body_mass"))
    sim.set_param("dof_armature", 0.5)
    sim.restore_params(["dof_armature"], None)
    found, expected = every_parameter(sim), every_parameter(other)
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-12, atol=1e-15, err_msg=name)


def test_constants_are_derived_once_for_worlds_that_changed(monkeypatch):
    derived = []
    set_const = mjbatch.Batch.set_const
    monkeypatch.setattr(
        mjbatch.Batch,
        "set_const",
        lambda batch, ids: derived.append(ids.tolist()) or set_const(batch, ids),
    )
    sim = started()
    sim.set_param("body_mass", 3.0, env_ids=[1], ids=[1])
    sim.set_param("body_inertia", 0.3, env_ids=[3], ids=[2])
    sim.set_param("dof_armature", 0.2, env_ids=[1])
    assert not derived
    assert sim.param("body_mass")[:, 1].tolist() == [1.0, 3.0, 1.0, 1.0]
    assert not derived
    sim.step()
    assert derived == [[1, 3]]
    sim.set_param("body_mass", 3.0, env_ids=[1], ids=[1])
    sim.step()
    assert derived == [[1, 3]]


@pytest.mark.parametrize("read", ["param", "world_model", "read", "batch"])
def test_whoever_looks_sees_constants_that_follow(read):
    sim = started()
    model = sim.world_model(0)
    model.body_mass[1] = 5.0
    mujoco.mj_setConst(model, mujoco.MjData(model))
    sim.set_param("body_mass", 5.0, env_ids=[2], ids=[1])
    if read == "param":
        found = sim.param("body_subtreemass")[2]
    elif read == "world_model":
        found = sim.world_model(2).body_subtreemass
    elif read == "batch":
        found = sim.batch.expanded("body_subtreemass")[2]
    else:
        data = mujoco.MjData(model)
        data.qpos[:] = sim.read("qpos")[2]
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(sim.read("subtree_com")[2], data.subtree_com, atol=1e-12)
        return
    np.testing.assert_array_equal(found, model.body_subtreemass)
