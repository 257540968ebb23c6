"""Jacobians, mass matrix and gravity of articulations against motion and the bare engine."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from articulation_stages import advance, chain, running, values

pytestmark = pytest.mark.usefixtures("device")

CASES = [(3, True), (3, False), (1, True)]


def moving(links: int, fixed: bool):
    return running(chain(links, fixed=fixed), 2)


def excite(robot, seed: int = 0) -> np.ndarray:
    """Random state; returns velocities of base and joints, shape (2, num_dofs)."""
    rng = np.random.default_rng(seed)
    count = robot.num_joints
    robot.write_joint_state_to_sim(rng.uniform(-1, 1, (2, count)), rng.normal(size=(2, count)))
    joints = values(robot.data.joint_vel)
    if robot.is_fixed_base:
        return joints
    pose = values(robot.data.root_link_pose_w)
    quat = rng.normal(size=(2, 4))
    pose[:, 3:] = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    base = rng.normal(size=(2, 6)).astype(np.float32)
    robot.write_root_link_pose_to_sim(pose)
    robot.write_root_link_velocity_to_sim(base)
    return np.concatenate([base, joints], axis=1)


@pytest.mark.parametrize("links, fixed", CASES)
def test_jacobians_give_velocities(links, fixed):
    with moving(links, fixed) as (_, robot):
        speeds = excite(robot)
        data = robot.data
        for jacobian, velocity in (
            (data.body_link_jacobian_w, data.body_link_vel_w),
            (data.body_com_jacobian_w, data.body_com_vel_w),
        ):
            first = int(fixed)  # a root that cannot move has no row
            assert jacobian.shape == (2, links + 1 - first, 6, len(speeds[0]))
            found = np.einsum("nbkd,nd->nbk", values(jacobian), speeds)
            np.testing.assert_allclose(found, values(velocity)[:, first:], atol=1e-5)


@pytest.mark.parametrize("links, fixed", CASES)
def test_mass_matrix_gives_the_energy(links, fixed):
    with moving(links, fixed) as (sim, robot):
        robot.write_joint_armature_to_sim(0.3)
        speeds = excite(robot, 1).astype(np.float64)
        matrix = values(robot.data.mass_matrix).astype(np.float64)
        np.testing.assert_allclose(matrix, np.swapaxes(matrix, 1, 2), atol=1e-5)
        for world in range(2):
            model, data = sim.engine.world_model(world), sim.engine.world_data(world)
            mujoco.mj_energyVel(model, data)
            energy = 0.5 * speeds[world] @ matrix[world] @ speeds[world]
            # The engine's energy leaves armature out in no case: both have it.
            assert energy == pytest.approx(data.energy[1], rel=1e-4)


@pytest.mark.parametrize("links", [1, 3])
def test_gravity_forces_hold(links):
    with running(chain(links), 2, dt=0.001) as (sim, robot):
        robot.write_joint_state_to_sim(np.linspace(0.3, 0.9, links), 0.0)
        before = values(robot.data.joint_pos)
        for _ in range(50):
            robot.set_joint_effort_target(values(robot.data.gravity_compensation_forces))
            advance(sim, robot)
        np.testing.assert_allclose(values(robot.data.joint_pos), before, atol=1e-5)


def test_gravity_forces_of_a_floating_base_carry_its_weight():
    with moving(2, False) as (_, robot):
        forces = values(robot.data.gravity_compensation_forces)
        weight = 9.81 * values(robot.data.body_mass).sum(axis=1)
        np.testing.assert_allclose(forces[:, :3], [[0, 0, weight[0]], [0, 0, weight[1]]], atol=1e-4)


def test_dynamics_follow_parameters_and_state():
    with moving(2, True) as (_, robot):
        before = values(robot.data.mass_matrix), values(robot.data.gravity_compensation_forces)
        robot.set_masses(4.0)
        heavier = values(robot.data.mass_matrix)
        assert (
            np.diagonal(heavier, axis1=1, axis2=2) > np.diagonal(before[0], axis1=1, axis2=2)
        ).all()
        robot.write_joint_position_to_sim(1.0)
        assert not np.allclose(values(robot.data.gravity_compensation_forces), before[1])
