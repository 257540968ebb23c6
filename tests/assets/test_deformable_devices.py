"""Deformable objects on devices and in scenes: the same as on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from deformable_stages import NODES, SOFT, soft_spawner
from device_under_test import DEVICE, ON_GPU

from usdsim.assets import DeformableObjectCfg, RigidObjectCfg
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.usd.stage import create_stage

pytestmark = pytest.mark.usefixtures("simulation_ends")

ENVS = 3


def scene_on(device, **values):
    """A scene with a soft cube and a box in every environment."""
    from asset_stages import cuboid

    SimulationContext.clear_instance()
    cfg = SimulationCfg(device=device, dt=0.002, threads=1)
    sim = SimulationContext(cfg, stage=create_stage())

    class Cfg(InteractiveSceneCfg):
        soft = DeformableObjectCfg(
            prim_path=SOFT,
            spawn=soft_spawner(**values),
            init_state=DeformableObjectCfg.InitialStateCfg(pos=(0.0, 0.0, 1.0)),
        )
        box = RigidObjectCfg(
            prim_path="{ENV_REGEX_NS}/Box",
            spawn=cuboid(),
            init_state=RigidObjectCfg.InitialStateCfg(pos=(0.0, 1.0, 1.0)),
        )

    scene = InteractiveScene(Cfg(num_envs=ENVS, env_spacing=3.0))
    sim.reset()
    return sim, scene


def test_a_scene_knows_it_as_a_deformable_object(device):
    _, scene = scene_on(device)
    assert list(scene.deformable_objects) == ["soft"] and scene["soft"].num_instances == ENVS
    places = scene["soft"].data.root_pos_w.numpy() - scene.env_origins.numpy()
    np.testing.assert_allclose(places, [[0.0, 0.0, 1.0]] * ENVS, atol=1e-6)


def test_a_scene_returns_to_a_state(device):
    sim, scene = scene_on(device)
    soft = scene["soft"]
    soft.write_nodal_velocity_to_sim(np.random.default_rng(0).normal(size=(ENVS, NODES, 3)))
    for _ in range(10):
        scene.write_data_to_sim()
        sim.step()
        scene.update(sim.physics_dt)
    state = scene.get_state(is_relative=True)
    names = {"nodal_position", "nodal_velocity", "nodal_kinematic_target"}
    assert set(state["deformable_object"]["soft"]) == names
    saved = np.array(soft.data.nodal_state_w.numpy())
    origins = scene.env_origins.numpy()[:, None]
    relative = state["deformable_object"]["soft"]["nodal_position"].numpy()
    np.testing.assert_allclose(relative, saved[..., :3] - origins, atol=1e-6)
    for _ in range(10):
        sim.step()
    # What was saved of the last environment goes to the first.
    last = {
        kind: {
            name: {key: value.numpy()[[2]] for key, value in quantities.items()}
            for name, quantities in assets.items()
        }
        for kind, assets in state.items()
    }
    scene.reset_to(last, env_ids=[0], is_relative=True)
    found = soft.data.nodal_state_w.numpy()
    np.testing.assert_allclose(
        found[0, :, :3] - origins[0], saved[2, :, :3] - origins[2], atol=1e-5
    )
    np.testing.assert_allclose(found[0, :, 3:], saved[2, :, 3:], atol=1e-5)
    assert np.abs(found[1] - saved[1]).max() > 1e-3
    scene.reset_to(state, is_relative=True)
    np.testing.assert_allclose(soft.data.nodal_state_w.numpy(), saved, atol=1e-5)
    broken = {"deformable_object": {"soft": {**last["deformable_object"]["soft"]}}}
    broken["deformable_object"]["soft"]["nodal_velocity"] = np.zeros((1, NODES + 1, 3))
    with pytest.raises(ShapeError):
        scene.reset_to(broken, env_ids=[0])
    np.testing.assert_allclose(soft.data.nodal_state_w.numpy(), saved, atol=1e-5)


def test_a_state_says_which_vertices_are_held_and_where(device):
    sim, scene = scene_on(device)
    soft = scene["soft"]
    targets = np.array(soft.data.nodal_kinematic_target.numpy())
    targets[:2, :4, 3], targets[:2, :4, 2] = 0.0, 1.3
    soft.write_nodal_kinematic_target_to_sim(targets)
    sim.step()
    state = scene.get_state(is_relative=True)
    scene.reset()
    sim.step()
    scene.reset_to(state, is_relative=True)
    found = np.array(soft.data.nodal_kinematic_target.numpy())
    np.testing.assert_array_equal(found[..., 3], targets[..., 3])
    np.testing.assert_allclose(found[:2, :4], targets[:2, :4], atol=1e-6)
    for _ in range(5):
        sim.step()
    np.testing.assert_allclose(soft.data.nodal_pos_w.numpy()[:2, :4, 2], 1.3, atol=1e-5)
    own = state["deformable_object"]["soft"]
    wrong = np.array(own["nodal_kinematic_target"].numpy())
    wrong[1, 3, 3] = 0.5
    before = np.array(soft.data.nodal_state_w.numpy())
    with pytest.raises(InvalidValueError, match=r"soft.nodal_kinematic_target\[1, 3\]"):
        scene.reset_to({"deformable_object": {"soft": {**own, "nodal_kinematic_target": wrong}}})
    np.testing.assert_array_equal(soft.data.nodal_state_w.numpy(), before)
    motion = {key: value for key, value in own.items() if key != "nodal_kinematic_target"}
    scene.reset_to({"deformable_object": {"soft": motion}}, is_relative=True)
    assert (soft.data.nodal_kinematic_target.numpy()[..., 3] == 1.0).all()


def test_resetting_a_scene_lets_go(device):
    _, scene = scene_on(device)
    soft = scene["soft"]
    targets = np.array(soft.data.nodal_kinematic_target.numpy())
    targets[..., 3] = 0.0
    soft.write_nodal_kinematic_target_to_sim(targets)
    scene.reset([1])
    flags = soft.data.nodal_kinematic_target.numpy()[..., 3]
    np.testing.assert_array_equal(flags.max(axis=1), [0.0, 1.0, 0.0])


def play(device):
    """What a soft cube does that is written in every way, by name."""
    sim, scene = scene_on(device, cells=1)
    soft, data = scene["soft"], scene["soft"].data
    rng = np.random.default_rng(3)

    def noise(*shape):
        return rng.normal(size=shape).astype(np.float32)

    def arrays(values, dtype=wp.float32):
        return wp.array(values, dtype=dtype, device=soft.device)

    found = {"start": data.nodal_state_w}
    places = np.array(data.nodal_pos_w.numpy())
    soft.write_nodal_pos_to_sim(arrays(places + 0.01 * noise(ENVS, NODES, 3), wp.vec3f))
    soft.write_nodal_velocity_to_sim(arrays(noise(2, NODES, 3)), env_ids=arrays([2, 0], wp.int32))
    found["written"] = wp.clone(data.nodal_state_w)
    states = np.concatenate([places, noise(ENVS, NODES, 3)], axis=-1)
    mask = np.array([False, True, False])
    soft.write_nodal_state_to_sim_mask(nodal_state=arrays(states), env_mask=arrays(mask, wp.bool))
    soft.write_nodal_state_to_sim_index(
        nodal_state=arrays(states), env_ids=arrays([2], wp.int32), full_data=True
    )
    found["masked"] = wp.clone(data.nodal_state_w)
    targets = np.array(data.nodal_kinematic_target.numpy())
    targets[1:, :4, 3] = 0.0
    soft.write_nodal_kinematic_target_to_sim(arrays(targets))
    for k in range(12):
        scene.write_data_to_sim()
        sim.step()
        scene.update(sim.physics_dt)
        if k == 6:
            soft.reset([1])
    names = (
        *("nodal_state_w", "root_pos_w", "root_vel_w", "nodal_kinematic_target"),
        *("sim_element_deform_gradient_w", "sim_element_quat_w", "default_nodal_state_w"),
    )
    found |= {name: getattr(data, name) for name in names}
    stress = np.array(data.sim_element_stress_w.numpy())
    return {name: np.array(array.numpy()) for name, array in found.items()} | {"stress": stress}


def test_the_same_happens_where_numpy_cannot_reach_the_arrays(request):
    wanted = play("cpu")
    request.getfixturevalue("separate_memory")
    found = play(DEVICE)
    for name, expected in wanted.items():
        scale = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(found[name], expected, atol=2e-4 * scale, err_msg=name)
    assert np.abs(wanted["stress"]).max() > 100.0


def test_what_is_on_the_device_is_written_without_a_look_at_it(monkeypatch):
    _, scene = scene_on(DEVICE)
    soft = scene["soft"]
    state = wp.clone(soft.data.nodal_state_w)
    ids = wp.array([1], dtype=wp.int32)
    mask = wp.array([True, False, True], dtype=wp.bool)
    one = wp.clone(state[:1])
    targets = np.array(soft.data.nodal_kinematic_target.numpy())
    targets[..., 3] = 0.0
    soft.write_nodal_kinematic_target_to_sim(targets)

    def look(*args, **kwargs):
        raise AssertionError("a look at the device")

    with monkeypatch.context() as patch:
        patch.setattr(wp.array, "numpy", look)
        soft.write_nodal_state_to_sim(state)
        soft.write_nodal_state_to_sim(one, env_ids=ids)
        soft.write_nodal_state_to_sim_mask(nodal_state=state, env_mask=mask)
        soft.reset(env_mask=mask)
    found = soft.data.nodal_state_w.numpy()
    np.testing.assert_allclose(found[[0, 2]], state.numpy()[[0, 2]], atol=1e-6)
    np.testing.assert_allclose(found[1], state.numpy()[0], atol=1e-6)
    flags = soft.data.nodal_kinematic_target.numpy()[..., 3]
    np.testing.assert_array_equal(flags, np.repeat([[1.0], [0.0], [1.0]], NODES, axis=1))


def test_a_kinematic_body_on_a_device_is_looked_at(separate_memory):
    _, scene = scene_on(DEVICE, kinematic=True)
    soft = scene["soft"]
    moved = np.array(soft.data.nodal_pos_w.numpy()) + np.float32(0.5)
    soft.write_nodal_pos_to_sim(wp.array(moved, dtype=wp.vec3f))
    np.testing.assert_allclose(soft.data.nodal_pos_w.numpy(), moved, atol=1e-6)
    with pytest.raises(InvalidValueError, match="the body is kinematic"):
        soft.write_nodal_velocity_to_sim(wp.array(moved, dtype=wp.vec3f))


def test_recorded_steps_do_the_same(device):
    """Targets written, and released, between recorded steps count from the next step on."""

    def play(simulated):
        sim, scene = scene_on(device)
        soft = scene["soft"]

        def advance(steps):
            if simulated:
                scene.simulate(steps)
                return
            for _ in range(steps):
                scene.write_data_to_sim()
                sim.step()
                scene.update(sim.physics_dt)

        advance(3)
        targets = np.array(soft.data.nodal_kinematic_target.numpy())
        targets[1, :4, 3] = 0.0
        soft.write_nodal_kinematic_target_to_sim(targets)
        advance(4)
        targets[1, :4, 2] += 0.02
        soft.write_nodal_kinematic_target_to_sim(targets)
        advance(4)
        held = np.array(soft.data.nodal_pos_w.numpy())
        np.testing.assert_allclose(held[1, :4], targets[1, :4, :3], atol=1e-5)
        soft.reset([1])
        advance(4)
        return np.array(soft.data.nodal_state_w.numpy()), soft.data.time

    (wanted, time), (found, again) = play(False), play(True)
    np.testing.assert_allclose(found, wanted, atol=1e-4 if ON_GPU else 1e-5)
    assert time == pytest.approx(again)
