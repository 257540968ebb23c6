"""Articulations move as mechanics says, and what is written acts."""

from __future__ import annotations

import numpy as np
import pytest
from articulation_stages import (
    ARM,
    INERTIA,
    MASS,
    ROBOT,
    add_joint,
    advance,
    chain,
    running,
    values,
)

from usdsim.math.rotations import quat_apply, quat_conjugate, quat_from_axis_angle

pytestmark = pytest.mark.usefixtures("device")

G = 9.81
ABOUT_JOINT = INERTIA + MASS * ARM**2
"""Inertia of a link about its joint [kg m^2]."""
DRIVE = {"Stiffness": np.pi / 180 * 40.0, "Damping": np.pi / 180 * 2.0}
"""A drive of 40 N m/rad and 2 N m s/rad."""


def still(links=1, num_envs=1, dt=0.001, gravity=(0.0, 0.0, 0.0), **options):
    """A chain without gravity."""
    return running(chain(links, **options), num_envs, dt=dt, gravity=gravity)


@pytest.mark.parametrize("angle, speed", [(0.0, 0.0), (0.7, 0.0), (-1.2, 2.0), (np.pi / 2, -1.0)])
def test_pendulum_accelerates_as_the_closed_form_says(angle, speed):
    with running(chain(), 2) as (_, robot):
        robot.write_joint_state_to_sim([[angle], [0.0]], [[speed], [0.0]])
        expected = -MASS * G * ARM * np.sin(angle) / ABOUT_JOINT
        np.testing.assert_allclose(values(robot.data.joint_acc), [[expected], [0.0]], atol=1e-5)


def test_acceleration_after_a_step_is_what_the_velocity_did():
    """At the first read too, where damping is strong enough to tell it from force over mass."""
    with running(chain(2, drive={"Damping": 0.1}), dt=0.002) as (sim, robot):
        robot.write_joint_state_to_sim([0.4, -0.3], [1.0, 2.0])
        for _ in range(2):
            advance(sim, robot)
            before = values(robot.data.joint_vel)
            advance(sim, robot)
            change = (values(robot.data.joint_vel) - before) / 0.002
            found = values(robot.data.joint_acc)
            np.testing.assert_allclose(found, change, rtol=1e-3, atol=1e-3)
        implied = sim.engine.read("qacc")
        assert np.abs(found / implied - 1.0).max() > 0.01


def test_body_acceleration_of_a_spinning_link():
    with still() as (_, robot):
        robot.write_joint_state_to_sim([[0.3]], [[4.0]])
        direction = np.array([-np.sin(0.3), 0.0, -np.cos(0.3)])
        towards = -(4.0**2) * ARM * direction
        np.testing.assert_allclose(values(robot.data.body_com_lin_acc_w)[0, 1], towards, atol=1e-5)


@pytest.mark.parametrize("form", ["", "_index", "_mask"])
def test_joint_state_reads_back_without_a_step(form):
    with running(chain(2), 2) as (_, robot):
        write = getattr(robot, f"write_joint_state_to_sim{form}")
        write(position=[[0.1, 0.2], [0.3, 0.4]], velocity=np.full((2, 2), 3.0))
        np.testing.assert_allclose(values(robot.data.joint_pos), [[0.1, 0.2], [0.3, 0.4]])
        assert (values(robot.data.joint_vel) == 3.0).all()
        tip = values(robot.data.body_link_pos_w)[:, 2] - values(robot.data.root_pos_w)
        # Links turn about y: a positive angle swings what hangs down towards -x.
        for row, angle in enumerate((0.1, 0.3)):
            expected = [-np.sin(angle), 0.0, -np.cos(angle)]
            np.testing.assert_allclose(tip[row], expected, atol=1e-6)


def test_a_bad_velocity_keeps_the_position_too():
    with running(chain(2), 2) as (_, robot):
        before = values(robot.data.joint_pos)
        with pytest.raises(ValueError, match="joint_velocity"):
            robot.write_joint_state_to_sim(0.5, np.nan)
        np.testing.assert_array_equal(values(robot.data.joint_pos), before)


# -- drives --------------------------------------------------------------------------------------


def test_stiffness_sets_the_period():
    with still(drive={"Stiffness": 0.0}) as (sim, robot):
        stiffness = 30.0
        robot.write_joint_stiffness_to_sim(stiffness)
        robot.write_joint_damping_to_sim(0.0)
        robot.write_joint_state_to_sim(0.2, 0.0)
        omega = np.sqrt(stiffness / ABOUT_JOINT)
        for _ in range(3):
            advance(sim, robot, 100)
        np.testing.assert_allclose(
            values(robot.data.joint_pos), 0.2 * np.cos(omega * 0.3), atol=0.01
        )


def test_damping_brakes():
    with still(drive={"Stiffness": 0.0}) as (sim, robot):
        robot.write_joint_damping_to_sim(1.5)
        robot.write_joint_velocity_to_sim(2.0)
        advance(sim, robot, 200)
        expected = 2.0 * np.exp(-1.5 / ABOUT_JOINT * 0.2)
        np.testing.assert_allclose(values(robot.data.joint_vel), expected, rtol=2e-3)


def test_velocity_target_is_followed():
    with still(drive={"Stiffness": 0.0}) as (sim, robot):
        robot.write_joint_damping_to_sim(50.0)
        robot.set_joint_velocity_target(0.7)
        advance(sim, robot, 500)
        np.testing.assert_allclose(values(robot.data.joint_vel), 0.7, rtol=1e-4)


def test_effort_target_accelerates():
    with still() as (sim, robot):
        robot.set_joint_effort_target_index(target=3.0)
        advance(sim, robot, 100)
        np.testing.assert_allclose(values(robot.data.joint_vel), 3.0 / ABOUT_JOINT * 0.1, rtol=1e-5)
        np.testing.assert_allclose(values(robot.data.applied_torque), 3.0)


def test_position_target_is_held_against_gravity():
    with running(chain(drive=DRIVE)) as (sim, robot):
        robot.set_joint_position_target_mask(target=[[0.8]])
        advance(sim, robot, 1600)
        angle = values(robot.data.joint_pos)[0, 0]
        # The spring carries the weight.
        assert 40.0 * (0.8 - angle) == pytest.approx(MASS * G * ARM * np.sin(angle), rel=1e-3)
        held = values(robot.data.applied_torque)[0, 0]
        assert held == pytest.approx(40.0 * (0.8 - angle), rel=1e-3)


def test_targets_do_nothing_until_data_are_written():
    with still(drive=DRIVE) as (sim, robot):
        robot.set_joint_position_target(1.0)
        sim.step()
        assert values(robot.data.joint_pos) == 0.0
        robot.write_data_to_sim()
        sim.step()
        assert values(robot.data.joint_pos) > 0.0


def test_authored_targets_are_the_first_ones():
    with still(drive={**DRIVE, "TargetPosition": 30.0}) as (_, robot):
        np.testing.assert_allclose(values(robot.data.joint_pos_target), np.pi / 6, rtol=1e-6)


def test_effort_limit_caps():
    with still(drive=DRIVE) as (sim, robot):
        robot.write_joint_effort_limit_to_sim(1.0)
        robot.set_joint_effort_target(5.0)
        advance(sim, robot, 50)
        np.testing.assert_allclose(
            values(robot.data.joint_vel), 1.0 / ABOUT_JOINT * 0.05, rtol=1e-5
        )
        np.testing.assert_allclose(values(robot.data.applied_torque), 1.0)
        speed, angle = 1.0 / ABOUT_JOINT * 0.049, 0.5 / ABOUT_JOINT * 0.049 * 0.05
        law = 5.0 - 40.0 * angle - 2.0 * speed
        assert values(robot.data.computed_torque) == pytest.approx(law, rel=1e-4)


def test_velocity_limit_caps():
    with still() as (sim, robot):
        robot.write_joint_velocity_limit_to_sim(0.5)
        robot.set_joint_effort_target(20.0)
        advance(sim, robot, 100)
        np.testing.assert_allclose(values(robot.data.joint_vel), 0.5, rtol=1e-6)


def test_armature_is_inertia():
    with still() as (sim, robot):
        robot.write_joint_armature_to_sim(1.0)
        robot.set_joint_effort_target(2.0)
        advance(sim, robot, 100)
        np.testing.assert_allclose(
            values(robot.data.joint_vel), 2.0 / (ABOUT_JOINT + 1.0) * 0.1, rtol=1e-5
        )


def test_position_limits_stop():
    with still() as (sim, robot):
        robot.write_joint_position_limit_to_sim([-0.1, 0.2])
        robot.set_joint_effort_target(1.0)
        advance(sim, robot, 2000)
        assert values(robot.data.joint_pos) == pytest.approx(0.2, abs=0.01)


# -- friction ------------------------------------------------------------------------------------


def test_static_friction_holds_and_dynamic_friction_brakes():
    with still(num_envs=3) as (sim, robot):
        robot.write_joint_friction_coefficient_to_sim(2.0, 0.5)
        robot.set_joint_effort_target([[1.9], [2.1], [2.1]])
        robot.write_joint_velocity_to_sim([[0.0], [0.0], [1.0]])
        advance(sim, robot, 200)
        stuck, started, moving = values(robot.data.joint_vel)[:, 0]
        assert abs(stuck) < 0.01
        gained = (2.1 - 0.5) / ABOUT_JOINT * 0.2
        # It takes a while to come loose.
        assert started == pytest.approx(gained, rel=0.12)
        assert moving == pytest.approx(1.0 + gained, rel=0.02)


def test_viscous_friction_brakes_with_speed():
    with still() as (sim, robot):
        robot.write_joint_viscous_friction_coefficient_to_sim(1.5)
        robot.write_joint_velocity_to_sim(2.0)
        advance(sim, robot, 200)
        expected = 2.0 * np.exp(-1.5 / ABOUT_JOINT * 0.2)
        np.testing.assert_allclose(values(robot.data.joint_vel), expected, rtol=2e-3)


def test_dynamic_friction_follows_a_single_friction_and_never_exceeds_it():
    with still(num_envs=2) as (_, robot):
        data = robot.data
        robot.write_joint_friction_coefficient_to_sim(1.0)
        assert (values(data.joint_dynamic_friction_coeff) == 1.0).all()
        robot.write_joint_dynamic_friction_coefficient_to_sim(0.4, env_ids=[1])
        robot.write_joint_friction_to_sim(2.0)
        np.testing.assert_allclose(values(data.joint_dynamic_friction_coeff), [[2.0], [0.4]])
        robot.write_joint_friction_coefficient_to_sim_index(joint_friction_coeff=0.3)
        np.testing.assert_allclose(values(data.joint_dynamic_friction_coeff), [[0.3], [0.3]])
        with pytest.raises(ValueError, match="joint_1"):
            robot.write_joint_friction_coefficient_to_sim(0.3, 0.5, 0.7)
        np.testing.assert_allclose(values(data.joint_friction_coeff), 0.3)
        np.testing.assert_allclose(values(data.joint_viscous_friction_coeff), 0.0)


@pytest.mark.parametrize("form", ["_index", "_mask"])
def test_three_frictions_at_once(form):
    with still(2, num_envs=2) as (_, robot):
        write = getattr(robot, f"write_joint_friction_coefficient_to_sim{form}")
        write(
            joint_friction_coeff=[[1.0, 2.0]],
            joint_dynamic_friction_coeff=0.5,
            joint_viscous_friction_coeff=[[0.1], [0.2]],
        )
        data = robot.data
        np.testing.assert_allclose(values(data.joint_friction), [[1, 2], [1, 2]])
        np.testing.assert_allclose(values(data.joint_dynamic_friction_coeff), 0.5)
        np.testing.assert_allclose(
            values(data.joint_viscous_friction_coeff), [[0.1, 0.1], [0.2, 0.2]], rtol=1e-6
        )


# -- limits --------------------------------------------------------------------------------------


def test_soft_limits_shrink_about_the_middle():
    stage = chain(2, limits=(-90.0, 30.0))
    with running(stage, soft_joint_pos_limit_factor=0.5) as (_, robot):
        data = robot.data
        low, high = np.deg2rad([-90.0, 30.0])
        np.testing.assert_allclose(values(data.joint_pos_limits)[0, 0], [low, high], rtol=1e-6)
        middle, half = (low + high) / 2, (high - low) / 4
        wanted = [middle - half, middle + half]
        np.testing.assert_allclose(values(data.soft_joint_pos_limits)[0, 1], wanted, rtol=1e-6)
        robot.write_joint_position_limit_to_sim_index(limits=[-1.0, 2.0], joint_ids=[1])
        np.testing.assert_allclose(values(data.soft_joint_pos_limits)[0, 1], [-0.25, 1.25])
        np.testing.assert_allclose(values(data.soft_joint_pos_limits)[0, 0], wanted, rtol=1e-6)


def test_soft_limits_may_be_wider_than_the_limits():
    with running(chain(1, limits=(-90.0, 30.0)), soft_joint_pos_limit_factor=1.5) as (_, robot):
        wanted = np.deg2rad([-30.0 - 90.0, -30.0 + 90.0])
        found = values(robot.data.soft_joint_pos_limits)[0, 0]
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize("form", ["", "_index", "_mask"])
def test_default_positions_move_into_new_limits(form, caplog):
    with running(chain(2), 2) as (_, robot):
        data = robot.data
        data.default_joint_pos = [[0.5, -0.5]]
        write = getattr(robot, f"write_joint_position_limit_to_sim{form}")
        write(limits=np.tile([-1.0, 1.0], (2, 2, 1)))
        np.testing.assert_allclose(values(data.default_joint_pos), [[0.5, -0.5]] * 2)
        assert not caplog.records
        write(limits=np.tile([-0.2, 1.0], (2, 2, 1)))
        np.testing.assert_allclose(values(data.default_joint_pos), [[0.5, -0.2]] * 2)
        assert "joint_2" in caplog.text and "joint_1," not in caplog.text
        caplog.clear()
        write(limits=np.tile([0.6, 1.0], (2, 2, 1)), warn_limit_violation=False)
        np.testing.assert_allclose(values(data.default_joint_pos), 0.6)
        assert not caplog.records


def test_refused_limits_change_nothing():
    with running(chain(2), 2) as (_, robot):
        before = values(robot.data.joint_pos_limits)
        for bad in ([1.0, -1.0], [np.nan, 1.0], np.zeros((3, 2, 2))):
            with pytest.raises(ValueError):
                robot.write_joint_limits_to_sim(bad)
        np.testing.assert_array_equal(values(robot.data.joint_pos_limits), before)


# -- base ----------------------------------------------------------------------------------------


def test_a_fixed_base_stays_and_moves_only_when_written():
    with running(chain(2), 2) as (sim, robot):
        assert robot.is_fixed_base and robot.num_base_dofs == 0
        robot.write_joint_position_to_sim([0.5, 0.3])
        start = values(robot.data.root_link_pose_w)
        advance(sim, robot, 20)
        np.testing.assert_array_equal(values(robot.data.root_link_pose_w), start)
        pose = start[1:].copy()
        pose[:, :3] += [0.5, 1.0, 2.0]
        pose[:, 3:] = quat_from_axis_angle([0.0, 0.0, 1.0], 0.4)
        robot.write_root_pose_to_sim(pose, env_ids=[1])
        now = values(robot.data.root_link_pose_w)
        np.testing.assert_allclose(now[1], pose[0], atol=1e-6)
        np.testing.assert_array_equal(now[0], start[0])
        advance(sim, robot, 20)
        np.testing.assert_allclose(values(robot.data.root_link_pose_w), now, atol=1e-7)


def test_a_floating_base_falls():
    with running(chain(2, fixed=False), dt=0.01) as (sim, robot):
        assert not robot.is_fixed_base and robot.num_base_dofs == 6
        advance(sim, robot, 10)
        np.testing.assert_allclose(
            values(robot.data.root_lin_vel_w)[0], [0, 0, -G * 0.1], atol=1e-4
        )


def test_a_base_held_by_a_joint_is_written_as_with_the_joint_at_zero():
    stage = chain(1, fixed=False)
    add_joint(stage, f"{ROBOT}/swing", "Revolute", None, f"{ROBOT}/base")
    with running(stage, 2) as (_, robot):
        assert robot.is_fixed_base
        pose = values(robot.data.root_link_pose_w)
        pose[:, :3] += [0.1, 0.2, 0.3]
        robot.write_joint_position_to_sim([0.7], robot.find_joints("swing")[0])
        robot.write_root_link_pose_to_sim(pose)
        np.testing.assert_allclose(values(robot.data.joint_pos)[:, 0], 0.7, rtol=1e-6)
        turned = [0.0, np.sin(0.35), 0.0, np.cos(0.35)]
        found = values(robot.data.root_link_pose_w)
        np.testing.assert_allclose(found[:, :3], pose[:, :3], atol=1e-6)
        np.testing.assert_allclose(found[:, 3:], [turned] * 2, atol=1e-6)


def test_a_partial_reset_leaves_other_worlds_bit_identical():
    with running(chain(3, fixed=False, drive=DRIVE), 3) as (sim, robot):
        rng = np.random.default_rng(0)
        robot.set_joint_position_target(rng.uniform(-1, 1, (3, 3)))
        robot.write_joint_stiffness_to_sim(rng.uniform(5, 50, (3, 3)))
        advance(sim, robot, 20)
        names = ("qpos", "qvel", "xpos", "qacc", "ctrl")
        before = {name: np.array(sim.engine.read(name)[[0, 2]]) for name in names}
        gains = values(robot.data.joint_stiffness)[[0, 2]]
        state = values(robot.data.default_root_state)[[1]]
        state[:, :3] += sim.env_origins[1]
        robot.write_root_state_to_sim(state, [1])
        robot.write_joint_state_to_sim(0.0, 0.0, env_ids=[1])
        robot.write_joint_stiffness_to_sim(7.0, env_ids=[1])
        robot.set_joint_position_target(0.0, env_ids=[1])
        robot.reset([1])
        for name in ("qpos", "qvel", "xpos"):
            np.testing.assert_array_equal(sim.engine.read(name)[[0, 2]], before[name])
        np.testing.assert_array_equal(values(robot.data.joint_stiffness)[[0, 2]], gains)
        assert (values(robot.data.joint_pos)[1] == 0.0).all()


# -- forces between and on bodies ----------------------------------------------------------------


def test_incoming_wrench_is_the_load_on_the_parent():
    with running(chain(1, drive={"Stiffness": 10.0, "Damping": 1.0}), 2, dt=0.01) as (sim, robot):
        force, torque = np.array([0.0, 10.0, 0.0]), np.array([0.0, 0.0, 10.0])
        robot.set_external_force_and_torque(
            np.tile(force, (2, 1, 1)), np.tile(torque, (2, 1, 1)), body_ids=[1]
        )
        robot.set_joint_position_target(0.6)
        advance(sim, robot, 300)
        pose = values(robot.data.body_link_pose_w)[0]
        com = values(robot.data.body_com_pos_w)[0, 1]
        turn = pose[1, 3:]
        load = MASS * np.array([0.0, 0.0, -G]) + quat_apply(turn, force)
        moment = np.cross(com - pose[0, :3], load) + quat_apply(turn, torque)
        undo = quat_conjugate(pose[0, 3:])
        expected = np.concatenate([quat_apply(undo, load), quat_apply(undo, moment)])
        wrench = values(robot.data.body_incoming_joint_wrench_b)
        np.testing.assert_allclose(wrench[0, 1], expected, atol=1e-2, rtol=1e-3)
        np.testing.assert_allclose(wrench[1], wrench[0], atol=1e-5)
        # The root is in its own axes here, and carries its own weight too.
        weight = MASS * np.array([0.0, 0.0, -G])
        np.testing.assert_allclose(wrench[0, 0, :3], load + weight, atol=1e-2)


def test_incoming_wrench_of_a_moving_parent_is_in_its_frame():
    with running(chain(2, drive={"Stiffness": 50.0, "Damping": 5.0}), dt=0.01) as (sim, robot):
        robot.set_joint_position_target([0.5, 0.4])
        advance(sim, robot, 400)
        pose = values(robot.data.body_link_pose_w)[0]
        coms = values(robot.data.body_com_pos_w)[0]
        load = MASS * np.array([0.0, 0.0, -G])
        moment = np.cross(coms[2] - pose[1, :3], load)
        undo = quat_conjugate(pose[1, 3:])
        expected = np.concatenate([quat_apply(undo, load), quat_apply(undo, moment)])
        wrench = values(robot.data.body_incoming_joint_wrench_b)[0, 2]
        np.testing.assert_allclose(wrench, expected, atol=1e-2)


def test_a_force_of_its_weight_carries_a_floating_articulation():
    with running(chain(1, fixed=False), 2) as (sim, robot):
        lift = np.zeros((1, 2, 3))
        lift[..., 2] = MASS * G
        robot.set_external_force_and_torque(lift, 0.0 * lift, env_ids=[0], is_global=True)
        height = values(robot.data.root_pos_w)[:, 2]
        advance(sim, robot, 40)
        fallen = values(robot.data.root_pos_w)[:, 2] - height
        assert abs(fallen[0]) < 1e-6 and fallen[1] == pytest.approx(-0.5 * G * 0.2**2, rel=0.05)


def test_a_force_at_a_position_turns():
    with running(chain(1, fixed=False), gravity=(0, 0, 0)) as (sim, robot):
        push, arm = np.zeros((1, 1, 3)), np.zeros((1, 1, 3))
        push[..., 1], arm[..., 0] = 5.0, 1.0
        robot.set_external_force_and_torque(push, 0 * push, arm, body_ids=[0])
        advance(sim, robot, 20)
        assert values(robot.data.root_ang_vel_w)[0, 2] > 0.1


def test_wrenches_end_with_a_reset_and_the_instantaneous_ones_with_a_write():
    with running(chain(1, fixed=False), 2, gravity=(0, 0, 0)) as (sim, robot):
        ones = np.ones((2, 2, 3))
        robot.permanent_wrench_composer.set_forces_and_torques_index(ones, ones)
        robot.instantaneous_wrench_composer.add_forces_and_torques_index(ones, ones)
        robot.reset([0])
        for composer in (robot.permanent_wrench_composer, robot.instantaneous_wrench_composer):
            assert composer.active
            assert np.count_nonzero(composer.composed_force.numpy()) == robot.num_bodies * 3
        advance(sim, robot)
        assert not robot.instantaneous_wrench_composer.active
        robot.reset()
        assert not robot.permanent_wrench_composer.active
        speed = values(robot.data.root_vel_w)
        advance(sim, robot, 3)
        np.testing.assert_allclose(
            values(robot.data.root_vel_w)[:, :3].sum(1), speed[:, :3].sum(1), atol=0.05
        )
        np.testing.assert_array_equal(sim.engine.read("xfrc_applied"), 0.0)
