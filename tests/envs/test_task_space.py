"""Task space actions on an arm: goals reached, and what a hand's velocity is made of."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

import usdsim.envs.mdp as mdp
from usdsim.controllers import DifferentialIKControllerCfg, OperationalSpaceControllerCfg
from usdsim.core.declared import DeclaredConfiguration
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.envs import ManagerBasedEnv, ManagerBasedEnvCfg
from usdsim.envs.managers import ObservationGroupCfg, ObservationTermCfg
from usdsim.envs.mdp.actions.end_effector import EndEffector, EndEffectorOffsetCfg
from usdsim.robots import ARM7_CFG
from usdsim.sim import InteractiveSceneCfg, SimulationCfg

JOINTS = ["joint[1-7]"]
OFFSET = EndEffectorOffsetCfg(pos=(0.02, 0.0, 0.1), rot=(0.0, 0.0, math.sin(0.2), math.cos(0.2)))
WAY = (0.05, -0.04, 0.06)
"""Change of the hand's position [m]."""


class Policy(ObservationGroupCfg):
    pos = ObservationTermCfg(func=mdp.joint_pos)


class Observations(DeclaredConfiguration):
    policy = Policy()


def env_with(term: Any, driven: bool) -> ManagerBasedEnv:
    """The arm in two environments, moved by a term, its joints with or without drives."""

    class Scene(InteractiveSceneCfg):
        robot = ARM7_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")

    class Actions(DeclaredConfiguration):
        hand = term

    cfg = ManagerBasedEnvCfg(
        sim=SimulationCfg(dt=0.005), scene=Scene(num_envs=2, env_spacing=2.0), decimation=2,
        observations=Observations(), actions=Actions(), seed=1,
    )  # fmt: skip
    if driven:
        cfg.sim.gravity = (0.0, 0.0, 0.0)  # Under which drives stay below their goals.
    else:
        for name in ("shoulder", "forearm"):
            cfg.scene.robot.actuators[name].stiffness = 0.0
            cfg.scene.robot.actuators[name].damping = 0.0
    return ManagerBasedEnv(cfg)


def operational(**control: Any) -> mdp.OperationalSpaceControllerActionCfg:
    given = {
        "target_types": ["pose_abs"], "inertial_dynamics_decoupling": True,
        "gravity_compensation": True, "motion_stiffness_task": 200.0,
        "nullspace_control": "position",
    } | control  # fmt: skip
    return mdp.OperationalSpaceControllerActionCfg(
        asset_name="robot", joint_names=JOINTS, body_name="hand", body_offset=OFFSET,
        controller_cfg=OperationalSpaceControllerCfg(**given),
        nullspace_joint_pos_target="default",
    )  # fmt: skip


def inverse_kinematics() -> mdp.DifferentialInverseKinematicsActionCfg:
    return mdp.DifferentialInverseKinematicsActionCfg(
        asset_name="robot", joint_names=JOINTS, body_name="hand", body_offset=OFFSET,
        controller=DifferentialIKControllerCfg(command_type="pose", ik_method="dls"),
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["operational", "inverse kinematics"])
def test_hands_reach_the_poses_that_actions_name(closing, kind):
    osc = kind == "operational"
    with env_with(operational() if osc else inverse_kinematics(), driven=not osc) as env:
        env.reset()
        hand = EndEffector(env.scene["robot"], "hand", JOINTS, OFFSET)
        position, orientation = hand.pose()
        goal = torch.cat([position + torch.tensor(WAY), orientation], dim=1)
        for _ in range(150):
            env.step(goal)
        found = torch.cat(hand.pose(), dim=1)
        torch.testing.assert_close(found, goal, atol=1e-3, rtol=0.0)
        term = env.action_manager.get_term("hand")
        assert term.action_dim == 7 and torch.equal(term.raw_actions, goal)


def test_the_velocity_of_a_hand_is_its_jacobian_times_those_of_the_joints(closing):
    with env_with(operational(), driven=False) as env:
        env.reset()
        robot = env.scene["robot"]
        hand = EndEffector(robot, "hand", JOINTS, OFFSET)
        speed = torch.linspace(-1.0, 1.0, robot.num_joints).repeat(2, 1)
        robot.write_joint_velocity_to_sim(speed)
        expected = (hand.jacobian() @ speed[:, hand.joint_ids, None])[..., 0]
        torch.testing.assert_close(hand.velocity(), expected, atol=1e-5, rtol=1e-5)
        before = torch.cat(hand.pose(), dim=1)
        robot.write_joint_position_to_sim(robot.data.joint_pos.torch + 1e-3 * speed)
        moved = (hand.pose()[0] - before[:, :3]) / 1e-3
        torch.testing.assert_close(moved, expected[:, :3], atol=2e-3, rtol=0.0)


def test_scales_are_those_of_the_parts_of_an_action(closing):
    term = operational(target_types=["pose_rel"], impedance_mode="variable")
    term.position_scale, term.orientation_scale = 0.5, 0.25
    term.stiffness_scale, term.damping_ratio_scale = 100.0, 2.0
    with env_with(term, driven=False) as env:
        env.reset()
        made = env.action_manager.get_term("hand")
        made.process_actions(torch.ones(2, made.action_dim))
        factors = [0.5] * 3 + [0.25] * 3 + [100.0] * 6 + [2.0] * 6
        assert made.processed_actions[1].tolist() == factors


def test_commands_of_inverse_kinematics_are_scaled_and_clipped_number_by_number(closing):
    term = mdp.DifferentialInverseKinematicsActionCfg(
        asset_name="robot", joint_names=JOINTS, body_name="hand", scale=0.5,
        controller=DifferentialIKControllerCfg(
            command_type="position", ik_method="dls", use_relative_mode=True
        ),
        clip={"joint[12]": (-0.1, 0.2)},
    )  # fmt: skip
    with env_with(term, driven=True) as env:
        env.reset()
        made = env.action_manager.get_term("hand")
        made.process_actions(torch.tensor([[-1.0, 1.0, 1.0], [0.1, -0.1, -1.0]]))
        torch.testing.assert_close(
            made.processed_actions, torch.tensor([[-0.1, 0.2, 0.5], [0.05, -0.05, -0.5]])
        )
        assert made.raw_actions[0, 0] == -1.0


def test_what_operational_space_needs_is_named(closing):
    term = operational(nullspace_control="none")
    with pytest.raises(InvalidValueError, match="nullspace_joint_pos_target"):
        env_with(term, driven=False)
    term = operational(target_types=["wrench_abs"], contact_wrench_stiffness_task=1.0)
    with pytest.raises(StageError, match="ContactSensorCfg"):
        env_with(term, driven=False)
    term = operational()
    term.task_frame_rel_path = "nowhere"
    with pytest.raises(StageError, match="task_frame_rel_path"):
        env_with(term, driven=False)
