"""A scene of all kinds of assets does on a Warp device what it does on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
import test_fresh_and_apart as scenes
from articulation_stages import values
from device_under_test import CLOSE, DEVICE, ON_GPU

from usdsim.sim import SimulationContext

pytestmark = pytest.mark.usefixtures("simulation_ends")

pytest.importorskip("mujoco_warp")

robot = scenes.robot
STATE = ("qpos", "qvel", "ctrl", "mocap_pos", "mocap_quat", "xfrc_applied")


@pytest.fixture(params=["shared", "separate"])
def both(request):
    """Runs a function on the CPU, then on a device whose memory NumPy shares, or does not."""

    def run(play):
        wanted = play("cpu")
        if request.param == "separate":
            request.getfixturevalue("separate_memory")
        return wanted, play(DEVICE)

    return run


def flat(state, prefix=""):
    """A nested state as arrays by path."""
    found = {}
    for name, entry in state.items():
        path = f"{prefix}/{name}"
        found |= flat(entry, path) if isinstance(entry, dict) else {path: values(entry)}
    return found


def advance(scene, steps):
    for _ in range(steps):
        scene.write_data_to_sim()
        SimulationContext.instance().step(render=False)
        scene.update(scene.physics_dt)


def test_states_are_reached_kept_and_returned_to(robot, both):
    def play(device):
        scene = scenes.running(robot, scenes.WORLDS, device=device)
        moments = [flat(scene.get_state())]
        scene["robots"].set_joint_position_target([[0.4, 0.1]])
        advance(scene, 15)
        kept = scene.get_state(is_relative=True)
        moments.append(flat(kept))
        advance(scene, 10)
        moments.append(flat(scene.get_state()))
        part = {
            kind: {
                name: {
                    quantity: values(array)[scenes.instances(name, np.array([2, 0]))]
                    for quantity, array in entry.items()
                }
                for name, entry in entries.items()
            }
            for kind, entries in kept.items()
        }
        scene.reset_to(part, env_ids=[2, 0], is_relative=True)
        scene.reset([2, 0])
        moments.append(flat(scene.get_state()))
        advance(scene, 5)
        moments.append(flat(scene.get_state()))
        SimulationContext.instance().reset(soft=True)
        moments.append(flat(scene.get_state()))
        return moments

    wanted, found = both(play)
    for moment, (expected, arrays) in enumerate(zip(wanted, found, strict=True)):
        assert len(expected) == 12
        for name, array in expected.items():
            scale = max(1.0, np.abs(array).max())
            np.testing.assert_allclose(
                arrays[name], array, atol=1e-4 * scale, err_msg=f"{name} at {moment}"
            )
    assert np.abs(wanted[1]["/articulation/robots/joint_velocity"]).max() > 0.1


@pytest.mark.parametrize("seed", range(3))
def test_random_writes_resets_and_forces_do_the_same_in_separate_memory(robot, seed, request):
    def play():
        scene = scenes.running(robot, scenes.WORLDS, device=DEVICE)
        engine, record = SimulationContext.instance().engine, []
        for step in scenes.plan(scene, seed):
            step(scene, None)
            record.append({field: np.array(engine.read(field)) for field in STATE})
            for name in scenes.EACH:
                for quantity in scenes.quantities(scene[name])[seed::5]:
                    array = values(getattr(scene[name].data, quantity))
                    record[-1][f"{name}.{quantity}"] = array
        return record

    wanted = play()
    request.getfixturevalue("separate_memory")
    found = play()
    for moment, (expected, arrays) in enumerate(zip(wanted, found, strict=True)):
        for name, array in expected.items():
            loose = np.abs(array).max(initial=1.0) if ON_GPU else 1.0
            np.testing.assert_allclose(
                arrays[name], array, CLOSE, CLOSE * loose, err_msg=f"{name} at {moment}"
            )
