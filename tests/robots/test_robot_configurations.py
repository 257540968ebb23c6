"""Ready robots: each keeps its pose, or hovers, for a while."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import usdsim.robots
from usdsim.assets import ArticulationCfg, AssetBaseCfg
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import GroundPlaneCfg

pytestmark = pytest.mark.usefixtures("simulation_ends")

DT = 0.004
FREE = {"ANT_CFG", "CARTPOLE_CFG", "HEXAROTOR_CFG", "QUADROTOR_CFG"}


class SceneCfg(InteractiveSceneCfg):
    ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg())
    robot: Any = None


def simulated(cfg: ArticulationCfg, steps: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """The robot, and its root's pose before and after."""
    scene_cfg = SceneCfg(num_envs=2, env_spacing=3.0)
    scene_cfg.robot = cfg.replace(prim_path="{ENV_REGEX_NS}/Robot")
    simulation = SimulationContext(SimulationCfg(dt=DT))
    scene = InteractiveScene(scene_cfg)
    simulation.reset()
    robot, data = scene["robot"], scene["robot"].data
    state = data.default_root_state.numpy().copy()
    state[:, :3] += scene.env_origins.numpy()
    robot.write_root_state_to_sim(state)
    robot.write_joint_state_to_sim(data.default_joint_pos, data.default_joint_vel)
    if robot.num_joints:
        robot.set_joint_position_target(data.default_joint_pos)
    before = data.root_link_pose_w.numpy().copy()
    for _ in range(steps):
        scene.write_data_to_sim()
        simulation.step()
        scene.update(DT)
    return robot, before, data.root_link_pose_w.numpy().copy()


@pytest.mark.parametrize("name", sorted(set(usdsim.robots.__all__) - FREE))
def test_driven_robots_hold_their_pose(name: str):
    robot, before, after = simulated(getattr(usdsim.robots, name), 150)
    moved = np.abs(robot.data.joint_pos.numpy() - robot.data.default_joint_pos.numpy())
    assert moved.max() < 0.12
    np.testing.assert_allclose(after[:, 2], before[:, 2], atol=0.03)
    assert robot.data.projected_gravity_b.numpy()[:, 2].max() < -0.99


def test_the_ant_falls_onto_its_feet():
    robot, _, after = simulated(usdsim.robots.ANT_CFG, 150)
    assert robot.num_joints == 8
    assert ((after[:, 2] > 0.4) & (after[:, 2] < 0.5)).all()
    np.testing.assert_allclose(after[:, 6], 1.0, atol=1e-3)


def test_the_pole_falls_and_the_cart_is_free():
    robot, *_ = simulated(
        usdsim.robots.CARTPOLE_CFG.replace(
            init_state=ArticulationCfg.InitialStateCfg(
                pos=(0.0, 0.0, 1.0), joint_pos={"cart_to_pole": 0.2}
            )
        ),
        100,
    )
    cart, pole = robot.data.joint_pos.numpy()[0]
    assert pole > 0.4
    assert cart < -0.01  # the centre of mass of both stays where it is


@pytest.mark.parametrize("name", ["HEXAROTOR_CFG", "QUADROTOR_CFG"])
def test_multirotors_start_at_the_speed_of_hovering(name: str):
    robot, _, after = simulated(getattr(usdsim.robots, name), 1)
    acceleration = robot.data.root_lin_vel_w.numpy()[:, 2] / DT
    assert np.abs(acceleration).max() < 1.5  # [m/s^2]
    np.testing.assert_allclose(after[:, 2], 1.0, atol=1e-4)
