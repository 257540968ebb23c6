"""What a Warp device says about worlds that diverge and contacts that find no room."""

from __future__ import annotations

import numpy as np
import pytest
from device_under_test import DEVICE
from engine_scenes import body, compile_scene, dof, geom, ground, joint, pose, scene
from warp_scenes import compiled_workshop

from usdsim.core.errors import SimulationError
from usdsim.engine import CpuEngine
from usdsim.engine.warp.capacity import Capacity, estimate_capacity
from usdsim.parser.description import MimicDescription

warp_engine = pytest.importorskip("usdsim.engine.warp.engine")

ELBOW, BOX = "/elbow", "/box"


def device(num_envs=3, compiled=None, **options):
    return warp_engine.WarpEngine(compiled or compiled_workshop(), num_envs, DEVICE, **options)


def spoil(engine, world=1):
    engine.write("qvel", np.inf, env_ids=[world], ids=[13])


@pytest.fixture(scope="module")
def shared():
    return device()


@pytest.fixture
def engine(shared):
    shared.on_failure, shared.check_interval = "raise", 1
    shared.reset()
    shared.failures.clear()
    return shared


def test_a_world_that_diverges_raises_starts_anew_and_harms_no_other(engine):
    reference = CpuEngine(engine.compiled, 3)
    engine.step(5)
    reference.step(5)
    spoil(engine)
    with pytest.raises(SimulationError, match="1 of 3 worlds failed") as caught:
        engine.step(4)
    assert caught.value.worlds == (1,)
    assert caught.value.times[0] == pytest.approx(0.01, abs=0.003)
    assert ELBOW in caught.value.prims[0]
    assert "not finite" in str(caught.value)
    assert engine.failures[0].world == 1
    assert np.isfinite(engine.read("qpos")).all()
    assert engine.time[1] == 0.0
    assert engine.read("qpos")[1] == pytest.approx(engine.initial.read("qpos")[1])
    reference.step(4)
    for world in (0, 2):
        found, wanted = engine.read("qpos")[world], reference.read("qpos")[world]
        assert found == pytest.approx(wanted, abs=1e-4)
    engine.step(20)
    reference.reset()
    reference.step(20)
    assert engine.read("qpos")[1] == pytest.approx(reference.read("qpos")[1], abs=1e-4)


def test_a_failed_world_can_be_reset_or_only_reported(engine):
    engine.on_failure = "reset"
    spoil(engine)
    engine.step(3)
    assert [failure.world for failure in engine.failures] == [1]
    assert engine.time.tolist() == pytest.approx([0.006, 0.0, 0.006])
    engine.on_failure = "report"
    spoil(engine, 2)
    engine.step(3)
    assert [failure.world for failure in engine.failures] == [1, 2]
    assert 0.0 < engine.time[2] < 0.006
    assert np.isfinite(engine.read("xpos")).all()


def test_looking_less_often_finds_the_same(engine):
    engine.check_interval = 0
    spoil(engine)
    engine.step(2)
    engine.step(2)
    assert engine.failures == []
    with pytest.raises(SimulationError, match="World 1"):
        engine.check()
    engine.check()
    engine.check_interval = 3
    engine._calls = 0
    spoil(engine)
    engine.step()
    engine.step()
    with pytest.raises(SimulationError, match="World 1"):
        engine.step()


def test_controls_that_are_not_finite_are_dropped(engine):
    engine.write("ctrl", [np.nan, 0.0, 0.0], env_ids=[0])
    with pytest.raises(SimulationError, match="a control is not finite") as caught:
        engine.step()
    assert caught.value.worlds == (0,)
    assert ELBOW in caught.value.prims[0]
    assert engine.read("ctrl")[0].tolist() == [0.0, 0.0, 0.0]
    assert engine.time[0] == pytest.approx(0.002)
    engine.step()


def test_state_written_as_nan_is_found_before_it_spreads(engine):
    engine.write("qpos", np.nan, env_ids=[2], ids=[2])
    with pytest.raises(SimulationError) as caught:
        engine.step()
    assert caught.value.worlds == (2,)
    assert BOX in caught.value.prims[0]
    engine.step(3)
    assert np.isfinite(engine.read("qpos")).all()


def test_the_first_bad_number_of_a_world_is_the_one_reported(engine):
    """Positions before velocities before controls, whichever thread sees its own first."""
    engine.on_failure = "report"
    engine.write("ctrl", [np.nan, 0.0, np.inf], env_ids=[0])
    engine.write("qpos", np.nan, env_ids=[1], ids=[2])
    engine.write("qvel", np.nan, env_ids=[1], ids=[13])
    engine.write("ctrl", [0.0, np.nan, 0.0], env_ids=[1])
    engine.write("qvel", np.nan, env_ids=[2], ids=[0, 13])
    engine.step()
    told = {failure.world: failure for failure in engine.failures}
    assert "control" in str(told[0]) and ELBOW in str(told[0])
    assert BOX in str(told[1]) and "position" in str(told[1])
    assert BOX in str(told[2]) and "velocit" in str(told[2])
    assert np.isfinite(engine.read("ctrl")).all()
    assert engine.time.tolist() == pytest.approx([0.002, 0.0, 0.0])


def test_a_world_that_diverges_is_not_held_to_velocity_limits(engine):
    engine.on_failure = "report"
    try:
        engine.set_velocity_limits(0.5)
        engine.write("qvel", np.inf, env_ids=[1], ids=[13])
        engine.write("qvel", 3.0, env_ids=[2], ids=[13])
        engine.step(3)
        assert [failure.world for failure in engine.failures] == [1]
        speeds = np.abs(engine.read("qvel"))
        assert np.isfinite(speeds).all()
        assert speeds[2, 13] <= 0.5
        assert engine.read("qvel")[1] == pytest.approx(engine.initial.read("qvel")[1], abs=0.5)
    finally:
        engine.set_velocity_limits(np.inf)


# -- room ------------------------------------------------------------------------------------------


def pile(count=6):
    bodies = [body(f"/b{i}", pose((0.0, 0.0, 0.1 + 0.19 * i))) for i in range(count)]
    shapes = [geom(f"/b{i}/s", i, "box", (0.1, 0.1, 0.1)) for i in range(count)]
    return compile_scene(scene(bodies, (), [ground(), *shapes], name="pile"))


@pytest.fixture(scope="module")
def piled():
    return pile()


def test_too_little_room_is_an_error_that_names_worlds_and_remedy(piled):
    with pytest.raises(SimulationError, match=r"nconmax=.*njmax=.*on_overflow='grow'") as caught:
        engine = device(2, piled, nconmax=64, njmax=16, on_overflow="raise")
        engine.step()
    assert caught.value.worlds == (0, 1)
    assert "pile" in str(caught.value)
    with pytest.raises(SimulationError, match="left out in world 0, 1"):
        device(2, piled, nconmax=4, njmax=256, on_overflow="raise").step()


def test_too_little_room_in_one_world_names_that_world():
    engine = device(3, nconmax=16, njmax=12, on_overflow="raise")
    engine.step(2)
    engine.write("qpos", [0.0, 0.0, 0.05, 1.0, 0.0, 0.0, 0.0], env_ids=[1], ids=range(7))
    engine.write("qpos", 0.05, env_ids=[1], ids=[9])
    with pytest.raises(SimulationError, match="constraint rows") as caught:
        engine.step()
    assert caught.value.worlds == (1,)
    engine.reset()
    engine.step(2)


def test_by_default_more_room_is_made_for_the_steps_to_come(piled, caplog):
    enough = device(2, piled)
    tight = device(2, piled, nconmax=2, njmax=8)
    with caplog.at_level("WARNING", "usdsim"):
        tight.step(60)
        tight.step(60)
    told = [record.getMessage() for record in caplog.records]
    assert told and all("found no room" in text and "From here on" in text for text in told)
    assert tight.capacity[0] > 2 and tight.capacity[1] > 8
    enough.step(120)
    assert tight.time.tolist() == pytest.approx(enough.time.tolist())
    for _ in range(4):
        # On a GPU contacts may be found in another order, and need more room once more.
        caplog.clear()
        for engine in (tight, enough):
            engine.reset()
            engine.step(60)
        if not caplog.records:
            break
    assert not caplog.records
    assert tight.read("qpos") == pytest.approx(enough.read("qpos"), abs=2e-4)


def test_what_has_no_room_when_it_is_read_is_computed_anew(piled, caplog):
    tight, enough = device(1, piled, nconmax=64, njmax=16), device(1, piled)
    for engine in (tight, enough):
        engine.forward()
    assert "From here on" in caplog.text
    assert tight.read("qacc") == pytest.approx(enough.read("qacc"), abs=1e-3)


def test_room_grows_and_the_call_is_repeated(piled):
    enough = device(2, piled)
    tight = device(2, piled, nconmax=8, njmax=16, on_overflow="grow")
    before = tight.capacity
    for engine in (enough, tight):
        engine.write("qvel", 0.1, env_ids=[1], ids=[0])
        engine.step(25)
        engine.step(5, env_ids=[1])
    assert tight.capacity[1] > before[1]
    assert tight.time.tolist() == pytest.approx([0.05, 0.06])
    assert tight.read("qpos") == pytest.approx(enough.read("qpos"), abs=2e-4)
    reference = CpuEngine(piled, 2)
    reference.write("qvel", 0.1, env_ids=[1], ids=[0])
    reference.step(25)
    assert tight.read("qpos")[0] == pytest.approx(reference.read("qpos")[0], abs=2e-4)


def test_room_grows_for_readers_too(piled):
    enough = device(1, piled)
    tight = device(1, piled, nconmax=8, njmax=16, on_overflow="grow")
    assert tight.read("xpos") == pytest.approx(enough.read("xpos"))
    assert tight.capacity[1] > 16
    tight = device(1, piled, nconmax=64, njmax=16, on_overflow="grow")
    tight.forward()
    assert tight.read("qacc") == pytest.approx(enough.read("qacc"), abs=1e-3)
    assert np.abs(tight.read("qacc")).max() > 1.0
    silent = device(1, piled, nconmax=64, njmax=16, check_interval=0, on_overflow="raise")
    assert silent.read("xpos").shape == (1, 7, 3)
    silent.step()
    with pytest.raises(SimulationError, match="njmax"):
        silent.check()
    with pytest.raises(SimulationError, match="njmax"):
        device(1, piled, nconmax=64, njmax=16, on_overflow="raise").read("qacc")


def test_room_is_what_a_probe_needs_twice_but_never_more_than_possible(piled):
    lone = compile_scene(scene([body("/ball")], (), [ground(), geom("/ball/shape", 0)]))
    found = estimate_capacity(lone)
    # One sphere on a plane: one contact, of three rows.
    assert (found.contacts, found.constraints) == (8, 8)
    room = estimate_capacity(piled)
    reference = CpuEngine(piled)
    reference.step(50)
    assert room.contacts >= 2 * reference.read("ncon")[0]
    assert room.constraints >= 2 * reference.read("nefc")[0]
    assert estimate_capacity(piled, 5, 7) == Capacity(5, 7)
    assert estimate_capacity(piled, njmax=7) == Capacity(room.contacts, 7)
    assert Capacity(8, 8).grown(3, 9) == Capacity(24, 8)


def test_loops_and_mimics_take_room_and_hold():
    bodies = [body("/a", joints=(0,)), body("/b", pose((1.0, 0.0, 0.0)), joints=(1,))]
    joints = [
        joint(dof("/left"), path="/left", child=0),
        joint(
            dof("/right"),
            path="/right",
            child=1,
            parent_frame=pose((1.0, 0.0, 0.0)),
            mimic=MimicDescription(joint="/left", gearing=-1.0),
        ),
    ]
    compiled = compile_scene(scene(bodies, joints, gravity=np.zeros(3)))
    assert compiled.mj.neq > 0
    assert estimate_capacity(compiled).constraints >= compiled.mj.neq
    on_device = device(1, compiled)
    on_device.write("qvel", 0.5, ids=[0])
    on_device.step(100)
    left, right = on_device.read("qpos")[0]
    assert right == pytest.approx(-left, abs=2e-3)
    assert left > 0.02
