"""Lee controllers of multirotors against closed forms, and on a vehicle that they fly."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pxr import UsdGeom

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.robots import QUADROTOR_CFG
from usdsim.sim import SimulationCfg, SimulationContext
from usdsim.spawners import clone_environments
from usdsim.usd.stage import create_stage

torch = pytest.importorskip("torch")
from usdsim.controllers import (  # noqa: E402
    LeeAccController,
    LeeAccControllerCfg,
    LeeAttController,
    LeeAttControllerCfg,
    LeePosController,
    LeePosControllerCfg,
    LeeVelController,
    LeeVelControllerCfg,
    compute_body_torque,
    compute_desired_orientation,
    yaw_rate_to_body_angvel,
)
from usdsim.controllers.lee.geometry import limit_inclination, total_inertia  # noqa: E402
from usdsim.math.tensors import (  # noqa: E402
    matrix_from_quat,
    quat_apply,
    quat_apply_inverse,
    quat_from_angle_axis,
    quat_from_euler_xyz,
    quat_mul,
    random_orientation,
)

N, MASS, G = 4, 1.3, 9.81
INERTIA = torch.diag(torch.tensor([0.01, 0.02, 0.03]))
RANGES = {
    "K_rot_range": ((1.0, 1.5, 0.5), (2.0, 2.5, 0.5)),
    "K_angvel_range": ((0.1, 0.2, 0.3), (0.3, 0.4, 0.5)),
    "max_yaw_rate": 1.0,
}
K_POS, K_VEL = ((1.0, 2.0, 3.0),) * 2, ((2.0, 3.0, 4.0),) * 2
KINDS = {
    LeeAttController: LeeAttControllerCfg(**RANGES),
    LeeAccController: LeeAccControllerCfg(**RANGES),
    LeeVelController: LeeVelControllerCfg(K_vel_range=K_VEL, **RANGES),
    LeePosController: LeePosControllerCfg(K_pos_range=K_POS, K_vel_range=K_VEL, **RANGES),
}


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(1)


def craft(**state: Any) -> SimpleNamespace:
    """A vehicle of one body, at rest at the origin unless said otherwise."""
    data = SimpleNamespace(
        root_pos_w=torch.zeros(N, 3),
        root_quat_w=torch.tensor([[0.0, 0.0, 0.0, 1.0]]).repeat(N, 1),
        root_lin_vel_w=torch.zeros(N, 3),
        root_ang_vel_b=torch.zeros(N, 3),
        gravity_w=torch.tensor([[0.0, 0.0, -G]]).repeat(N, 1),
        body_mass=torch.full((N, 1), MASS),
        body_inertia=INERTIA.reshape(1, 1, 9).repeat(N, 1, 1),
    )
    vars(data).update(state)
    data.body_com_pos_w = data.root_pos_w[:, None]
    data.body_link_quat_w = data.root_quat_w[:, None]
    return SimpleNamespace(data=data)


def controller(kind: Any, robot: Any = None, **changes: Any) -> Any:
    return kind(KINDS[kind].replace(**changes), robot or craft(), N, "cpu")


def command(*numbers: float) -> Any:
    return torch.tensor([numbers]).repeat(N, 1)


# -- geometry ----------------------------------------------------------------------------------


def test_orientations_point_z_along_forces_and_x_to_the_heading():
    force, yaw = torch.randn(N, 3), torch.linspace(-3.0, 3.0, N)
    taken = torch.empty(N, 3, 3)
    quat = compute_desired_orientation(force, yaw, taken)
    matrix = matrix_from_quat(quat)
    torch.testing.assert_close(taken, matrix)
    torch.testing.assert_close(matrix[:, :, 2], force / force.norm(dim=1, keepdim=True))
    left = torch.stack([-yaw.sin(), yaw.cos(), 0.0 * yaw], dim=1)
    x = matrix[:, :, 0]
    # Body x is in the plane of the heading and the force, on the heading's side.
    heading = torch.stack([yaw.cos(), yaw.sin(), 0.0 * yaw], dim=1)
    assert (torch.linalg.cross(heading, x, dim=1) * matrix[:, :, 2]).sum(1).abs().max() < 1e-5
    assert ((x * heading).sum(1) > 0.0).all()
    level = compute_desired_orientation(torch.tensor([[0.0, 0.0, 2.0]]).repeat(N, 1), yaw)
    torch.testing.assert_close(matrix_from_quat(level)[:, :, 1], left)


def test_torques_are_sines_of_angles_and_zero_at_the_goal():
    goal, none, axis = random_orientation(N, "cpu"), torch.zeros(N, 3), torch.eye(3)[1].repeat(N, 1)
    stiff, damped = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[0.1, 0.2, 0.3]])
    torque = compute_body_torque(goal, none, goal, none, INERTIA, stiff, damped, 1.0)
    torch.testing.assert_close(torque, none, atol=1e-6, rtol=0.0)
    angle = torch.tensor([-2.0, -0.3, 0.5, 3.0])
    turned = quat_mul(goal, quat_from_angle_axis(angle, axis))
    torque = compute_body_torque(goal, none, turned, none, INERTIA, stiff, damped, 1.0)
    torch.testing.assert_close(torque, -2.0 * angle.sin()[:, None] * axis, atol=1e-5, rtol=0.0)


def test_a_free_spin_at_the_goal_takes_the_gyroscopic_torque_alone():
    goal, spin = random_orientation(N, "cpu"), 0.3 * torch.randn(N, 3)
    gains = torch.ones(N, 3)
    torque = compute_body_torque(goal, spin, goal, spin, INERTIA, gains, gains, 9.0)
    expected = torch.linalg.cross(spin, spin @ INERTIA, dim=1)
    torch.testing.assert_close(torque, expected)
    limited = compute_body_torque(
        goal, command(0.0, 0.0, 5.0), goal, torch.zeros(N, 3), INERTIA, gains, gains, 0.5
    )
    torch.testing.assert_close(limited, command(0.0, 0.0, 0.5))


def test_yaw_rates_are_turns_about_world_z():
    roll, pitch, yaw = 0.5 * torch.randn(3, N)
    rate = torch.randn(N)
    vertical = torch.stack([0.0 * rate, 0.0 * rate, rate], dim=1)
    quat = quat_from_euler_xyz(roll, pitch, yaw)
    found = yaw_rate_to_body_angvel(rate, roll, pitch)
    torch.testing.assert_close(found, quat_apply_inverse(quat, vertical))


def test_forces_stay_within_the_cone():
    force = torch.tensor([[2.0, 0.0, 2.0], [0.0, 5.0, 1.0], [1.0, 1.0, -3.0], [0.0, 0.0, -3.0]])
    found = limit_inclination(force, math.pi / 6)
    up, part = math.sqrt(0.75), 0.5 * math.sqrt(0.5)
    expected = [[0.5, 0.0, up], [0.0, 0.5, up], [part, part, up]]
    torch.testing.assert_close(found[:3], torch.tensor(expected))
    assert found[3, :2].tolist() == [0.0, 0.0] and found[3, 2] > 0.0
    torch.testing.assert_close(limit_inclination(force[:1], 0.8), force[:1])


def test_inertias_of_wholes_are_those_of_their_parts():
    quat, offset = random_orientation(N, "cpu"), torch.tensor([0.3, 0.0, 0.0])
    arm = quat_apply(quat, offset.repeat(N, 1))
    places = torch.stack([arm, -arm], dim=1)
    masses, spheres = torch.full((N, 2), 2.0), (0.1 * torch.eye(3)).repeat(N, 2, 1, 1)
    parts = random_orientation(2 * N, "cpu").view(N, 2, 4)
    mass, inertia = total_inertia(masses, spheres, places, parts, quat)
    torch.testing.assert_close(mass, torch.full((N,), 4.0))
    expected = torch.diag(torch.tensor([0.2, 0.2 + 4 * 0.09, 0.2 + 4 * 0.09]))
    torch.testing.assert_close(inertia, expected.repeat(N, 1, 1), atol=1e-6, rtol=1e-5)


# -- wrenches ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_hovering_is_the_weight_and_no_torque(kind: Any):
    wrench = controller(kind).compute(command(0.0, 0.0, 0.0, 0.0))
    torch.testing.assert_close(wrench, command(0.0, 0.0, MASS * G, 0.0, 0.0, 0.0))


def test_thrust_is_the_part_of_the_force_along_the_body():
    quat = quat_from_euler_xyz(torch.tensor([0.4]), torch.tensor([0.0]), torch.tensor([0.0]))
    robot = craft(root_quat_w=quat.repeat(N, 1))
    wrench = controller(LeeAccController, robot).compute(command(0.0, -2.0, 1.0, 0.0))
    expected = MASS * ((1.0 + G) * math.cos(0.4) + 2.0 * math.sin(0.4))
    torch.testing.assert_close(wrench[:, 2], torch.full((N,), expected))
    # Leaning by atan(2 / 10.81) is asked for; it leans by 0.4 about x.
    error = math.sin(0.4 - math.atan2(2.0, 1.0 + G))
    torch.testing.assert_close(wrench[:, 3], torch.full((N,), -1.5 * error))


def test_set_points_become_accelerations():
    yaw = torch.tensor([math.pi / 2])
    turned = quat_from_euler_xyz(0.0 * yaw, 0.0 * yaw, yaw).repeat(N, 1)
    still = controller(LeeAccController)
    moving = craft(root_pos_w=command(0.5, -0.5, 1.0), root_lin_vel_w=command(0.1, 0.2, 0.3))
    there = controller(LeePosController, moving).compute(command(1.0, 0.0, 1.5, 0.0))
    asked = command(1.0 * 0.5 - 0.2, 2.0 * 0.5 - 0.6, 3.0 * 0.5 - 1.2, 0.0)
    torch.testing.assert_close(there, still.compute(asked))
    # Ahead of a vehicle that looks along world y is world y.
    fast = controller(LeeVelController, craft(root_quat_w=turned)).compute(command(1, 0, 0.5, 0.0))
    facing = controller(LeeAccController, craft(root_quat_w=turned))
    torch.testing.assert_close(fast, facing.compute(command(0.0, 3.0, 2.0, 0.0)))


def test_attitudes_are_thrust_in_weights_and_angles_within_limits():
    asked = controller(LeeAttController).compute(command(-0.25, 0.2, 0.0, 0.0))
    torch.testing.assert_close(asked[:, 2], torch.full((N,), 0.75 * MASS * G))
    torch.testing.assert_close(asked[:, 3], torch.full((N,), 1.5 * math.sin(0.2)))
    steep = controller(LeeAttController, max_inclination_angle_rad=0.5)
    torque = steep.compute(command(0.0, 0.0, 1.4, 0.0))[:, 4]
    torch.testing.assert_close(torque, torch.full((N,), 2.0 * math.sin(0.5)))


def test_gains_are_drawn_within_their_ranges_where_environments_start_over():
    found = controller(LeeVelController)
    middle = torch.tensor([[1.5, 2.0, 0.5]]).repeat(N, 1)
    torch.testing.assert_close(found.K_rot_current, middle)
    found.robot.data.body_mass[:] = 2.0
    found.reset_idx(torch.tensor([1, 3]))
    assert torch.equal(found.K_rot_current[::2], middle[::2])
    drawn = found.K_rot_current[1::2]
    least, most = (torch.tensor(row) for row in RANGES["K_rot_range"])
    assert ((least <= drawn) & (drawn <= most)).all() and len(drawn[:, 0].unique()) == 2
    assert found.mass.tolist() == pytest.approx([MASS, 2.0, MASS, 2.0])
    found.reset()
    assert found.mass.tolist() == [2.0] * N and not (found.K_rot_current == middle)[:, :2].any()


def test_what_cannot_be_followed_is_refused():
    with pytest.raises(InvalidValueError, match=r"LeeVelControllerCfg.K_vel_range"):
        LeeVelController(LeeVelControllerCfg(**RANGES), craft(), N, "cpu")
    with pytest.raises(InvalidValueError, match=r"K_rot_range.*gains >= 0"):
        controller(LeeAttController, K_rot_range=((2.0,) * 3, (1.0,) * 3))
    with pytest.raises(InvalidValueError, match=r"max_inclination_angle_rad is 1.6"):
        controller(LeeAttController, max_inclination_angle_rad=1.6)
    with pytest.raises(ShapeError, match="command"):
        controller(LeeAttController).compute(torch.zeros(N, 3))


# -- flight ------------------------------------------------------------------------------------


def test_a_vehicle_reaches_its_set_point_and_heading():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/World/envs/env_0")
    with SimulationContext(SimulationCfg(dt=0.005), stage) as sim:
        cfg = QUADROTOR_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")
        vehicle = cfg.class_type(cfg)
        clone_environments("/World/envs/env_0", 2, 3.0, stage=stage)
        sim.reset()
        np.testing.assert_allclose(vehicle.data.gravity_w.numpy(), [[0.0, 0.0, -G]] * 2)
        control = LeePosControllerCfg(
            K_pos_range=((6.0,) * 3,) * 2,
            K_vel_range=((4.5,) * 3,) * 2,
            K_rot_range=((0.4, 0.4, 0.1),) * 2,
            K_angvel_range=((0.08, 0.08, 0.06),) * 2,
            max_yaw_rate=1.0,
        )
        follow = LeePosController(control, vehicle, 2, "cpu")
        assert follow.mass.tolist() == pytest.approx([1.0, 1.0], rel=1e-3)
        turn = torch.linalg.pinv(vehicle.allocation_matrices.torch)
        goal = torch.cat([vehicle.data.root_pos_w.torch.clone(), torch.tensor([[0.6], [-0.6]])], 1)
        goal[:, :3] += torch.tensor([1.0, -0.5, 0.7])
        for _ in range(2000):
            vehicle.set_thrust_target((turn @ follow.compute(goal)[..., None])[..., 0])
            vehicle.write_data_to_sim()
            sim.step()
            vehicle.update(sim.physics_dt)
        torch.testing.assert_close(vehicle.data.root_pos_w.torch, goal[:, :3], atol=1e-2, rtol=0.0)
        torch.testing.assert_close(vehicle.data.heading_w.torch, goal[:, 3], atol=1e-2, rtol=0.0)
        thrust = vehicle.data.applied_thrust.torch.sum(dim=1)
        torch.testing.assert_close(thrust, follow.mass * G, atol=0.02, rtol=0.0)
