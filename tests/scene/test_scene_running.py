"""Stepping, resetting, views of some worlds, forces, and what happens when a world fails."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scene_models import PENDULUM, ROBOT, linear_momentum

import usdsim
from usdsim.core.errors import InvalidValueError, ShapeError, SimulationError
from usdsim.scene import DisjointIndices, SceneData, load_mjcf_str


@pytest.fixture(scope="module")
def model() -> usdsim.SceneModel:
    return load_mjcf_str(ROBOT)


@pytest.fixture(scope="module")
def pendulum() -> usdsim.SceneModel:
    return load_mjcf_str(PENDULUM)


def test_reset_restores_everything(model):
    data = SceneData(model, batch=(2,))
    start = data.dof_pos
    data.actuator_ctrls = 1.5 * np.ones(2)
    data.set_dof_vel(np.ones(7))
    model.step_n(data, 20)
    first = data.dof_pos
    data.reset(model)
    np.testing.assert_array_equal(data.dof_pos, start)
    np.testing.assert_array_equal(data.dof_vel, 0)
    np.testing.assert_array_equal(data.actuator_ctrls, 0)
    np.testing.assert_array_equal(data.time, 0)
    data.actuator_ctrls = 1.5 * np.ones(2)
    data.set_dof_vel(np.ones(7))
    model.step_n(data, 20)
    np.testing.assert_array_equal(data.dof_pos, first)


def test_reset_to_given_state(model):
    data = SceneData(model, batch=(2,))
    data.reset(model, dof_pos=[0, 0, 4, 0, 0, 0, 1, 0.5], dof_vel=[[1] * 7, [2] * 7])
    np.testing.assert_array_equal(data.dof_pos[1], [0, 0, 4, 0, 0, 0, 1, 0.5])
    np.testing.assert_array_equal(data.dof_vel[:, 3], [1, 2])
    data.reset(forward_kinematic=True)
    np.testing.assert_array_equal(data.dof_vel, 0)


def test_keyframe_applies_to_the_chosen_worlds(model):
    data = SceneData(model, batch=(3,))
    key = model.get_keyframe("up")
    key.apply(data[[0, 2]])
    np.testing.assert_allclose(data.dof_pos[0], [0, 0, 2, 0.5, 0.5, 0.5, 0.5, 0.25])
    np.testing.assert_array_equal(data.dof_pos[1], model.compute_init_dof_pos())
    np.testing.assert_allclose(data.dof_vel[2], key.dof_vel)
    np.testing.assert_allclose(data.actuator_ctrls, [[0.1, 0.2], [0, 0], [0.1, 0.2]])
    np.testing.assert_array_equal(data.time, [1.5, 0, 1.5])


def test_views_share_the_worlds(model):
    data = SceneData(model, batch=(4,))
    data.set_dof_vel(np.arange(4)[:, None] * np.eye(7)[0])
    one, mask = data[2], data[np.array([False, True, False, True])]
    some = data[DisjointIndices([3, 0, 3])]
    assert (one.shape, mask.shape, some.shape) == ((), (2,), (2,))
    assert one.dof_vel[0] == 2
    np.testing.assert_array_equal(mask.dof_vel[:, 0], [1, 3])
    np.testing.assert_array_equal(some.dof_vel[:, 0], [3, 0])
    np.testing.assert_array_equal(some[0].dof_vel[0], 3)
    np.testing.assert_array_equal(data.get(1).dof_vel, data.dof_vel[1])
    some.set_dof_vel([[5] * 7, [6] * 7])
    np.testing.assert_array_equal(data.dof_vel[:, 0], [6, 1, 2, 5])
    model.step(mask)
    np.testing.assert_allclose(data.time, [0, 0.002, 0, 0.002])
    data[2].reset()
    np.testing.assert_array_equal(data.dof_vel[:, 0] == 0, [False, False, True, False])


def test_views_iterate_and_may_be_empty(model):
    data = SceneData(model, batch=(3,))
    assert len(data) == 3 and [world.shape for world in data] == [(), (), ()]
    nothing = data[np.zeros(3, bool)]
    assert len(nothing) == 0 and nothing.dof_pos.shape == (0, 8)
    data.set_dof_vel(np.ones(7))
    nothing.reset()
    model.step(nothing)
    nothing.set_dof_vel(np.zeros(7))
    np.testing.assert_array_equal(data.dof_vel, 1)
    np.testing.assert_array_equal(data.time, 0)
    assert model.get_link_poses(nothing).shape == (0, 2, 7)


@pytest.mark.parametrize("key", [4, -5, [4], [-5], [0.5], "a", np.array([True])])
def test_bad_views(model, key):
    with pytest.raises((InvalidValueError, ShapeError)):
        SceneData(model, batch=(4,))[key]
    with pytest.raises(IndexError, match="no batch axis"):
        SceneData(model)[0]


def test_worlds_count_from_the_end_too(model):
    data = SceneData(model, batch=(4,))
    data.time = [0.0, 1.0, 2.0, 3.0]
    assert data[-1].time == 3.0 and data[-4].time == 0.0
    np.testing.assert_array_equal(data[np.array([-1, 1])].time, [3.0, 1.0])
    assert data[[-1, 3]].shape == (1,), "one world is named once"
    for key in (4, -5, [4], [-5]):
        with pytest.raises(IndexError, match="-4 to 3"):
            data[key]


def test_step_n_equals_steps(model):
    many, single = SceneData(model, batch=(2,)), SceneData(model, batch=(2,))
    for data in (many, single):
        data.actuator_ctrls = [[1, 0], [0, 0.5]]
        model.links[1].add_external_force(data, [1, 2, 3], point=[0.1, 0, 0])
    model.step_n(many, 7)
    for _ in range(7):
        usdsim.step(model, single)
    np.testing.assert_array_equal(many.low.read("qpos"), single.low.read("qpos"))
    np.testing.assert_array_equal(many.low.read("qvel"), single.low.read("qvel"))
    model.step_n(many, 0)
    np.testing.assert_allclose(many.time, 0.014)
    with pytest.raises(InvalidValueError):
        model.step_n(many, -1)


def test_worlds_do_not_depend_on_the_batch(model):
    rng = np.random.default_rng(1)
    vel = rng.normal(size=(5, 7))
    together, apart = SceneData(model, batch=(5,), threads=2), SceneData(model, threads=1)
    together.set_dof_vel(vel)
    together.actuator_ctrls = [0.3, -0.2]
    model.step_n(together, 10)
    for i in range(5):
        apart.reset()
        apart.set_dof_vel(vel[i])
        apart.actuator_ctrls = [0.3, -0.2]
        model.step_n(apart, 10)
        np.testing.assert_array_equal(apart.low.read("qpos")[0], together.low.read("qpos")[i])


def test_stepping_equals_the_bare_engine(model):
    """The same numbers, bit by bit, as MuJoCo stepping the compiled model."""
    low, raw = model.low, mujoco.MjData(model.low)
    data = SceneData(model)
    vel = np.linspace(-1, 1, 7)
    data.set_dof_vel(vel)
    raw.qvel[:] = vel
    for i in range(20):
        raw.ctrl[:] = [0.1 * i, 0.2]
        data.actuator_ctrls = [0.1 * i, 0.2]
        mujoco.mj_step(low, raw)
        model.step(data)
    np.testing.assert_array_equal(data.low.read("qpos")[0], raw.qpos)


def test_external_force_acts_for_one_step(model):
    """Force through the centre of mass in world: v = f t / m for the first step only."""
    data = SceneData(model, batch=(2,))
    base = model.get_link("base")
    base.add_external_force(data, [[3, 0, 0], [0, 0, 0]], local=False)
    base.add_external_torque(data, [0, 0, 0])
    model.step(data)
    momentum = linear_momentum(model, data)
    np.testing.assert_allclose(momentum[0], [3 * 0.002, 0, 0], atol=1e-6)
    np.testing.assert_allclose(momentum[1], 0, atol=1e-12)
    model.step_n(data, 3)
    np.testing.assert_allclose(linear_momentum(model, data)[0, 0], 3 * 0.002, atol=1e-6)


def test_external_force_in_the_link_frame(model):
    data = SceneData(model)
    half = np.sqrt(0.5)
    data.set_dof_pos([0, 0, 1, 0, 0, half, half, 0])  # local x is world y
    base = model.get_link("base")
    base.add_external_force(data, [1, 0, 0])
    base.add_external_force(data, [1, 0, 0])
    model.step(data)
    np.testing.assert_allclose(linear_momentum(model, data)[0], [0, 0.004, 0], atol=1e-6)
    data.reset()
    base.add_external_torque(data, [0, 0, 1])
    model.step(data)
    assert base.get_angular_velocity(data)[2] > 0
    data.reset()
    base.add_external_force(data, [0, 1, 0], point=[1, 0, 0])
    model.step(data)
    assert base.get_angular_velocity(data)[2] > 0


def test_mocap_moves_and_is_checked():
    model = load_mjcf_str(
        "<mujoco><worldbody><body name='hand' mocap='true' pos='0 0 1'><geom size='.1' mass='1'/>"
        "<site name='s' pos='1 0 0'/></body></worldbody></mujoco>"
    )
    data, mocap = SceneData(model, batch=(2,)), model.mocaps[0]
    half = np.sqrt(0.5)
    mocap.set_pose(data, [[1, 2, 3, 0, 0, half, half], [4, 5, 6, 0, 0, 0, 1]])
    np.testing.assert_allclose(model.sites[0].get_position(data), [[1, 3, 3], [5, 5, 6]], atol=1e-6)
    np.testing.assert_allclose(mocap.get_pose(data)[0], [1, 2, 3, 0, 0, half, half], rtol=1e-6)
    with pytest.raises(InvalidValueError, match=r"hand.*unit quaternion"):
        mocap.set_pose(data, [0, 0, 0, 0, 0, 0, 0])
    model.step(data)
    np.testing.assert_allclose(model.links[0].get_position(data)[1], [4, 5, 6])
    data.reset()
    np.testing.assert_allclose(model.links[0].get_position(data)[1], [0, 0, 1])


def test_options_act_on_living_data(pendulum):
    model = load_mjcf_str(PENDULUM)
    data, later = SceneData(model, batch=(2,)), None
    model.step(data)
    model.options.timestep = 0.01
    model.options.gravity = [0, 0, 9.81]
    assert model.low.opt.timestep == 0.01
    model.step(data)
    np.testing.assert_allclose(data.time, 0.011)
    later = SceneData(model, batch=(2,))
    model.step(later)
    np.testing.assert_allclose(later.time, 0.01)
    model.options.disable_gravity = True
    data.reset(dof_pos=[1.0])
    model.step_n(data, 5)
    np.testing.assert_array_equal(data.dof_vel, 0)
    assert model.options.disable_gravity and not model.options.disable_contacts
    for name, value in [("timestep", -1), ("timestep", np.nan), ("max_iterations", 0)]:
        with pytest.raises(InvalidValueError, match=name):
            setattr(model.options, name, value)
    with pytest.raises(ShapeError):
        model.options.gravity = 9.81


def test_a_diverging_world_is_named_and_leaves_the_others_alone(pendulum):
    data, alone = SceneData(pendulum, batch=(3,)), SceneData(pendulum)
    data.set_dof_vel([[1.0], [1e20], [1.0]])
    alone.set_dof_vel([1.0])
    data.actuator_ctrls = alone.actuator_ctrls = [0.5]
    with pytest.raises(SimulationError, match="1 of 3 worlds") as caught:
        pendulum.step_n(data, 5)
    assert caught.value.worlds == (1,) and caught.value.prims[0]
    pendulum.step_n(alone, 5)
    for world in (0, 2):
        np.testing.assert_array_equal(data.dof_pos[world], alone.dof_pos)
    assert np.isfinite(data.dof_pos).all() and len(data.failures) == 1
    np.testing.assert_array_equal(data.low.read("ctrl"), data.actuator_ctrls)
    quiet = SceneData(pendulum, batch=(2,), on_failure="reset")
    quiet.set_dof_vel([[1e20], [0.0]])
    pendulum.step(quiet)
    assert quiet.failures[0].world == 0 and quiet.dof_vel[0] == 0


def test_steps_say_in_which_order_they_take_what():
    model = load_mjcf_str(PENDULUM)
    data = SceneData(model)
    with pytest.raises(InvalidValueError, match=r"allowed: a SceneModel: step\(model, data\)"):
        usdsim.step(data, model)
