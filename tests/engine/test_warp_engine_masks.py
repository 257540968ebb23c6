"""What only a Warp device knows: masks there, keyframes of worlds, and steps in recordings."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
import warp as wp
from device_under_test import DEVICE
from engine_scenes import X, body, geom, ground, pose, scene
from warp_scenes import WORLDS, compiled_workshop, engines

from usdsim.core.errors import ShapeError, SimulationError, UnknownNameError
from usdsim.engine import compile_scene
from usdsim.parser.description import GenericDescription

warp_engine = pytest.importorskip("usdsim.engine.warp.engine")


@pytest.fixture(scope="module")
def module_pair():
    return engines(compiled_workshop())


@pytest.fixture
def pair(module_pair):
    """The same worlds on the CPU and on the device, at their start."""
    for engine in module_pair:
        engine.reset()
        engine.track_acceleration()
    return module_pair


def both(pair, method, *args, **kwargs):
    return [getattr(engine, method)(*args, **kwargs) for engine in pair]


def mask(*worlds):
    return wp.array([i in worlds for i in range(WORLDS)], dtype=wp.bool)


def test_worlds_of_a_mask_start_over(pair):
    cpu, device = pair
    both(pair, "step", 20)
    kept = np.array(device.read("qpos"))
    device.reset(mask(0, 2))
    cpu.reset([0, 2])
    np.testing.assert_array_equal(device.read("qpos")[1], kept[1])
    assert device.read("xpos") == pytest.approx(cpu.read("xpos"), abs=1e-5)
    assert device.time.tolist() == pytest.approx(cpu.time.tolist())
    device.reset(mask())
    assert device.read("xpos") == pytest.approx(cpu.read("xpos"), abs=1e-5)
    with pytest.raises(ShapeError, match="mask"):
        device.reset(wp.full(WORLDS + 1, True, dtype=wp.bool))


def test_the_acceleration_of_worlds_that_others_step_past_is_kept(pair):
    both(pair, "step", 10)
    kept = np.array(both(pair, "acceleration")[1])
    both(pair, "step", 1, env_ids=[1])
    cpu, device = both(pair, "acceleration")
    assert device == pytest.approx(cpu, abs=2e-2)
    np.testing.assert_array_equal(device[[0, 2]], kept[[0, 2]])


def test_only_worlds_that_were_written_take_their_acceleration_from_forces(pair):
    device = pair[1]
    for worlds in (mask(1), wp.array([1, -1, 7], dtype=wp.int32), [1]):
        both(pair, "reset")
        both(pair, "step", 10)
        before = np.array(device.acceleration())
        velocity = device.device_array("qvel")
        kept = np.array(device.read("qvel"))
        kept[1] = 0.0
        wp.copy(velocity, wp.array(kept, dtype=wp.float32))
        device.touch_device(worlds, "qvel")
        found = device.acceleration()
        np.testing.assert_array_equal(found[[0, 2]], before[[0, 2]])
        assert found[1] == pytest.approx(device.read("qacc")[1])
        both(pair, "step", 1, env_ids=[0, 2])
        after = device.acceleration()
        assert after[1] == pytest.approx(device.read("qacc")[1])
    both(pair, "step", 1)
    device.touch_device(None, "ctrl")
    both(pair, "step", 1, env_ids=[0])
    assert device.acceleration()[1] == pytest.approx(device.read("qacc")[1])


def test_a_world_that_starts_anew_is_at_rest_until_somebody_looks():
    device = warp_engine.WarpEngine(
        compiled_workshop(), WORLDS, DEVICE, on_failure="report", check_interval=0
    )
    device.track_acceleration()
    device.step(2)
    spoiled = np.array(device.read("qvel"))
    spoiled[1, 0] = np.nan
    device.write("qvel", spoiled)
    device.step(1)
    assert np.isfinite(device.acceleration()).all()
    device.check()
    assert [failure.world for failure in device.failures] == [1]
    assert np.isfinite(device.acceleration()).all()


def test_parameters_are_handed_out_as_the_device_has_them(pair):
    device = pair[1]
    assert device.device_parameter("body_ipos").shape == (1, device.compiled.mj.nbody)
    assert device.device_parameter("opt.timestep").dtype is wp.float32
    for name in ("body_color", "key_qpos"):
        with pytest.raises(UnknownNameError, match=name):
            device.device_parameter(name)


def test_steps_in_somebody_elses_recording_are_steps(pair):
    cpu, device = pair
    key = device.prepare_step()
    device.launch_step()
    device.note_step()
    with wp.ScopedCapture(device=device.device) as capture:
        device.launch_step()
    for _ in range(3):
        assert device.prepare_step() == key
        wp.capture_launch(capture.graph)
        device.note_step()
    cpu.step(4)
    assert device.time.tolist() == pytest.approx(cpu.time.tolist())
    assert device.read("xpos") == pytest.approx(cpu.read("xpos"), abs=1e-5)
    device.set_param("body_mass", [[2.0], [1.0], [1.5]], ids=[1])
    assert device.prepare_step() != key
    device.set_param("body_mass", 1.0, ids=[1])


def test_steps_that_may_be_repeated_are_not_recorded():
    compiled = compiled_workshop()
    for options in ({"on_overflow": "grow"}, {"graphs": False}):
        assert warp_engine.WarpEngine(compiled, 1, DEVICE, **options).prepare_step() is None


def test_failures_are_raised_when_a_recorded_step_is_noted(pair):
    device = pair[1]
    device.write("qvel", np.nan, env_ids=[2])
    assert device.prepare_step() is not None
    device.launch_step()
    with pytest.raises(SimulationError, match="World 2"):
        device.note_step()


def test_worlds_have_keyframes_of_their_own():
    keyframe = GenericDescription(
        path="/high", kind="key", name="high", overrides={"qpos": [0, 0, 2.0, 1, 0, 0, 0]}
    )
    bodies = [body("/box", pose((0.0, 0.0, 0.5), X, 0.1))]
    parts = [ground(), geom("/box/shape", 0, "box", (0.1, 0.1, 0.1))]
    compiled = compile_scene(scene(bodies, (), parts, elements=(keyframe,)))
    pair = engines(compiled)
    heights = np.array([[1.0], [2.0], [3.0]])
    values = np.array(pair[0].param("key_qpos"))
    values[:, 0, 2] = heights[:, 0]
    both(pair, "reset", keyframe=0)
    assert pair[1].read("qpos")[:, 2].tolist() == [2.0] * 3
    both(pair, "set_param", "key_qpos", values)
    assert pair[1].param("key_qpos")[:, 0, 2].tolist() == [1.0, 2.0, 3.0]
    both(pair, "reset", keyframe="high", env_ids=[0, 2])
    cpu, device = (engine.read("qpos")[:, 2] for engine in pair)
    np.testing.assert_allclose(device, cpu, atol=1e-6)
    assert device.tolist() == [1.0, 2.0, 3.0]
    both(pair, "step", 3)
    both(pair, "reset")
    assert pair[1].read("qpos") == pytest.approx(pair[0].read("qpos"), abs=1e-6)


def test_tendons_beside_drives_do_not_read_past_the_actuators():
    worlds = engines(compiled_workshop())[1]._worlds
    assert worlds.m.nu > worlds.m.nactuator
    kinds = worlds.m.actuator_trntype.numpy()
    assert len(kinds) == worlds.m.nu
    assert not np.isin(kinds[worlds.m.nactuator :], [int(mujoco.mjtTrn.mjTRN_TENDON)]).any()
