"""Vehicles with rotors fly: hover, yaw, wrenches against first principles, resets."""

from __future__ import annotations

from functools import cache

import mujoco
import numpy as np
import pytest
from articulation_stages import advance
from device_under_test import DEVICE, changed
from multirotor_craft import CRAFT, DT, G, control, flying, start_over

from usdsim.assets import Multirotor

pytestmark = pytest.mark.usefixtures("device")

SECONDS = 10.0
YAW_STEP = 0.6
HELD = 0.05  # how far from its place a hovering vehicle may be [m]
KNOCK = np.array([[0.04, -0.03, 0.02, 0.4, -0.3, 0.2]])
BOTH = pytest.mark.parametrize("name", CRAFT)


def controls(vehicle: Multirotor) -> np.ndarray:
    """External forces and torques in the engine [N, N m], shape (num_worlds, nbody, 6)."""
    return vehicle.root_view.engine.read("xfrc_applied").copy()


@cache
def flown(name: str) -> dict[str, np.ndarray]:
    """Ten seconds of three vehicles: one hovers after a knock, two yaw, left and right."""
    craft = CRAFT[name]
    records: dict[str, list[np.ndarray]] = {"position": [], "yaw": [], "thrust": [], "down": []}
    with flying(craft.cfg()) as (sim, vehicle):
        goal = sim.env_origins + np.array([0.0, 0.0, 1.0])
        yaw = np.array([0.0, YAW_STEP, -YAW_STEP])
        vehicle.write_root_velocity_to_sim(KNOCK, [0])
        for _ in range(round(SECONDS / DT)):
            vehicle.set_thrust_target(control(craft, vehicle, goal, yaw))
            advance(sim, vehicle)
            data = vehicle.data
            records["position"].append(data.root_pos_w.numpy() - goal)
            records["yaw"].append(data.heading_w.numpy().copy())
            records["down"].append(data.projected_gravity_b.numpy().copy())
            records["thrust"].append(data.applied_thrust.numpy().copy())
    return {key: np.array(values) for key, values in records.items()}


# -- flight --------------------------------------------------------------------------------------


@BOTH
def test_it_holds_its_place_after_a_knock(name: str):
    craft, flight = CRAFT[name], flown(name)
    distance = np.linalg.norm(flight["position"][:, 0], axis=1)
    assert 1e-3 < distance.max() < HELD
    assert distance[-1] < 1e-3
    np.testing.assert_allclose(flight["down"][-1], [[0.0, 0.0, -1.0]] * 3, atol=1e-3)
    np.testing.assert_allclose(flight["thrust"][-1], craft.mass * G / craft.rotors, rtol=0.01)


@BOTH
def test_yaw_turns_to_its_side(name: str):
    craft, flight = CRAFT[name], flown(name)
    left, right = flight["yaw"][:, 1], flight["yaw"][:, 2]
    early = round(0.5 / DT)
    assert left[early] > 0.1 and right[early] < -0.1
    assert left[-1] == pytest.approx(YAW_STEP, abs=0.01)
    assert right[-1] == pytest.approx(-YAW_STEP, abs=0.01)
    np.testing.assert_allclose(left, -right, atol=0.02)
    assert np.linalg.norm(flight["position"][:, 1:], axis=2).max() < HELD
    # Clockwise rotors drive the vehicle counter-clockwise.
    soon = flight["thrust"][: round(0.1 / DT), 1].mean(axis=0)
    signs = np.array(craft.directions)
    assert soon[signs < 0].min() > craft.hover > soon[signs > 0].max()
    assert soon.sum() == pytest.approx(craft.mass * G, rel=0.02)


@BOTH
def test_without_control_the_knock_is_not_survived(name: str):
    craft = CRAFT[name]
    with flying(craft.cfg(), num_envs=1) as (sim, vehicle):
        vehicle.write_root_velocity_to_sim(KNOCK)
        advance(sim, vehicle, round(2.0 / DT))
        assert np.linalg.norm(vehicle.data.root_pos_w.numpy()[0] - [0.0, 0.0, 1.0]) > 1.0


@BOTH
def test_speeds_of_hovering_carry_it_from_the_start(name: str):
    """What init_state asks for is there in the first step already, with nothing commanded."""
    craft = CRAFT[name]
    with flying(craft.cfg(), num_envs=2) as (sim, vehicle):
        np.testing.assert_allclose(vehicle.data.applied_thrust.numpy(), craft.hover, rtol=1e-6)
        np.testing.assert_allclose(vehicle.data.thrust_target.numpy(), craft.hover, rtol=1e-6)
        advance(sim, vehicle, 200)
        np.testing.assert_allclose(vehicle.data.root_lin_vel_w.numpy(), 0.0, atol=1e-4)


@BOTH
def test_thrust_lifts_and_turns_as_newton_says(name: str):
    """A common excess climbs; a difference between directions yaws against the faster rotors."""
    craft = CRAFT[name]
    signs = np.array(craft.directions)
    thrust = np.stack([np.full(craft.rotors, 1.2), 1.0 + 0.2 * signs, 1.0 - 0.2 * signs])
    with flying(craft.cfg()) as (sim, vehicle):
        vehicle.set_thrust_target(thrust * craft.hover)
        climb, spin = np.zeros(3), np.zeros(3)
        for _ in range(100):
            advance(sim, vehicle)
            applied = vehicle.data.applied_thrust.numpy().astype(np.float64)
            climb += (applied.sum(axis=1) / craft.mass - G) * DT
            spin -= craft.torque_ratio * applied @ signs / craft.inertia[2] * DT
        velocity = vehicle.data.root_com_vel_b.numpy()
        np.testing.assert_allclose(velocity[:, 2], climb, atol=1e-3)
        # The README gives the inertia to three digits.
        np.testing.assert_allclose(velocity[:, 5], spin, rtol=2e-3, atol=1e-6)
        assert climb[0] > 0.3 and spin[1] < -0.1 and spin[2] > 0.1


def test_thrust_follows_a_step_like_a_lag_of_the_speed():
    craft = CRAFT["quadrotor"]
    with flying(craft.cfg(rps={".*": 60.0}), num_envs=1) as (sim, vehicle):
        vehicle.set_thrust_target(4.0)
        end, tau, start = np.sqrt(4.0 / craft.thrust_const), craft.rise, 60.0
        for n in range(1, 30):
            advance(sim, vehicle)
            speed = end + (start - end) * np.exp(-n * DT / tau)
            expected = craft.thrust_const * speed**2
            np.testing.assert_allclose(vehicle.data.applied_thrust.numpy(), expected, rtol=1e-4)
        vehicle.set_thrust_target(1.0)
        start, end, tau = speed, np.sqrt(1.0 / craft.thrust_const), craft.fall
        advance(sim, vehicle, 7)
        speed = end + (start - end) * np.exp(-7 * DT / tau)
        expected = craft.thrust_const * speed**2
        np.testing.assert_allclose(vehicle.data.applied_thrust.numpy(), expected, rtol=1e-4)


def test_devices_fly_alike():
    """The path of a GPU, without one, against the CPU."""
    pytest.importorskip("mujoco_warp")
    craft = CRAFT["quadrotor"]
    states = []
    for device in ("cpu", DEVICE):
        with flying(craft.cfg(), num_envs=2, device=device) as (sim, vehicle):
            vehicle.set_thrust_target(np.array([[2.6, 2.7, 2.6, 2.5], [2.4, 2.5, 2.6, 2.5]]))
            vehicle.permanent_wrench_composer.set_forces_and_torques(
                np.array([[[0.1, 0.2, 0.3]]]), body_ids=[0], env_ids=[1]
            )
            advance(sim, vehicle, 20)
            vehicle.reset([1])
            advance(sim, vehicle, 5)
            states.append(vehicle.data.root_state_w.numpy().copy())
            states[-1][:, :3] -= sim.env_origins
    np.testing.assert_allclose(states[0], states[1], atol=1e-4)
    assert np.abs(states[0][:, 7:]).max() > 0.1


# -- wrenches ------------------------------------------------------------------------------------


def accelerations(vehicle: Multirotor, world: int, direction: np.ndarray) -> np.ndarray:
    """What forces at the rotors themselves do, by bare MuJoCo, shape (nv,)."""
    engine, craft = vehicle.root_view.engine, CRAFT["quadrotor"]
    model, state = engine.world_model(world), engine.world_data(world)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = state.qpos, state.qvel
    mujoco.mj_forward(model, data)
    thrusts = vehicle.data.applied_thrust.numpy()[world]
    ids = [vehicle.find_bodies(name)[0][0] for name in vehicle.thruster_names]
    for thrust, sign, column in zip(thrusts, craft.directions, ids, strict=True):
        body = int(vehicle.root_view.layout.bodies[0, column])
        axis = data.xmat[body].reshape(3, 3) @ direction
        reaction = -sign * craft.torque_ratio * thrust * axis
        mujoco.mj_applyFT(
            model, data, thrust * axis, reaction, data.xpos[body], body, data.qfrc_applied
        )
    mujoco.mj_forward(model, data)
    return data.qacc.copy()


@pytest.mark.parametrize("direction", [(0.0, 0.0, 1.0), (0.6, 0.0, 0.8), (0.0, 0.0, -1.0)])
def test_the_wrench_is_that_of_forces_at_the_rotors(direction):
    """At any attitude, with centres of mass anywhere, for thrusts in any direction."""
    craft = CRAFT["quadrotor"]
    cfg = craft.cfg(thruster_force_direction=direction)
    rng = np.random.default_rng(3)
    with flying(cfg) as (sim, vehicle):
        coms = vehicle.data.body_com_pose_b.numpy()[:, :1].copy()
        coms[1:, 0, :3] += rng.normal(size=(2, 3)) * 0.03
        vehicle.set_coms(coms, body_ids=[0])
        pose = vehicle.data.root_pose_w.numpy().copy()
        quat = rng.normal(size=(3, 4))
        pose[:, 3:] = quat / np.linalg.norm(quat, axis=1, keepdims=True)
        vehicle.write_root_pose_to_sim(pose)
        vehicle.write_root_velocity_to_sim(rng.normal(size=(3, 6)))
        vehicle.set_thrust_target(rng.uniform(1.0, 5.0, size=(3, 4)))
        vehicle.write_data_to_sim()
        sim.engine.forward()
        got = sim.engine.read("qacc")
        for world in range(3):
            expected = accelerations(vehicle, world, np.array(direction))
            np.testing.assert_allclose(got[world], expected, rtol=1e-4, atol=1e-4)


def test_the_matrix_follows_the_centre_of_mass_of_each_instance():
    craft = CRAFT["quadrotor"]
    with flying(craft.cfg()) as (_, vehicle):
        before = vehicle.allocation_matrix.numpy().copy()
        vehicle.set_thrust_target(0.0)
        vehicle.write_data_to_sim()
        coms = vehicle.data.body_com_pose_b.numpy()[1:2, :1].copy()
        coms[..., 0] += 0.02
        vehicle.set_coms(coms, body_ids=[0], env_ids=[1])
        matrices = vehicle.allocation_matrices.numpy()
        np.testing.assert_array_equal(matrices[[0, 2]], [before, before])
        np.testing.assert_array_equal(vehicle.allocation_matrix.numpy(), before)
        # Thrust upwards, 2 cm further back: more nose-up torque per thrust.
        change = np.zeros((6, 4))
        change[4] = 0.02
        np.testing.assert_allclose(matrices[1] - before, change, atol=1e-7)
        vehicle.set_masses(vehicle.data.body_mass.numpy() * 1.1)
        np.testing.assert_array_equal(vehicle.allocation_matrices.numpy(), matrices)
        vehicle.write_data_to_sim()
        root = vehicle.root_view.layout.roots[0, 0]
        wrench = np.einsum("nik,nk->ni", matrices, vehicle.data.applied_thrust.numpy())
        np.testing.assert_allclose(controls(vehicle)[:, root], wrench, atol=1e-6)


def test_external_wrenches_act_together_with_the_thrusts():
    craft = CRAFT["quadrotor"]
    thrust = np.array([0.0, 0.0, 4.0 * craft.hover, 0.0, 0.0, 0.0])
    with flying(craft.cfg(), num_envs=2) as (sim, vehicle):
        root, rotor = vehicle.root_view.layout.bodies[0, :2]
        vehicle.write_data_to_sim()
        np.testing.assert_allclose(controls(vehicle)[:, root], [thrust] * 2, atol=1e-5)

        force = np.array([[[1.0, 2.0, 3.0], [0.0, 0.5, 0.0]]])
        vehicle.permanent_wrench_composer.set_forces_and_torques(
            force, body_ids=[0, 1], env_ids=[1]
        )
        vehicle.instantaneous_wrench_composer.add_forces_and_torques(
            torques=np.full((1, 1, 3), 0.25), body_ids=[0], env_ids=[0]
        )
        extra = np.zeros((2, 6))
        extra[1, :3] = force[0, 0]
        sudden = np.zeros((2, 6))
        sudden[0, 3:] = 0.25
        for once in (sudden, 0.0, 0.0):
            vehicle.write_data_to_sim()
            got = controls(vehicle)
            np.testing.assert_allclose(got[:, root], thrust + extra + once, atol=1e-5)
            np.testing.assert_allclose(got[1, rotor, :3], force[0, 1], atol=1e-6)

        vehicle.permanent_wrench_composer.reset()
        for _ in range(2):
            vehicle.write_data_to_sim()
            got = controls(vehicle)
            np.testing.assert_allclose(got[:, root], [thrust] * 2, atol=1e-5)
            np.testing.assert_array_equal(np.delete(got, root, axis=1), 0.0)
        sim.step()


def test_a_matrix_given_is_used_as_it_is(caplog):
    """Even one whose first row looks like a lift: it is the force along x, and that is said."""
    matrix = np.zeros((6, 4))
    matrix[0], matrix[5] = 1.0, [0.01, -0.02, 0.03, -0.04]
    cfg = CRAFT["quadrotor"].cfg(allocation_matrix=matrix.tolist())
    with flying(cfg, num_envs=1) as (_, vehicle):
        assert "Fx, Fy, Fz" in caplog.text and "pushes along" in caplog.text
        np.testing.assert_array_equal(vehicle.allocation_matrix.numpy(), matrix.astype(np.float32))
        assert vehicle.allocation_matrices.shape == (1, 6, 4)
        vehicle.write_data_to_sim()
        root = vehicle.root_view.layout.roots[0, 0]
        applied = vehicle.data.applied_thrust.numpy()[0]
        np.testing.assert_allclose(controls(vehicle)[0, root], matrix @ applied, rtol=1e-6)


def test_the_wrench_turns_with_the_vehicle():
    craft = CRAFT["quadrotor"]
    with flying(craft.cfg(), num_envs=1) as (_, vehicle):
        half = np.sqrt(0.5)
        vehicle.write_root_pose_to_sim(np.array([[0.0, 0.0, 1.0, 0.0, half, 0.0, half]]))
        vehicle.write_data_to_sim()
        root = vehicle.root_view.layout.roots[0, 0]
        expected = [4.0 * craft.hover, 0.0, 0.0, 0.0, 0.0, 0.0]
        np.testing.assert_allclose(controls(vehicle)[0, root], expected, atol=1e-5)


# -- resets --------------------------------------------------------------------------------------


def ranged(**changes):
    craft = CRAFT["quadrotor"]
    thruster = craft.thruster(
        rise_time_constant=None,
        fall_time_constant=None,
        tau_inc_range=(0.02, 0.08),
        tau_dec_range=(0.03, 0.09),
        thrust_const_range=(2.0e-4, 2.5e-4),
    )
    return craft.cfg(actuators={"thrusters": thruster}, **changes)


def snapshot(vehicle: Multirotor) -> dict[str, np.ndarray]:
    names = (
        "thrust_target computed_thrust applied_thrust default_thruster_rps root_state_w "
        "body_com_vel_w"
    )
    arrays = {name: getattr(vehicle.data, name).numpy().copy() for name in names.split()}
    model = vehicle.actuators["thrusters"]
    for name in ("tau_inc_s", "tau_dec_s", "thrust_const", "curr_thrust", "rps"):
        arrays[name] = getattr(model, name).numpy().copy()
    return {**arrays, "wrench": controls(vehicle)}


def test_a_partial_reset_leaves_others_bit_identical():
    targets = np.random.default_rng(5).uniform(1.5, 3.5, size=(60, 3, 4))
    runs = []
    for resets in (True, False):
        with flying(ranged()) as (sim, vehicle):
            for target in targets[:40]:
                vehicle.set_thrust_target(target)
                advance(sim, vehicle)
            before = snapshot(vehicle)
            if resets:
                start_over(sim, vehicle, [1])
                after = snapshot(vehicle)
                for name, values in before.items():
                    np.testing.assert_array_equal(after[name][[0, 2]], values[[0, 2]], name)
                assert (after["thrust_const"][1] != before["thrust_const"][1]).all()
                expected = after["thrust_const"][1] * after["default_thruster_rps"][1] ** 2
                for name in ("thrust_target", "computed_thrust", "applied_thrust"):
                    np.testing.assert_allclose(after[name][1], expected, rtol=1e-6)
                pose = [*(sim.env_origins[1] + [0.0, 0.0, 1.0]), 0.0, 0.0, 0.0, 1.0]
                np.testing.assert_allclose(after["root_state_w"][1, :7], pose, atol=1e-6)
            for target in targets[40:]:
                vehicle.set_thrust_target(target)
                advance(sim, vehicle)
            runs.append(snapshot(vehicle))
    for name, values in runs[0].items():
        np.testing.assert_array_equal(values[[0, 2]], runs[1][name][[0, 2]], name)
    assert (runs[0]["root_state_w"][1] != runs[1]["root_state_w"][1]).any()


def test_reset_takes_masks_and_speeds_written_by_the_user():
    craft = CRAFT["quadrotor"]
    with flying(craft.cfg()) as (_, vehicle):
        vehicle.set_thrust_target(5.0)
        changed(vehicle.data.default_thruster_rps, 2, [50.0, 60.0, 70.0, 80.0])
        vehicle.reset(env_mask=np.array([True, False, True]))
        target = vehicle.data.thrust_target.numpy()
        np.testing.assert_allclose(target[0], craft.hover, rtol=1e-6)
        np.testing.assert_array_equal(target[1], 5.0)
        speeds = np.array([50.0, 60.0, 70.0, 80.0])
        np.testing.assert_allclose(target[2], craft.thrust_const * speeds**2, rtol=1e-6)
        np.testing.assert_array_equal(vehicle.data.applied_thrust.numpy()[2], target[2])
        vehicle.reset([])
        np.testing.assert_array_equal(vehicle.data.thrust_target.numpy()[1], 5.0)
        vehicle.data.default_thruster_rps = 100.0
        vehicle.reset()
        np.testing.assert_allclose(vehicle.data.applied_thrust.numpy(), 2.3, rtol=1e-6)


def test_reset_ends_external_wrenches_of_the_instances():
    with flying(CRAFT["quadrotor"].cfg(), num_envs=2) as (_, vehicle):
        root = vehicle.root_view.layout.roots[0, 0]
        vehicle.permanent_wrench_composer.set_forces_and_torques(np.full((2, 5, 3), 1.0))
        vehicle.reset([0])
        vehicle.write_data_to_sim()
        np.testing.assert_allclose(controls(vehicle)[:, root, 0], [0.0, 1.0], atol=1e-6)
        vehicle.reset()
        vehicle.write_data_to_sim()
        np.testing.assert_allclose(controls(vehicle)[:, root, 0], 0.0, atol=1e-6)


def test_starting_again_binds_anew():
    craft = CRAFT["quadrotor"]
    with flying(craft.cfg(), num_envs=2) as (sim, vehicle):
        vehicle.set_thrust_target(1.0)
        advance(sim, vehicle, 5)
        first = vehicle.actuators["thrusters"]
        sim.reset()
        assert vehicle.actuators["thrusters"] is not first
        np.testing.assert_allclose(vehicle.data.applied_thrust.numpy(), craft.hover, rtol=1e-6)
        advance(sim, vehicle, 5)
        np.testing.assert_allclose(vehicle.data.root_lin_vel_w.numpy(), 0.0, atol=1e-4)
