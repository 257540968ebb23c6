"""Controllers against closed forms, and on an arm that they move."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from usdsim.core.errors import InvalidValueError, ShapeError

torch = pytest.importorskip("torch")
from usdsim.controllers import (  # noqa: E402
    DifferentialIKController,
    DifferentialIKControllerCfg,
    JointImpedanceController,
    JointImpedanceControllerCfg,
    OperationalSpaceController,
    OperationalSpaceControllerCfg,
)
from usdsim.math.tensors import quat_from_euler_xyz, random_orientation  # noqa: E402

N, JOINTS = 5, 7


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(1)


def random_mass(count: int = JOINTS) -> Any:
    root = torch.randn(N, count, count)
    return root @ root.mT + torch.eye(count)


def pose() -> Any:
    return torch.cat([torch.randn(N, 3), random_orientation(N, "cpu")], dim=-1)


# -- differential inverse kinematics -----------------------------------------------------------


def change(method: str, jacobian: Any, error: Any, **numbers: float) -> Any:
    cfg = DifferentialIKControllerCfg(
        command_type="position", ik_method=method, ik_params=numbers or None
    )
    controller = DifferentialIKController(cfg, len(jacobian), "cpu")
    here = torch.zeros(len(jacobian), 3)
    controller.set_command(error, ee_quat=random_orientation(len(jacobian), "cpu"))
    start = torch.ones(len(jacobian), jacobian.shape[2])
    return controller.compute(here, controller.ee_quat_des, jacobian, start) - start


def test_each_method_solves_the_linear_problem():
    jacobian, error = torch.randn(N, 6, JOINTS), torch.randn(N, 3)
    linear = jacobian[:, :3]
    for method in ("pinv", "svd"):
        found = change(method, jacobian, error)
        torch.testing.assert_close((linear @ found[..., None])[..., 0], error, atol=1e-4, rtol=1e-4)
        half = change(method, jacobian, error, k_val=0.5)
        torch.testing.assert_close(half, 0.5 * found, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(
        change("trans", jacobian, error), (linear.mT @ error[..., None])[..., 0]
    )
    damped = change("dls", jacobian, error, lambda_val=0.3)
    normal = linear.mT @ linear + 0.09 * torch.eye(JOINTS)
    residual = (normal @ damped[..., None] - linear.mT @ error[..., None])[..., 0]
    torch.testing.assert_close(residual, torch.zeros(N, JOINTS), atol=1e-4, rtol=0.0)


def test_singular_directions_do_not_move_joints():
    jacobian = torch.zeros(1, 6, 3)
    jacobian[0, 0, 0], jacobian[0, 1, 1], jacobian[0, 2, 2] = 1.0, 0.5, 1e-4
    error = torch.ones(1, 3)
    found = change("svd", jacobian, error, min_singular_value=1e-3)
    torch.testing.assert_close(found, torch.tensor([[1.0, 2.0, 0.0]]))
    assert change("pinv", jacobian, error)[0, 2] > 1e3


def test_relative_commands_start_from_the_present_pose():
    cfg = DifferentialIKControllerCfg(command_type="pose", use_relative_mode=True, ik_method="pinv")
    controller = DifferentialIKController(cfg, 1, "cpu")
    assert controller.action_dim == 6
    step = torch.tensor([[0.1, 0.0, 0.0, 0.0, 0.0, 0.2]])
    here = (torch.ones(1, 3), torch.eye(4)[3:])
    controller.set_command(step, *here)
    torch.testing.assert_close(controller.ee_pos_des, torch.tensor([[1.1, 1.0, 1.0]]))
    yaw = quat_from_euler_xyz(*torch.tensor([[0.0], [0.0], [0.2]]))
    torch.testing.assert_close(controller.ee_quat_des, yaw)
    jacobian = torch.eye(6)[None]
    moved = controller.compute(*here, jacobian, torch.zeros(1, 6))
    torch.testing.assert_close(moved, step)
    with pytest.raises(InvalidValueError, match="ee_quat"):
        controller.set_command(step)
    with pytest.raises(ShapeError, match=r"jacobian has shape \(1, 7, 6\); expected \(1, 6, 7\)"):
        controller.compute(*here, torch.zeros(1, 7, 6), torch.zeros(1, 7))


def test_words_that_are_none_are_refused():
    with pytest.raises(InvalidValueError, match="command_type"):
        DifferentialIKControllerCfg(command_type="speed", ik_method="dls")
    with pytest.raises(InvalidValueError, match="ik_method"):
        DifferentialIKControllerCfg(command_type="pose", ik_method="newton")
    with pytest.raises(InvalidValueError, match="target_types"):
        OperationalSpaceControllerCfg(target_types=["pose"])
    with pytest.raises(InvalidValueError, match="impedance_mode"):
        JointImpedanceControllerCfg(impedance_mode="soft", stiffness=1.0)


# -- joint impedance ---------------------------------------------------------------------------


def impedance(**options: Any) -> JointImpedanceController:
    cfg = JointImpedanceControllerCfg(**{"impedance_mode": "fixed", "stiffness": 4.0, **options})
    limits = torch.tensor([-1.0, 1.0]).expand(N, 3, 2)
    return JointImpedanceController(cfg, N, limits, "cpu")


def test_springs_and_dampers_of_joints():
    controller = impedance(damping_ratio=0.5, dof_pos_offset=[0.1, 0.2, 0.3])
    position, velocity = 0.1 * torch.randn(N, 3), torch.randn(N, 3)
    controller.set_command(torch.full((N, 3), 0.2))
    goal = torch.tensor([0.3, 0.4, 0.5])
    expected = 4.0 * (goal - position) - 2.0 * velocity
    torch.testing.assert_close(controller.compute(position, velocity), expected)
    controller.set_command(torch.full((N, 3), 9.0))  # beyond the limits
    expected = 4.0 * (1.0 - position) - 2.0 * velocity
    torch.testing.assert_close(controller.compute(position, velocity), expected)


def test_commanded_gains_have_limits_and_compensation_is_added():
    controller = impedance(
        impedance_mode="variable",
        stiffness_limits=(1.0, 9.0),
        inertial_compensation=True,
        gravity_compensation=True,
        command_type="p_rel",
    )
    assert controller.num_actions == 9
    command = torch.cat([torch.full((N, 3), v) for v in (0.1, 100.0, 0.25)], dim=-1)
    controller.set_command(command)
    position, velocity, gravity = torch.zeros(N, 3), torch.randn(N, 3), torch.randn(N, 3)
    mass = random_mass(3)
    wanted = 9.0 * 0.1 - 2.0 * 3.0 * 0.25 * velocity
    expected = torch.einsum("nij,nj->ni", mass, wanted) + gravity
    torch.testing.assert_close(controller.compute(position, velocity, mass, gravity), expected)
    with pytest.raises(InvalidValueError, match="mass_matrix"):
        controller.compute(position, velocity)
    with pytest.raises(InvalidValueError, match=r"\(5, 9\)"):
        controller.set_command(torch.zeros(N, 3))


# -- operational space -------------------------------------------------------------------------


def space(**options: Any) -> OperationalSpaceController:
    cfg = OperationalSpaceControllerCfg(**{"target_types": ["pose_abs"], **options})
    return OperationalSpaceController(cfg, N, "cpu")


def acceleration(jacobian: Any, mass: Any, efforts: Any) -> Any:
    """Of the body, where joints move freely: J M^-1 tau."""
    return (jacobian @ torch.linalg.solve(mass, efforts[..., None]))[..., 0]


def test_decoupled_motion_is_that_of_springs_and_dampers():
    controller = space(inertial_dynamics_decoupling=True, motion_stiffness_task=[9.0] * 6)
    here, goal, velocity = pose(), pose(), torch.randn(N, 6)
    goal[:, 3:] = here[:, 3:]
    controller.set_command(goal)
    jacobian, mass = torch.randn(N, 6, JOINTS), random_mass()
    efforts = controller.compute(jacobian, here, velocity, mass_matrix=mass)
    expected = -6.0 * velocity
    expected[:, :3] += 9.0 * (goal[:, :3] - here[:, :3])
    torch.testing.assert_close(
        acceleration(jacobian, mass, efforts), expected, atol=2e-3, rtol=2e-3
    )


def test_null_space_does_not_move_the_body():
    options = {"inertial_dynamics_decoupling": True, "nullspace_control": "position"}
    here, still = pose(), torch.zeros(N, 6)
    jacobian, mass = torch.randn(N, 6, JOINTS), random_mass()
    position = torch.randn(N, JOINTS)
    controller = space(**options)
    controller.set_command(here)
    efforts = controller.compute(
        jacobian,
        here,
        still,
        mass_matrix=mass,
        current_joint_pos=position,
        current_joint_vel=torch.zeros(N, JOINTS),
    )
    assert float(efforts.norm()) > 0.1
    torch.testing.assert_close(acceleration(jacobian, mass, efforts), still, atol=2e-3, rtol=0.0)
    short = torch.randn(N, 6, 6)
    with pytest.raises(InvalidValueError, match="redundant"):
        controller.compute(
            short,
            here,
            still,
            mass_matrix=random_mass(6),
            current_joint_pos=position[:, :6],
            current_joint_vel=position[:, :6],
        )


def test_wrench_of_a_task_frame_with_feedback():
    controller = space(
        target_types=["wrench_abs"],
        contact_wrench_control_axes_task=[0, 0, 1, 0, 0, 0],
        contact_wrench_stiffness_task=0.5,
        gravity_compensation=True,
    )
    wanted = torch.zeros(N, 6)
    wanted[:, 2] = 10.0
    frame = torch.zeros(N, 7)
    frame[:, 3:] = quat_from_euler_xyz(*(torch.full((N,), v) for v in (0.0, np.pi / 2, 0.0)))
    controller.set_command(wanted, current_task_frame_pose_b=frame)
    measured = torch.tensor([4.0, 7.0, 8.0]).expand(N, 3)
    jacobian, gravity = torch.eye(6).expand(N, 6, 6), torch.randn(N, 6)
    efforts = controller.compute(jacobian, current_ee_force_b=measured, gravity=gravity)
    expected = torch.zeros(N, 6)
    expected[:, 0] = 10.0 + 0.5 * (10.0 - 4.0)  # the task's z is the root's x
    torch.testing.assert_close(efforts - gravity, expected, atol=1e-4, rtol=0.0)


def test_commanded_gains_act_on_controlled_axes_only():
    controller = space(
        impedance_mode="variable",
        motion_control_axes_task=[1, 1, 0, 1, 1, 1],
        motion_stiffness_limits_task=(0.0, 50.0),
    )
    assert controller.action_dim == 19
    here, goal, velocity = pose(), pose(), torch.randn(N, 6)
    goal[:, 3:] = here[:, 3:]
    gains = torch.tensor([100.0] * 6 + [0.5] * 6).expand(N, 12)
    controller.set_command(torch.cat([goal, gains], dim=-1))
    efforts = controller.compute(torch.eye(6).expand(N, 6, 6), here, velocity)
    expected = -(50.0**0.5) * velocity
    expected[:, :3] += 50.0 * (goal[:, :3] - here[:, :3])
    expected[:, 2] = 0.0
    torch.testing.assert_close(efforts, expected, atol=2e-3, rtol=1e-3)
    with pytest.raises(InvalidValueError, match="current_ee_vel_b"):
        controller.compute(torch.eye(6).expand(N, 6, 6), here)


def test_relative_goals_in_a_task_frame():
    controller = space(target_types=["pose_rel"])
    here, frame = pose(), pose()
    with pytest.raises(InvalidValueError, match="current_ee_pose_b"):
        controller.set_command(torch.zeros(N, 6))
    controller.set_command(torch.zeros(N, 6), here, frame)
    goal = controller.desired_ee_pose_b
    torch.testing.assert_close(goal[:, :3], here[:, :3], atol=1e-5, rtol=0.0)
    dot = (goal[:, 3:] * here[:, 3:]).sum(-1).abs()
    torch.testing.assert_close(dot, torch.ones(N))
    controller.reset()
    assert controller.desired_ee_pose_b is None
    assert float(controller.compute(torch.randn(N, 6, JOINTS)).abs().max()) == 0.0


def test_configurations_copy_and_name_their_controller():
    cfg = OperationalSpaceControllerCfg(target_types=["pose_abs"])
    other = cfg.replace(impedance_mode="variable_kp")
    assert (cfg.impedance_mode, other.impedance_mode) == ("fixed", "variable_kp")
    assert isinstance(other.class_type(other, 2, "cpu"), OperationalSpaceController)
    assert "class_type" in {field.name for field in dataclasses.fields(cfg)}


@pytest.mark.parametrize("kind", ["position", "pose", "impedance", "space"])
@pytest.mark.parametrize(
    "command",
    [None, "x", [[1.0], [1.0, 2.0]], 1.0, torch.zeros(N, 1), torch.zeros(2, 3), 10**400, 1j],
    ids=["none", "text", "ragged", "number", "narrow", "few", "huge", "complex"],
)
def test_commands_that_are_none_are_named(kind: str, command: Any) -> None:
    limits = torch.tensor([-1.0, 1.0]).expand(N, JOINTS, 2)
    controller: Any = {
        "position": lambda: DifferentialIKController(
            DifferentialIKControllerCfg(command_type="position", ik_method="dls"), N, "cpu"
        ),
        "pose": lambda: DifferentialIKController(
            DifferentialIKControllerCfg(command_type="pose", ik_method="dls"), N, "cpu"
        ),
        "impedance": lambda: JointImpedanceController(
            JointImpedanceControllerCfg(stiffness=1.0, impedance_mode="fixed"), N, limits, "cpu"
        ),
        "space": lambda: OperationalSpaceController(
            OperationalSpaceControllerCfg(target_types=["pose_abs"]), N, "cpu"
        ),
    }[kind]()
    with pytest.raises(InvalidValueError, match="command"):
        controller.set_command(command)
