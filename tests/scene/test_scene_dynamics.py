"""Jacobians, masses and forces against closed forms, finite differences and the bare engine."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from usdsim.core.errors import InvalidValueError, ShapeError, UsdsimError
from usdsim.scene import DisjointIndices, SceneData, load_mjcf_str

# A floating tree with every kind of joint, and an arm on the ground.
TREE = """
<mujoco>
  <option timestep="0.002"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="base" pos="0 0 1">
      <freejoint/>
      <inertial pos=".02 0 .01" mass="3" diaginertia=".05 .06 .07" quat=".9 .1 .3 .1"/>
      <body name="hip" pos=".2 0 0" euler="10 20 30">
        <joint name="swing" type="ball" damping=".1"/>
        <geom type="capsule" size=".04 .1" pos="0 0 -.1" mass="1"/>
        <body name="knee" pos="0 0 -.3">
          <joint name="bend" axis="0 1 0" pos=".01 0 0" stiffness="3" springref=".2"/>
          <joint name="stretch" type="slide" axis="0 .6 .8" armature=".1"/>
          <geom type="box" size=".05 .03 .1" pos="0 .01 -.1" mass=".5"/>
          <body name="foot" pos="0 0 -.25"><geom size=".03" mass=".2"/></body>
        </body>
      </body>
      <body name="neck" pos="-.2 0 .1">
        <joint name="nod" axis="1 0 0"/>
        <geom size=".08" pos="0 0 .1" mass=".7"/>
      </body>
    </body>
    <body name="arm" pos="1 0 0">
      <joint name="turn" axis="0 0 1"/>
      <geom type="box" size=".2 .05 .05" pos=".2 0 0" mass="2"/>
      <site name="tool" pos=".4 .1 0"/>
    </body>
  </worldbody>
</mujoco>
"""
COUNT = 5


@pytest.fixture(scope="module")
def model():
    return load_mjcf_str(TREE)


@pytest.fixture
def data(model):
    return _random(model, COUNT, 0)


def _random(model, count, seed):
    rng = np.random.default_rng(seed)
    data = SceneData(model, batch=(count,))
    pos = rng.normal(size=(count, model.num_dof_pos))
    for start in (3, 7):
        quat = pos[:, start : start + 4]
        quat /= np.linalg.norm(quat, axis=1, keepdims=True)
    data.dof_pos, data.dof_vel = pos, rng.normal(size=(count, model.num_dof_vel))
    return data


def _bare(data, world):
    """The world in the bare engine, all of it computed."""
    low = data.model.low
    state = mujoco.MjData(low)
    state.qpos[:], state.qvel[:] = data.low.read("qpos")[world], data.low.read("qvel")[world]
    mujoco.mj_forward(low, state)
    return low, state


def test_link_jacobians_equal_the_engine(model, data):
    jacobians = model.get_link_jacobians(data)
    assert jacobians.shape == (COUNT, model.num_links, 6, model.num_dof_vel)
    assert jacobians.dtype == np.float32 and jacobians.flags.writeable
    for world in range(COUNT):
        low, state = _bare(data, world)
        for index, link in enumerate(model.links):
            linear, angular = np.zeros((3, low.nv)), np.zeros((3, low.nv))
            mujoco.mj_jacBody(low, state, linear, angular, link.engine_id)
            expected = np.concatenate([angular, linear])
            np.testing.assert_allclose(jacobians[world, index], expected, atol=2e-6)
            compact = link.get_jacobian(data[world])
            np.testing.assert_allclose(compact, expected[:, link.dof_vel_indices], atol=2e-6)
    some = model.get_link_jacobians(data[DisjointIndices([3, 0])], indices=[4, 1])
    np.testing.assert_array_equal(some, jacobians[[3, 0]][:, [4, 1]])
    np.testing.assert_array_equal(model.get_link_jacobians(data[2]), jacobians[2])
    assert model.get_link_jacobians(data, slice(0, 2)).shape[1] == 2


def test_jacobian_of_a_point_gives_its_velocity(model, data):
    knee = model.get_link("knee")
    local = np.array([0.1, -0.2, 0.3])
    jacobian = knee.get_jacobian(data, local).astype(float)
    velocity = data.dof_vel[:, knee.dof_vel_indices]
    found = np.einsum("bij,bj->bi", jacobian, velocity)
    arm = np.einsum("bij,j->bi", knee.get_rotation_mat(data), local)
    expected = knee.get_linear_velocity(data) + np.cross(knee.get_angular_velocity(data), arm)
    np.testing.assert_allclose(found[:, 3:], expected, atol=1e-5)
    np.testing.assert_allclose(found[:, :3], knee.get_angular_velocity(data), atol=1e-5)
    world = knee.get_position(data) + arm
    np.testing.assert_allclose(knee.get_jacobian(data, world, local=False), jacobian, atol=1e-5)
    with pytest.raises(ShapeError, match="point of the Jacobian"):
        knee.get_jacobian(data, [1, 2])
    with pytest.raises(InvalidValueError, match="'knee'"):
        knee.get_jacobian(data, [np.nan, 0, 0])


def test_centre_of_mass_jacobians_equal_the_engine(model, data):
    whole = model.get_com_jacobian(data)
    assert whole.shape == (COUNT, 3, model.num_dof_vel)
    for world in range(COUNT):
        low, state = _bare(data, world)
        expected = np.zeros((3, low.nv))
        mujoco.mj_jacSubtreeCom(low, state, expected, 0)
        np.testing.assert_allclose(whole[world], expected, atol=2e-6)
        for link in model.links:
            mujoco.mj_jacSubtreeCom(low, state, expected, link.engine_id)
            found = link.get_com_jacobian(data[world], subtree=True)
            np.testing.assert_allclose(found, expected, atol=2e-6)
            mujoco.mj_jacBodyCom(low, state, expected, None, link.engine_id)
            np.testing.assert_allclose(link.get_com_jacobian(data[world]), expected, atol=2e-6)
            np.testing.assert_allclose(
                link.get_com(data[world]), state.xipos[link.engine_id], atol=1e-6
            )


def test_centre_of_mass_follows_its_jacobian_and_the_masses_of_each_world(model):
    data, step = _random(model, 3, 4), 1e-3
    model.get_link("neck").set_mass_override(data, [0.7, 5.0, 9.0])
    jacobian = model.get_com_jacobian(data).astype(float)
    before, velocity = model.get_com(data).astype(float), np.array(data.dof_vel)
    masses = data.low.param("body_mass")
    centres = np.einsum("bl,bli->bi", masses, data.low.read("xipos")) / masses.sum(1)[:, None]
    np.testing.assert_allclose(before, centres, atol=1e-6)
    low, after = model.low, np.zeros((3, model.low.nq))
    for world in range(3):
        after[world] = data.low.read("qpos")[world]
        mujoco.mj_integratePos(low, after[world], velocity[world].astype(float), step)
    data.low.write("qpos", after)
    moved = (model.get_com(data).astype(float) - before) / step
    np.testing.assert_allclose(np.einsum("bij,bj->bi", jacobian, velocity), moved, atol=5e-3)


def test_mass_matrix_and_forces_equal_the_engine(model, data):
    matrix, bias = model.get_mass_matrix(data), model.get_bias_forces(data)
    gravity, coriolis = model.get_gravity_forces(data), model.get_coriolis_forces(data)
    passive = model.get_passive_forces(data)
    for world in range(COUNT):
        low, state = _bare(data, world)
        full = np.zeros((low.nv, low.nv))
        mujoco.mj_fullM(low, state, full)
        np.testing.assert_allclose(matrix[world], full, atol=1e-5)
        np.testing.assert_allclose(bias[world], state.qfrc_bias, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(passive[world], state.qfrc_passive, rtol=1e-5, atol=1e-6)
        state.qvel[:] = 0.0
        mujoco.mj_forward(low, state)
        np.testing.assert_allclose(gravity[world], state.qfrc_bias, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(gravity + coriolis, bias, atol=1e-5)
    speed = np.array(data.dof_vel, dtype=float)
    energy = 0.5 * np.einsum("bi,bij,bj->b", speed, matrix.astype(float), speed)
    for world in range(COUNT):
        low, state = _bare(data, world)
        mujoco.mj_energyVel(low, state)
        np.testing.assert_allclose(energy[world], state.energy[1], rtol=1e-5)


def test_gravity_forces_of_each_world(model):
    data = _random(model, 3, 2)
    model.set_gravity_override(data, [[0, 0, -9.81], [0, 0, 0], [3, 2, 1]])
    data.dof_vel = np.zeros(model.num_dof_vel)
    np.testing.assert_allclose(
        model.get_gravity_forces(data), model.get_bias_forces(data), atol=1e-5
    )
    assert not model.get_gravity_forces(data)[1].any()
    weightless = load_mjcf_str(
        TREE.replace("<option ", '<option><flag gravity="disable"/></option><option ')
    )
    assert not weightless.get_gravity_forces(SceneData(weightless)).any()


def test_inverse_and_forward_dynamics(model, data):
    rng = np.random.default_rng(1)
    wanted = rng.normal(size=(COUNT, model.num_dof_vel))
    forces = model.inverse_dynamics(data, wanted)
    for world in range(COUNT):
        low, state = _bare(data, world)
        state.qacc[:] = wanted[world]
        mujoco.mj_inverse(low, state)
        np.testing.assert_allclose(forces[world], state.qfrc_inverse, rtol=1e-4, atol=1e-4)
    # Forces are rounded to single precision, and the lightest joints carry 20 g m^2.
    np.testing.assert_allclose(model.forward_dynamics(data, forces), wanted, atol=2e-3)
    alone = model.inverse_dynamics(data, wanted, passive=False)
    np.testing.assert_allclose(alone - model.get_passive_forces(data), forces, atol=1e-4)
    np.testing.assert_allclose(
        model.forward_dynamics(data, alone, passive=False), wanted, atol=2e-3
    )
    free = model.forward_dynamics(data, np.zeros(model.num_dof_vel))
    for world in range(COUNT):
        _, state = _bare(data, world)
        np.testing.assert_allclose(free[world], state.qacc_smooth, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(model.inverse_dynamics(data[3], wanted[3]), forces[3])


def test_forces_found_are_those_that_the_simulation_needs(model):
    """Applied for one short step, the forces of inverse dynamics change the velocity as asked."""
    data = _random(model, 2, 3)
    model.options.timestep = 1e-5
    wanted = np.random.default_rng(5).normal(size=(2, model.num_dof_vel))
    before = np.array(data.low.read("qvel"))
    data.low.write("qfrc_applied", model.inverse_dynamics(data, wanted))
    model.step(data)
    found = (data.low.read("qvel") - before) / 1e-5
    model.options.timestep = 0.002
    np.testing.assert_allclose(found, wanted, atol=5e-3)


def test_mass_matrix_of_a_lone_body_with_a_moved_centre():
    """The engine stores only a diagonal for such a body, until its centre moves."""
    model = load_mjcf_str(
        '<mujoco><worldbody><body name="box"><freejoint/>'
        '<geom type="box" size=".1 .2 .3" mass="2"/></body></worldbody></mujoco>'
    )
    data = SceneData(model, batch=(2,))
    expected = np.diag([2, 2, 2, *(2 / 3 * np.array([0.13, 0.1, 0.05]))])
    np.testing.assert_allclose(model.get_mass_matrix(data), [expected, expected], atol=1e-6)
    model.get_link("box").set_center_of_mass_override(data[1], [0.5, 0, 0])
    matrix = model.get_mass_matrix(data)
    np.testing.assert_allclose(matrix[0], expected, atol=1e-6)
    moved = expected + np.diag([0, 0, 0, 0, 0.5, 0.5])
    moved[1, 5] = moved[5, 1] = 1.0
    moved[2, 4] = moved[4, 2] = -1.0
    np.testing.assert_allclose(matrix[1], moved, atol=1e-6)


def test_pendulum_in_closed_form():
    model = load_mjcf_str(
        '<mujoco><worldbody><body><joint name="pin" axis="0 1 0" armature=".1"/>'
        '<inertial pos="0 0 -2" mass="3" diaginertia=".2 .2 .2"/></body></worldbody></mujoco>'
    )
    data = SceneData(model, batch=(3,))
    angle = np.array([0.0, 0.5, 2.0])
    data.dof_pos = angle[:, None]
    inertia = 0.1 + 0.2 + 3 * 4
    np.testing.assert_allclose(model.get_mass_matrix(data)[:, 0, 0], inertia, rtol=1e-6)
    weight = 3 * 9.81 * 2 * np.sin(angle)
    np.testing.assert_allclose(model.get_gravity_forces(data)[:, 0], weight, rtol=1e-5)
    fall = model.forward_dynamics(data, [0.0])[:, 0]
    np.testing.assert_allclose(fall, -weight / inertia, rtol=1e-5)


def test_errors(model, data):
    with pytest.raises(ShapeError, match="acceleration"):
        model.inverse_dynamics(data, np.zeros(3))
    bad = np.zeros((COUNT, model.num_dof_vel))
    bad[2, 9] = np.nan
    with pytest.raises(InvalidValueError, match=r"forces of joint 'bend'.*world 2"):
        model.forward_dynamics(data, bad)
    with pytest.raises(InvalidValueError, match="link indices"):
        model.get_link_jacobians(data, [99])
    other = SceneData(load_mjcf_str(TREE))
    for call in (
        model.get_mass_matrix,
        model.get_com_jacobian,
        model.get_link_jacobians,
        model.get_gravity_forces,
        model.get_coriolis_forces,
        model.links[0].get_jacobian,
        model.links[0].get_com_jacobian,
    ):
        with pytest.raises(UsdsimError, match="belongs to"):
            call(other)


def test_results_do_not_depend_on_the_batch(model):
    many, one = _random(model, 6, 8), SceneData(model)
    one.low.write("qpos", many.low.read("qpos")[4])
    one.low.write("qvel", many.low.read("qvel")[4])
    for call in (
        model.get_mass_matrix,
        model.get_com_jacobian,
        model.get_link_jacobians,
        model.get_bias_forces,
        model.get_gravity_forces,
        model.get_coriolis_forces,
    ):
        np.testing.assert_array_equal(call(many)[4], call(one))
        np.testing.assert_array_equal(call(many[DisjointIndices([5, 4])])[1], call(one))
        np.testing.assert_array_equal(call(many[np.arange(6) == 4])[0], call(one))
