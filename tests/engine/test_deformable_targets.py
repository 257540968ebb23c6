"""Constraints that hold vertices of deformable bodies at targets."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from engine_scenes import scene
from soft_scenes import soft, tet_grid

from usdsim.engine import CpuEngine, compile_scene
from usdsim.engine.parameters.cpu import Parameters
from usdsim.parser.description import PinDescription

POINTS, ELEMENTS = tet_grid((2, 1, 1), (0.4, 0.2, 0.2), at=(0.0, 0.0, 1.0))


def compiled(follows=True, options=None, timestep=0.002, **values):
    body = replace(soft(POINTS, ELEMENTS, **values), follows_targets=follows)
    given = {} if options is None else {"options": options}
    return compile_scene(scene(deformables=(body,), timestep=timestep, **given))


def hold(engine, rows, offset=None):
    engine.state("eq_active")[:, rows] = True
    engine.touch(field="eq_active")
    if offset is not None:
        data = np.array(engine.param("eq_data")[:, rows])
        data[..., 0] = offset
        engine.set_param("eq_data", data, ids=rows)


def test_there_is_one_for_each_coordinate_and_none_unless_asked_for():
    model = compiled()
    (found,) = model.deformables
    assert found.eq_ids.shape == (len(POINTS), 3) and model.mj.neq == 3 * len(POINTS)
    assert len(np.unique(found.eq_ids)) == model.mj.neq
    joints = model.mj.eq_obj1id[found.eq_ids]
    np.testing.assert_array_equal(
        model.mj.jnt_qposadr[joints], found.qpos_adr[:, None] + np.arange(3)
    )
    assert not model.mj.eq_active0.any()
    bare = compiled(follows=False)
    assert bare.mj.neq == 0 and (bare.deformables[0].eq_ids == -1).all()


def test_while_they_are_off_nothing_differs():
    engines = [CpuEngine(compiled(follows)) for follows in (True, False)]
    for engine in engines:
        engine.write("qvel", np.linspace(-1.0, 1.0, engine.compiled.mj.nv))
        engine.step(50)
    np.testing.assert_allclose(engines[0].read("qpos"), engines[1].read("qpos"), atol=1e-12)


@pytest.mark.parametrize(("integrator", "step"), [("discrete", 0.004), ("Euler", 1e-4)])
def test_a_held_vertex_reaches_its_target_in_one_step(integrator, step):
    chosen = int(getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}"))
    model = compiled(options={"option.integrator": chosen}, timestep=step)
    assert model.mj.opt.integrator == chosen and model.mj.opt.timestep == step
    engine = CpuEngine(model)
    held = model.deformables[0].eq_ids[POINTS[:, 0] < 1e-9].reshape(-1)
    qpos = model.mj.jnt_qposadr[model.mj.eq_obj1id[held]]
    wanted = np.array(engine.read("qpos")[0, qpos])
    way = step * np.tile([0.4, 0.2, -0.1], len(held) // 3)
    for _ in range(20):
        wanted = wanted + way
        hold(engine, held, wanted - model.mj.qpos0[qpos])
        engine.step()
        error = np.abs(engine.read("qpos")[0, qpos] - wanted).max()
        assert error < 1e-3 * np.abs(way).max()


def test_pinned_and_kinematic_vertices_have_none():
    low = np.flatnonzero(POINTS[:, 0] < 1e-9)
    pin = PinDescription(path="/pin", body=-1, vertices=low.astype(np.int32), points=POINTS[low])
    rows = compiled(pins=(pin,)).deformables[0].eq_ids
    np.testing.assert_array_equal(np.flatnonzero((rows == -1).all(axis=1)), low)
    moved = compiled(kinematic=True)
    assert moved.mj.neq == 0 and (moved.deformables[0].eq_ids == -1).all()


def test_constants_are_derived_from_ties_but_not_from_targets(monkeypatch):
    low = np.flatnonzero(POINTS[:, 0] < 1e-9)
    away = POINTS[low] - np.array([0.05, 0.0, 0.0])
    pin = PinDescription(path="/pin", body=-1, vertices=low.astype(np.int32), points=away)
    model = compiled(pins=(pin,))
    engine = CpuEngine(model)
    targets, every = model.deformables[0].eq_ids.reshape(-1), np.arange(model.mj.neq)
    ties = np.setdiff1d(every, targets)
    assert len(ties) == len(low)
    derived = []
    monkeypatch.setattr(Parameters, "_derive", lambda self, field, *rest: derived.append(field))
    engine.set_param("eq_data", engine.param("eq_data")[:, targets] + 0.01, ids=targets)
    engine.set_param("eq_data", engine.param("eq_data")[:, ties], ids=ties)
    assert not derived, "of targets nothing is, nor of ties that are written as they are"
    for chosen in (ties, np.isin(every, ties), None):
        values = engine.param("eq_data") + 0.01
        engine.set_param("eq_data", values if chosen is None else values[:, chosen], ids=chosen)
    assert derived == ["eq_data"] * 3
