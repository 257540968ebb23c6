"""Reading and writing state: shapes, frames, freshness and what is refused."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scene_models import PENDULUM, ROBOT, random_positions

import usdsim
from usdsim.core.errors import InvalidValueError, ShapeError, UsdsimError
from usdsim.scene import SceneData, load_mjcf_str


@pytest.fixture(scope="module")
def model() -> usdsim.SceneModel:
    return load_mjcf_str(ROBOT)


@pytest.fixture(scope="module")
def pendulum() -> usdsim.SceneModel:
    return load_mjcf_str(PENDULUM)


@pytest.mark.parametrize(("batch", "shape"), [((), ()), ((3,), (3,)), (3, (3,)), ([2], (2,))])
def test_shapes(model, batch, shape):
    data = SceneData(model, batch=batch)
    assert data.shape == shape and data.ndim == len(shape) and data.model is model
    link, site, geom, joint = model.links[1], model.sites[0], model.geoms[0], model.joints[0]
    base = model.floating_bases[0]
    results = {
        (8,): data.dof_pos,
        (7,): [data.dof_vel, link.get_pose(data), site.get_pose(data), geom.get_pose(data)],
        (2,): data.actuator_ctrls,
        (3,): [link.get_position(data), geom.get_linear_velocity(data), site.get_position(data)],
        (4,): [link.get_rotation(data), base.get_rotation(data)],
        (3, 3): [link.get_rotation_mat(data), site.get_rotation_mat(data)],
        (1,): [joint.get_dof_pos(data), joint.get_dof_vel(data)],
        (2, 7): model.get_link_poses(data),
        (2, 3, 3): model.get_link_rotation_mats(data),
        (2, 6): model.get_link_velocities(data),
        (2, 3): [model.get_link_linear_velocities(data), model.get_link_angular_velocities(data)],
        (6, 6): site.get_jacobian(data),
        (): model.actuators[0].get_ctrl(data),
    }
    for tail, arrays in results.items():
        for array in arrays if isinstance(arrays, list) else [arrays]:
            assert array.shape == (*shape, *tail) and array.dtype == np.float32
    assert data.time.shape == shape


@pytest.mark.parametrize("batch", [(2, 3), (0,), (-1,)])
def test_bad_batches(model, batch):
    with pytest.raises(ShapeError, match="batch"):
        SceneData(model, batch=batch)
    with pytest.raises(InvalidValueError):
        SceneData(model, batch="many")


def test_fresh_data_has_kinematics(model):
    data = SceneData(model, batch=(2,))
    np.testing.assert_allclose(model.get_link("arm").get_pose(data), [[0, 0, 1.5, 0, 0, 0, 1]] * 2)
    np.testing.assert_allclose(model.get_site("hand").get_position(SceneData(model)), [0, 0, 2.5])


def test_reads_follow_every_kind_of_write(model):
    data = SceneData(model, batch=(2,))
    arm, base, elbow = model.get_link("arm"), model.floating_bases[0], model.joints[0]

    def height():
        return arm.get_position(data)[:, 2]

    np.testing.assert_allclose(height(), [1.5, 1.5])
    data.set_dof_pos([0, 0, 2, 0, 0, 0, 1, 0])
    np.testing.assert_allclose(height(), [2.5, 2.5])
    base.set_translation(data, [[0, 0, 3], [0, 0, 4]])
    np.testing.assert_allclose(height(), [3.5, 4.5])
    base.set_rotation(data, [1, 0, 0, 0])
    np.testing.assert_allclose(height(), [2.5, 3.5], atol=1e-6)
    model.bodies[0].set_dof_pos(data, [0, 0, 7, 0, 0, 0, 1, 0])
    np.testing.assert_allclose(height(), [7.5, 7.5])
    data.dof_pos = np.tile([0.0, 0, 1, 0, 0, 0, 1, 0], (2, 1))
    np.testing.assert_allclose(height(), [1.5, 1.5])
    elbow.set_dof_vel(data, [[1.0], [2.0]])
    np.testing.assert_allclose(arm.get_angular_velocity(data)[:, 1], [1, 2])
    base.set_global_linear_velocity(data, [0, 0, 5])
    np.testing.assert_allclose(arm.get_linear_velocity(data)[:, 2], [5, 5])
    data[1].set_dof_pos([0, 0, 9, 0, 0, 0, 1, 0])
    np.testing.assert_allclose(height(), [1.5, 9.5])
    model.keyframes[0].apply(data)
    np.testing.assert_allclose(height(), [2, 2], atol=1e-6)
    data.reset()
    np.testing.assert_allclose(height(), [1.5, 1.5])
    np.testing.assert_array_equal(arm.get_linear_velocity(data), 0)


def test_poses_after_a_step_are_those_of_the_new_state(pendulum):
    data = SceneData(pendulum)
    data.set_dof_pos([0.4])
    for _ in range(5):
        pendulum.step(data)
        angle = float(data.dof_pos[0])
        np.testing.assert_allclose(
            pendulum.get_site("end").get_position(data),
            [-2 * np.sin(angle), 0, -2 * np.cos(angle)],
            atol=1e-6,
        )


def test_velocity_of_a_swinging_link(pendulum):
    """A point at distance 2 below the pin moves at 2 omega, at right angles to the rod."""
    data = SceneData(pendulum, batch=(3,))
    angle, rate = np.array([0.0, 0.5, -2.0]), np.array([1.0, -3.0, 0.25])
    data.set_dof_pos(angle[:, None])
    data.set_dof_vel(rate[:, None])
    expected = np.stack([-2 * rate * np.cos(angle), np.zeros(3), 2 * rate * np.sin(angle)], axis=-1)
    for element in (pendulum.get_link("tip"), pendulum.get_site("end"), pendulum.geoms[0]):
        np.testing.assert_allclose(element.get_linear_velocity(data), expected, atol=1e-6)
        np.testing.assert_allclose(element.get_angular_velocity(data)[:, 1], rate, rtol=1e-6)
    np.testing.assert_allclose(pendulum.get_link("bob").get_linear_velocity(data), 0, atol=1e-6)
    both = pendulum.get_link_velocities(data)
    np.testing.assert_allclose(both[:, 1, :3], expected, atol=1e-6)
    np.testing.assert_allclose(both[:, 0, 4], rate, rtol=1e-6)


def test_frames_of_a_spinning_free_body(model):
    """dof_vel of a floating base: linear in world, angular in the base's own frame."""
    data = SceneData(model)
    turn = [0, 0, np.sqrt(0.5), np.sqrt(0.5)]  # 90 degrees about z: local x is world y
    data.set_dof_pos([1, 2, 3, *turn, 0])
    data.set_dof_vel([0.1, 0.2, 0.3, 4, 0, 0, 0])
    base, link = model.floating_bases[0], model.get_link("base")
    np.testing.assert_allclose(base.get_dof_pos(data), [1, 2, 3, *turn], rtol=1e-6)
    np.testing.assert_allclose(base.get_local_angular_velocity(data), [4, 0, 0])
    np.testing.assert_allclose(base.get_global_angular_velocity(data), [0, 4, 0], atol=1e-6)
    np.testing.assert_allclose(link.get_angular_velocity(data), [0, 4, 0], atol=1e-6)
    np.testing.assert_allclose(link.get_linear_velocity(data), [0.1, 0.2, 0.3], rtol=1e-6)
    # The arm's origin lies 0.5 above: v + w x (0, 0, 0.5) with w = (0, 4, 0).
    np.testing.assert_allclose(
        model.get_link("arm").get_linear_velocity(data), [2.1, 0.2, 0.3], rtol=1e-6
    )
    np.testing.assert_allclose(link.get_rotation_mat(data) @ [1, 0, 0], [0, 1, 0], atol=1e-6)
    base.set_global_angular_velocity(data, [0, 0, 2])
    np.testing.assert_allclose(data.dof_vel[3:6], [0, 0, 2], atol=1e-6)
    base.set_global_angular_velocity(data, [0, 2, 0])
    np.testing.assert_allclose(base.get_dof_vel(data), [0.1, 0.2, 0.3, 2, 0, 0], atol=1e-6)


def test_batch_reads_equal_single_reads(model):
    data = SceneData(model, batch=(3,))
    rng = np.random.default_rng(0)
    data.set_dof_vel(rng.normal(size=(3, 7)))
    data.dof_pos = random_positions(rng, 3)
    many = {
        "get_pose": model.get_link_poses,
        "get_position": model.get_link_positions,
        "get_rotation": model.get_link_rotations,
        "get_rotation_mat": model.get_link_rotation_mats,
        "get_linear_velocity": model.get_link_linear_velocities,
        "get_angular_velocity": model.get_link_angular_velocities,
    }
    for name, read in many.items():
        one = np.stack([getattr(link, name)(data) for link in model.links], axis=1)
        np.testing.assert_array_equal(read(data), one)
        np.testing.assert_array_equal(read(data, indices=[1]), one[:, 1:])
        np.testing.assert_array_equal(read(data, indices=slice(None, None, -1)), one[:, ::-1])
        out = np.empty_like(one[:, [1, 0, 1]])
        assert read(data, indices=np.array([1, 0, 1]), out=out) is out
        np.testing.assert_array_equal(out, one[:, [1, 0, 1]])
        assert read(data, indices=[]).shape == (3, 0, *one.shape[2:])


def test_joint_reads_of_a_body_fill_an_array_of_the_caller(model):
    data = SceneData(model, batch=(3,))
    data.set_dof_vel(np.arange(7.0))
    body = model.bodies[0]
    for read in (body.get_joint_dof_pos, body.get_joint_dof_vel):
        out = np.full((3, 1), 9, np.float32)
        assert read(data, out) is out
        np.testing.assert_array_equal(out, read(data))
        with pytest.raises(ShapeError, match=r"\(3, 1\)"):
            read(data, out=np.empty((3, 2), np.float32))


def test_batch_read_arguments_are_checked(model):
    data = SceneData(model, batch=(2,))
    with pytest.raises(InvalidValueError, match="0 to 1"):
        model.get_link_poses(data, indices=[2])
    with pytest.raises(InvalidValueError):
        model.get_link_poses(data, indices=[-1])
    with pytest.raises(ShapeError):
        model.get_link_poses(data, indices=[[0]])
    with pytest.raises(ShapeError, match=r"\(2, 2, 7\)"):
        model.get_link_poses(data, out=np.empty((2, 7), np.float32))
    with pytest.raises(InvalidValueError, match="float32"):
        model.get_link_poses(data, out=np.empty((2, 2, 7)))


def test_results_are_snapshots_of_the_callers_own(model):
    data = SceneData(model)
    before = data.dof_pos
    pose = model.links[0].get_pose(data)
    data.set_dof_pos([0, 0, 5, 0, 0, 0, 1, 0])
    assert before[2] == 1 and pose[2] == 1 and data.dof_pos[2] == 5
    state = data.get_state()
    for read in (
        lambda: data.dof_pos,
        lambda: data.dof_vel,
        lambda: data.actuator_ctrls,
        lambda: data.time,
        lambda: model.links[0].get_pose(data),
        lambda: model.get_link_poses(data),
        lambda: model.compute_init_dof_pos(),
        lambda: model.joint_limits,
        lambda: model.actuator_ctrl_limits,
    ):
        array = read()
        expected = array.copy()
        array[...] = 17
        np.testing.assert_array_equal(read(), expected)
    for name, values in data.get_state().arrays.items():
        np.testing.assert_array_equal(values, state.arrays[name])


def test_controls_are_snapshots(model):
    data = SceneData(model, batch=(2,))
    last = data.actuator_ctrls
    data.actuator_ctrls = last + 1
    np.testing.assert_array_equal(data.actuator_ctrls - last, 1)
    data.actuator_ctrls = [1.0, 2.0]
    np.testing.assert_array_equal(data.actuator_ctrls, [[1, 2], [1, 2]])
    model.actuators[1].set_ctrl(data, [3, 4])
    np.testing.assert_array_equal(data.actuator_ctrls[:, 1], [3, 4])
    model.bodies[0].set_actuator_ctrls(data, [[7, 8], [9, 10]])
    np.testing.assert_array_equal(data.actuator_ctrls, [[7, 8], [9, 10]])
    data[0].actuator_ctrls = [0.0, 0.0]
    np.testing.assert_array_equal(model.get_actuator_ctrls(data), [[0, 0], [9, 10]])
    data[[1]].actuator_ctrls = [[5, 6]]
    np.testing.assert_array_equal(data.low.read("ctrl"), [[0, 0], [5, 6]])
    model.step(data)
    assert model.joints[0].get_dof_vel(data)[1, 0] > 0 == model.joints[0].get_dof_vel(data)[0, 0]


def test_controls_set_in_the_engine_are_seen_and_kept(model):
    data = SceneData(model, batch=(2,))
    data.low.write("ctrl", np.full((2, 2), 0.1))
    model.step(data)
    assert data.low.read("ctrl")[0, 0] == 0.1
    np.testing.assert_array_equal(data.actuator_ctrls, np.float32(0.1))


def test_double_precision_controls_reach_the_engine_unrounded(model):
    data = SceneData(model)
    data.actuator_ctrls = [0.1, 0.2]
    assert data.actuator_ctrls[0] == np.float32(0.1)
    model.step(data)
    np.testing.assert_array_equal(data.low.read("ctrl")[0], [0.1, 0.2])


@pytest.mark.parametrize(
    "write",
    [
        lambda m, d: d.set_dof_pos(np.zeros(7)),
        lambda m, d: d.set_dof_pos(np.zeros((3, 8))),
        lambda m, d: d.set_dof_vel(np.zeros((2, 8))),
        lambda m, d: setattr(d, "actuator_ctrls", np.zeros(3)),
        lambda m, d: setattr(d, "actuator_ctrls", 1.0),
        lambda m, d: m.joints[0].set_dof_pos(d, [1, 2, 3]),
        lambda m, d: m.actuators[0].set_ctrl(d, [1, 2, 3]),
        lambda m, d: m.floating_bases[0].set_rotation(d, [1, 0, 0]),
        lambda m, d: m.bodies[0].set_dof_pos(d, np.zeros(8), include_floatingbase=False),
        lambda m, d: m.links[0].add_external_force(d, [1, 2]),
        lambda m, d: d.reset(dof_pos=np.zeros(3)),
    ],
)
def test_wrong_shapes(model, write):
    data = SceneData(model, batch=(2,))
    before = data.dof_pos, data.dof_vel
    with pytest.raises(ShapeError, match="expected"):
        write(model, data)
    np.testing.assert_array_equal(data.dof_pos, before[0])
    np.testing.assert_array_equal(data.dof_vel, before[1])


def test_not_finite_names_element_and_world(model):
    data = SceneData(model, batch=(3,))
    pos = np.tile(model.compute_init_dof_pos(), (3, 1))
    pos[1, 7] = np.nan
    with pytest.raises(InvalidValueError, match=r"elbow.*world 1"):
        data.set_dof_pos(pos)
    vel = np.zeros((3, 7))
    vel[2, 0] = np.inf
    with pytest.raises(InvalidValueError, match=r"base.*world 2"):
        data.set_dof_vel(vel)
    with pytest.raises(InvalidValueError, match=r"'p'.*world 0"):
        data.actuator_ctrls = [[0, np.nan]] * 3
    with pytest.raises(InvalidValueError, match=r"'p'.*world 2"):
        data[[2, 1]].actuator_ctrls = [[0, np.nan], [0, 0]]
    with pytest.raises(InvalidValueError, match=r"elbow.*world 2"):
        model.joints[0].set_dof_vel(data[1:], [[0.0], [np.nan]])
    np.testing.assert_array_equal(data.dof_pos, np.tile(model.compute_init_dof_pos(), (3, 1)))
    np.testing.assert_array_equal(data.actuator_ctrls, 0)
    model.step(data)
    np.testing.assert_allclose(data.time, 0.002)


@pytest.mark.parametrize("quat", [[0, 0, 0, 0], [0, 0, 0, 2], [1, 1, 0, 0]])
def test_quaternions_must_be_unit(model, quat):
    data = SceneData(model, batch=(2,))
    with pytest.raises(InvalidValueError, match="unit quaternion"):
        model.floating_bases[0].set_rotation(data, quat)
    with pytest.raises(InvalidValueError, match=r"world 1.*unit quaternion"):
        data.set_dof_pos([[0, 0, 1, 0, 0, 0, 1, 0], [0, 0, 1, *quat, 0]])
    np.testing.assert_array_equal(data.dof_pos[:, 6], 1)


def test_quaternions_of_single_precision_are_made_unit(model):
    data = SceneData(model)
    quat = np.array([0.1, 0.7, -0.3, 0.2], np.float32)
    quat /= np.linalg.norm(quat)
    model.floating_bases[0].set_rotation(data, quat)
    assert np.linalg.norm(data.low.read("qpos")[0, 3:7]) == pytest.approx(1.0, abs=1e-15)
    np.testing.assert_allclose(model.floating_bases[0].get_rotation(data), quat, rtol=1e-6)


def test_data_of_another_model_is_refused(model, pendulum):
    data = SceneData(pendulum)
    for use in (
        lambda: model.step(data),
        lambda: model.links[0].get_pose(data),
        lambda: model.joints[0].set_dof_pos(data, [0]),
        lambda: data.reset(model),
        lambda: data.set_dof_pos([0], model),
        lambda: model.keyframes[0].apply(data),
        lambda: model.get_link_poses(data),
    ):
        with pytest.raises(UsdsimError, match="belongs to"):
            use()


def test_site_jacobian_against_finite_differences(model):
    rng = np.random.default_rng(2)
    data, site = SceneData(model, batch=(2,)), model.get_site("hand")
    data.dof_pos = random_positions(rng, 2)
    np.testing.assert_array_equal(site.dof_vel_indices, np.arange(7))
    jacobian = site.get_jacobian(data)
    before = site.get_position(data).astype(float), site.get_rotation_mat(data).astype(float)
    qpos, step = np.array(data.low.read("qpos")), 1e-4
    for column in range(7):
        for world in range(2):
            moved = qpos[world].copy()
            mujoco.mj_integratePos(model.low, moved, step * np.eye(7)[column], 1.0)
            data[world].low.write("qpos", moved[None], env_ids=[world])
        linear = (site.get_position(data) - before[0]) / step
        spin = (site.get_rotation_mat(data) - before[1]) @ before[1].transpose(0, 2, 1) / step
        angular = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=-1)
        np.testing.assert_allclose(jacobian[:, 3:, column], linear, atol=5e-3)
        np.testing.assert_allclose(jacobian[:, :3, column], angular, atol=5e-3)
        data.low.write("qpos", qpos)


def test_site_jacobian_gives_the_velocity(model):
    rng = np.random.default_rng(3)
    data = SceneData(model, batch=(4,))
    data.dof_pos = random_positions(rng, 4)
    data.set_dof_vel(rng.normal(size=(4, 7)))
    for site in model.sites:
        velocity = np.einsum(
            "bij,bj->bi", site.get_jacobian(data), data.dof_vel[:, site.dof_vel_indices]
        )
        np.testing.assert_allclose(velocity[:, :3], site.get_angular_velocity(data), atol=1e-5)
        np.testing.assert_allclose(velocity[:, 3:], site.get_linear_velocity(data), atol=1e-5)
