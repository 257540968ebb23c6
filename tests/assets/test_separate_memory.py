"""Assets do the same where NumPy cannot reach the arrays, as on a GPU, as on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from articulation_stages import ANYWHERE, advance, chain, environments, values
from device_under_test import DEVICE
from test_articulation_setup import ball_stage
from test_tendon_properties import fixed_tendon

from usdsim.actuators import (
    ActuatorNetMLPCfg,
    DCMotorCfg,
    DelayedPDActuatorCfg,
    DenseLayer,
    IdealPDActuatorCfg,
    ImplicitActuatorCfg,
    Network,
    save_network,
)
from usdsim.assets.articulation.articulation import Articulation
from usdsim.assets.articulation.cfg import ArticulationCfg
from usdsim.sim import SimulationCfg, SimulationContext

pytestmark = pytest.mark.usefixtures("simulation_ends")

pytest.importorskip("mujoco_warp")

ENVS, JOINTS = 3, 4
GAINS = {"stiffness": 12.0, "damping": 0.8}
KINDS = {
    "implicit": ImplicitActuatorCfg(joint_names_expr=["joint_1"], **GAINS),
    "ideal": IdealPDActuatorCfg(joint_names_expr=["joint_2"], effort_limit=2.0, **GAINS),
    "motor": DCMotorCfg(
        joint_names_expr=["joint_3"],
        effort_limit=3.0,
        saturation_effort=4.0,
        velocity_limit=20.0,
        **GAINS,
    ),
    "delayed": DelayedPDActuatorCfg(
        joint_names_expr=["joint_4"], effort_limit=9.0, min_delay=2, max_delay=2, **GAINS
    ),
}


@pytest.fixture
def both(request):
    """Runs a function on the CPU, then on a device whose memory is its own."""

    def run(play):
        wanted = play("cpu")
        request.getfixturevalue("separate_memory")
        return wanted, play(DEVICE)

    return run


def alike(wanted, found, atol=1e-4):
    assert wanted.keys() == found.keys() and wanted
    for name, expected in wanted.items():
        scale = max(1.0, np.abs(expected[np.isfinite(expected)]).max(initial=0.0))
        np.testing.assert_allclose(found[name], expected, atol=atol * scale, err_msg=name)


def started(device, stage, num_envs=ENVS, **options):
    """A simulation and the articulation in it."""
    SimulationContext.clear_instance()
    cfg = SimulationCfg(device=device, dt=0.002, threads=1)
    simulation = SimulationContext(cfg, environments(stage, num_envs))
    robot = Articulation(ArticulationCfg(prim_path=ANYWHERE, **options))
    simulation.reset()
    return simulation, robot


def state(robot, *more):
    names = ("joint_pos", "joint_vel", "applied_torque", "computed_torque", *more)
    return {name: values(getattr(robot.data, name)) for name in names}


def test_targets_reach_the_drives_through_every_kind_of_actuator(both):
    def play(device):
        simulation, robot = started(device, chain(JOINTS, fixed=False, height=5.0), actuators=KINDS)
        found = {"defaults": values(robot.data.default_joint_stiffness)}
        robot.set_joint_position_target([[0.3, -0.2, 0.1, 0.4]])
        robot.set_joint_velocity_target(0.5, joint_ids=[1, 2], env_ids=[2, 0])
        robot.set_joint_effort_target_mask(
            target=np.full((ENVS, JOINTS), 0.7),
            joint_mask=np.array([True, False, False, True]),
            env_mask=np.array([False, True, True]),
        )
        advance(simulation, robot, 10)
        found |= {f"first {k}": v for k, v in state(robot).items()}
        found["ctrl"] = np.array(simulation.engine.read("ctrl"))
        robot.write_joint_stiffness_to_sim(5.0, joint_ids=[0], env_ids=[1])
        robot.actuators["ideal"].stiffness = 3.0
        robot.reset([1])
        robot.write_joint_state_to_sim(0.1, -0.3, env_ids=[1])
        robot.set_joint_position_target(0.0, env_ids=[1])
        advance(simulation, robot, 10)
        targets = ("joint_pos_target", "joint_vel_target", "joint_effort_target")
        return found | state(robot, *targets, "root_link_pose_w", "body_com_vel_w")

    wanted, found = both(play)
    alike(wanted, found)
    assert np.abs(wanted["ctrl"]).max() > 0.1 and np.abs(wanted["applied_torque"]).min() > 0.0


def test_a_network_is_recorded_with_the_rest(both, tmp_path):
    rng = np.random.default_rng(0)
    layers = [
        DenseLayer(rng.normal(size=(8, 4)), rng.normal(size=8), "tanh"),
        DenseLayer(rng.normal(size=(1, 8)), np.zeros(1), "identity"),
    ]
    save_network(tmp_path / "net.npz", Network(tuple(layers)))
    cfg = ActuatorNetMLPCfg(
        joint_names_expr=[".*"], network_file=str(tmp_path / "net.npz"), effort_limit=5.0,
        saturation_effort=6.0, velocity_limit=30.0, pos_scale=1.0, vel_scale=0.1,
        torque_scale=1.0, input_order="pos_vel", input_idx=[0, 2],
    )  # fmt: skip

    def play(device):
        simulation, robot = started(device, chain(2), actuators={"net": cfg})
        robot.set_joint_position_target([[0.3, -0.2], [0.1, 0.0], [0.0, 0.5]])
        advance(simulation, robot, 6)
        robot.reset([0])
        advance(simulation, robot, 6)
        assert robot._drives._graph is not None
        return state(robot)

    wanted, found = both(play)
    alike(wanted, found)
    assert np.abs(wanted["applied_torque"]).min() > 0.01


def test_defaults_and_limits_are_kept(both):
    def play(device):
        simulation, robot = started(device, chain(2, limits=(-90.0, 90.0)))
        data = robot.data
        data.default_joint_pos = [[0.6, -0.6]]
        data.default_root_vel = np.arange(6.0)
        robot.write_joint_position_limit_to_sim([[-0.5, 0.5]], joint_ids=[0], env_ids=[2])
        robot.write_joint_velocity_limit_to_sim(4.0, joint_ids=[1])
        robot.write_joint_state_to_sim(data.default_joint_pos, data.default_joint_vel)
        found = {
            name: values(getattr(data, name))
            for name in (
                *("default_joint_pos", "default_root_vel", "soft_joint_pos_limits"),
                *("joint_pos_limits", "soft_joint_vel_limits", "default_joint_limits"),
            )
        }
        advance(simulation, robot, 5)
        return found | state(robot)

    wanted, found = both(play)
    alike(wanted, found)
    np.testing.assert_allclose(
        found["default_joint_pos"], [[0.6, -0.6], [0.6, -0.6], [0.5, -0.6]], rtol=1e-6
    )


def test_dynamics(both):
    names = ("body_link_jacobian_w", "body_com_jacobian_w", "mass_matrix")
    names = (*names, "gravity_compensation_forces")

    def play(device):
        _, robot = started(device, chain(2, fixed=False, height=3.0))
        pose = [[0.0, 0.0, 3.0, 0.0, 0.6, 0.0, 0.8]]
        robot.write_root_link_pose_to_sim(pose, env_ids=[1])
        robot.write_joint_state_to_sim([[0.4, -0.7]], 0.2)
        return {name: values(getattr(robot.data, name)) for name in names}

    wanted, found = both(play)
    alike(wanted, found)
    assert all(np.abs(array).max() > 0.1 for array in wanted.values())


def test_tendon_properties(both):
    def play(device):
        simulation, robot = started(device, fixed_tendon(2, stiffness=20.0, damping=1.0))
        robot.set_fixed_tendon_stiffness(60.0, env_ids=[1])
        robot.set_fixed_tendon_rest_length([[0.1], [0.2], [0.3]])
        robot.set_fixed_tendon_position_limit([[[-0.05, 0.15]]], env_ids=[2])
        robot.write_fixed_tendon_properties_to_sim()
        advance(simulation, robot, 20)
        data = robot.data
        own = {n: values(getattr(data, f"fixed_tendon_{n}")) for n in ("stiffness", "pos_limits")}
        return own | state(robot)

    wanted, found = both(play)
    alike(wanted, found)
    np.testing.assert_array_equal(found["stiffness"][:, 0], [20.0, 60.0, 20.0])
    assert np.ptp(wanted["joint_pos"][:, 0]) > 1e-3


def test_ball_joints(both):
    def play(device):
        simulation, robot = started(device, ball_stage(), 2)
        turn = np.array([0.0, 0.6, 0.0, 0.8])
        robot.write_ball_joint_state_to_sim(turn, [0.1, 0.2, 0.3], [1], [1])
        found = {"written": values(robot.data.ball_joint_quat)}
        advance(simulation, robot, 20)
        found["quat"] = values(robot.data.ball_joint_quat)
        found["speed"] = values(robot.data.ball_joint_ang_vel)
        return found

    wanted, found = both(play)
    alike(wanted, found)
    np.testing.assert_allclose(found["written"][1, 1], [0.0, 0.6, 0.0, 0.8], atol=1e-6)


def test_external_wrenches_survive_a_look_at_the_engines_array(both):
    def play(device):
        simulation, robot = started(device, chain(1, fixed=False, height=3.0))
        robot.permanent_wrench_composer.set_forces_and_torques(
            [[[0.0, 0.0, 30.0]]], [[[0.0, 0.5, 0.0]]], body_ids=[0], env_ids=[1]
        )
        # What was lent before is of no account once kernels wrote.
        simulation.engine.state("xfrc_applied")
        for _ in range(5):
            robot.instantaneous_wrench_composer.add_forces_and_torques_mask(
                np.full((ENVS, 2, 3), 4.0),
                env_mask=np.array([True, False, True]),
                is_global=True,
            )
            advance(simulation, robot, 1)
        robot.reset([1])
        advance(simulation, robot, 3)
        return state(robot, "root_link_pose_w", "root_com_vel_w")

    wanted, found = both(play)
    alike(wanted, found)
    speeds = wanted["root_com_vel_w"][:, 2]
    assert speeds[1] > speeds[0] + 0.05


def test_what_is_on_the_device_goes_to_the_engine_without_the_host(separate_memory, monkeypatch):
    simulation, robot = started(DEVICE, chain(JOINTS), actuators=KINDS)
    simulation.engine.check_interval = 0
    robot.reset([0])
    target = wp.full((ENVS, JOINTS), 0.3, dtype=wp.float32)
    some = wp.full((2, 1), -0.4, dtype=wp.float32)
    rows, columns = wp.array([2, 0], dtype=wp.int32), wp.array([1], dtype=wp.int32)
    mask = wp.array([False, True, False], dtype=wp.bool)
    advance(simulation, robot, 2)
    with monkeypatch.context() as patch:

        def refuse(array, **options):
            raise RuntimeError("the host waits for the device")

        patch.setattr(wp.array, "numpy", refuse)
        for _ in range(3):
            robot.set_joint_position_target(target)
            robot.set_joint_position_target(some, joint_ids=columns, env_ids=rows)
            robot.set_joint_effort_target_mask(target=target, env_mask=mask)
            advance(simulation, robot, 1)
            _ = robot.data.joint_pos, robot.data.root_link_pose_w, robot.data.applied_torque
    expected = np.full((ENVS, JOINTS), 0.3, np.float32)
    expected[[2, 0], 1] = -0.4
    np.testing.assert_array_equal(values(robot.data.joint_pos_target), expected)
    np.testing.assert_allclose(
        values(robot.data.joint_effort_target), np.array([[0.0], [0.3], [0.0]]).repeat(4, 1)
    )
    assert (np.abs(simulation.engine.read("ctrl")).max(axis=1) > 0.2).all()


def test_torch_tensors_on_the_device_are_taken_as_they_are(separate_memory):
    torch = pytest.importorskip("torch")
    _, robot = started(DEVICE, chain(2))
    robot.set_joint_position_target(torch.tensor([[0.5], [0.25]]), [1], torch.tensor([2, 0]))
    robot.set_joint_velocity_target_mask(
        target=torch.ones(ENVS, 2), env_mask=torch.tensor([True, False, True])
    )
    # All rows are given, in the order of instances.
    every = torch.arange(6.0).reshape(3, 2)
    robot.set_joint_effort_target_index(
        target=every, env_ids=torch.tensor([2, 0, 1]), full_data=True
    )
    data = robot.data
    np.testing.assert_array_equal(values(data.joint_pos_target), [[0, 0.25], [0, 0], [0, 0.5]])
    np.testing.assert_array_equal(values(data.joint_vel_target), [[1, 1], [0, 0], [1, 1]])
    np.testing.assert_array_equal(values(data.joint_effort_target), every.numpy())


def test_robots_follow_when_the_engine_replaces_its_arrays(separate_memory):
    simulation, robot = started(DEVICE, chain(2), actuators={"all": KINDS["implicit"]})
    robot.set_joint_position_target(0.4)
    advance(simulation, robot, 2)
    simulation.engine._rebuild(simulation.engine._worlds.model)
    robot.set_joint_position_target(-0.6)
    advance(simulation, robot, 2)
    controls = simulation.engine.read("ctrl")[:, robot.root_view.layout.drive_ctrls[0]]
    np.testing.assert_allclose(controls, -0.6, rtol=1e-6)
    np.testing.assert_allclose(
        values(robot.data.joint_pos),
        simulation.engine.read("qpos")[:, robot.root_view.layout.joint_qpos[0]],
    )
