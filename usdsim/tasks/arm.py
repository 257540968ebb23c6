"""Arm tasks: reach a pose with the hand, or lift a cube to a place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

import usdsim.envs.mdp as mdp
from usdsim.assets import AssetBaseCfg, RigidObjectCfg
from usdsim.core.declared import DeclaredConfiguration
from usdsim.envs import ManagerBasedRLEnv, ManagerBasedRLEnvCfg
from usdsim.envs.managers import (
    EventTermCfg,
    ObservationGroupCfg,
    ObservationTermCfg,
    RewardTermCfg,
    SceneEntityCfg,
    TerminationTermCfg,
)
from usdsim.envs.mdp.entities import OBJECT, ROBOT, commanded_position, of_entity
from usdsim.robots import ARM7_CFG
from usdsim.schemas import CollisionBaseCfg, MassPropertiesCfg, RigidBodyBaseCfg
from usdsim.sim import InteractiveSceneCfg, SimulationCfg
from usdsim.spawners import CuboidCfg, GroundPlaneCfg, PreviewSurfaceCfg

from .agents import PpoCfg

__all__ = [
    "AGENT",
    "ArmLiftEnvCfg",
    "ArmReachEnvCfg",
    "ArmSceneCfg",
    "LiftSceneCfg",
    "ManagerBasedRLEnv",
    "cube_carried",
    "cube_distance",
    "cube_raised",
    "hand_distance",
]

AGENT = PpoCfg(hidden_dims=(128, 64), iterations=800, save_interval=100, gamma=0.98)
"""Agent that learns a policy."""

HAND = SceneEntityCfg("robot", body_names="hand")
FINGERS = SceneEntityCfg("robot", body_names=".*_finger")
TOOL = (0.0, 0.0, 0.04)
"""Tool centre between the fingers, in the frame of each [m]."""
ABOVE = {"joint2": 0.187, "joint4": -2.469, "joint6": 2.656, "joint7": 0.787, "finger_.*": 0.04}
"""Positions of joints that have the open gripper above the cube, pointing down [m or rad]."""
CUBE = 0.05
"""Length of the cube's sides [m]."""
TOOL_OF_FINGERS: dict[str, Any] = {"asset_cfg": FINGERS, "offset": TOOL}
"""Arguments by which terms find the tool centre."""
HELD = 0.04
"""Distance from the tool centre within which the cube is held [m]."""
LIFTED = 0.045
"""Height of the centre of a cube that is held: more than that of one on a corner [m]."""
_CORNER = 0.002
"""Height that does not count yet: cubes that are touched tilt [m]."""


def hand_distance(env: Any) -> torch.Tensor:
    """Distance of the hand from its goal [m], shape (num_envs,)."""
    distance: torch.Tensor = env.command_manager.get_term("goal").metrics["position_error"]
    return distance


def cube_distance(env: Any) -> torch.Tensor:
    """Distance of the cube from its goal [m], shape (num_envs,)."""
    goal = commanded_position(env, "goal", ROBOT)
    return (of_entity(env, OBJECT, "root_pos_w") - goal).norm(dim=1)


def cube_raised(env: Any, asset_cfg: SceneEntityCfg, offset: Sequence[float]) -> torch.Tensor:
    """Height of the cube above the ground while it is held, 1 from 5 cm on, shape (num_envs,)."""
    height = of_entity(env, OBJECT, "root_pos_w")[:, 2] - 0.5 * CUBE
    held = mdp.object_is_held(env, HELD, asset_cfg, OBJECT, offset)
    return ((height - _CORNER) / CUBE).clamp(0.0, 1.0) * held


def cube_carried(
    env: Any, std: float, asset_cfg: SceneEntityCfg, offset: Sequence[float]
) -> torch.Tensor:
    """1 - tanh(d / std) of the cube's distance from its goal while it is held above the ground."""
    near = mdp.object_goal_distance(env, std, LIFTED, "goal")
    return near * mdp.object_is_held(env, HELD, asset_cfg, OBJECT, offset)


class ArmSceneCfg(InteractiveSceneCfg):
    """The shipped arm of seven axes on flat ground."""

    ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg())
    robot = ARM7_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")


class LiftSceneCfg(ArmSceneCfg):
    """The arm with its open gripper down, and a cube below it."""

    robot = ARM7_CFG.replace(
        prim_path="{ENV_REGEX_NS}/Robot",
        init_state=ARM7_CFG.init_state.replace(joint_pos=ABOVE),
    )
    object = RigidObjectCfg(
        prim_path="{ENV_REGEX_NS}/Cube",
        spawn=CuboidCfg(
            size=(CUBE, CUBE, CUBE),
            rigid_props=RigidBodyBaseCfg(),
            mass_props=MassPropertiesCfg(mass=0.1),
            collision_props=CollisionBaseCfg(),
            visual_material=PreviewSurfaceCfg(diffuse_color=(0.8, 0.3, 0.1)),
        ),
        init_state=RigidObjectCfg.InitialStateCfg(pos=(0.5, 0.0, 0.5 * CUBE)),
    )


class _ReachActions(DeclaredConfiguration):
    joints = mdp.JointPositionActionCfg(asset_name="robot", joint_names=["joint.*"], scale=0.5)


class _LiftActions(DeclaredConfiguration):
    joints = mdp.JointPositionActionCfg(asset_name="robot", joint_names=["joint.*"], scale=0.3)
    grip = mdp.BinaryJointPositionActionCfg(
        asset_name="robot",
        joint_names=["finger_.*"],
        open_command_expr={"finger_.*": 0.04},
        close_command_expr={"finger_.*": 0.0},
    )


class _ReachCommands(DeclaredConfiguration):
    goal = mdp.UniformPoseCommandCfg(
        asset_name="robot",
        body_name="hand",
        resampling_time_range=(4.0, 4.0),
        ranges=mdp.UniformPoseCommandCfg.Ranges(
            pos_x=(0.35, 0.65), pos_y=(-0.2, 0.2), pos_z=(0.15, 0.5),
            roll=(0.0, 0.0), pitch=(math.pi, math.pi), yaw=(-math.pi, math.pi),
        ),
    )  # fmt: skip


class _LiftCommands(DeclaredConfiguration):
    goal = mdp.UniformPoseCommandCfg(
        asset_name="robot",
        body_name="hand",
        resampling_time_range=(5.0, 5.0),
        ranges=mdp.UniformPoseCommandCfg.Ranges(
            pos_x=(0.4, 0.6), pos_y=(-0.25, 0.25), pos_z=(0.25, 0.5),
            roll=(0.0, 0.0), pitch=(0.0, 0.0), yaw=(0.0, 0.0),
        ),
    )  # fmt: skip


class _ReachPolicy(ObservationGroupCfg):
    joint_pos = ObservationTermCfg(func=mdp.joint_pos_rel)
    joint_vel = ObservationTermCfg(func=mdp.joint_vel_rel)
    goal = ObservationTermCfg(func=mdp.generated_commands, params={"command_name": "goal"})
    action = ObservationTermCfg(func=mdp.last_action)


class _LiftPolicy(_ReachPolicy):
    cube = ObservationTermCfg(func=mdp.object_position_in_robot_root_frame)
    cube_from_tool = ObservationTermCfg(
        func=mdp.object_position_from_bodies, params={"asset_cfg": FINGERS, "offset": TOOL}
    )


class _ReachObservations(DeclaredConfiguration):
    policy = _ReachPolicy()


class _LiftObservations(DeclaredConfiguration):
    policy = _LiftPolicy()


class _ReachEvents(DeclaredConfiguration):
    joints = EventTermCfg(
        func=mdp.reset_joints_by_scale,
        mode="reset",
        params={"position_range": (0.8, 1.2), "velocity_range": (0.0, 0.0)},
    )


class _LiftEvents(DeclaredConfiguration):
    everything = EventTermCfg(func=mdp.reset_scene_to_default, mode="reset")
    cube = EventTermCfg(
        func=mdp.reset_root_state_uniform,
        mode="reset",
        params={
            "pose_range": {"x": (-0.1, 0.1), "y": (-0.2, 0.2), "yaw": (-0.7, 0.7)},
            "velocity_range": {},
            "asset_cfg": SceneEntityCfg("object"),
        },
    )


class _ReachRewards(DeclaredConfiguration):
    away = RewardTermCfg(
        func=mdp.position_command_error,
        weight=-0.4,
        params={"asset_cfg": HAND, "command_name": "goal"},
    )
    near = RewardTermCfg(
        func=mdp.position_command_error_tanh,
        weight=0.3,
        params={"asset_cfg": HAND, "std": 0.1, "command_name": "goal"},
    )
    turned = RewardTermCfg(
        func=mdp.orientation_command_error,
        weight=-0.1,
        params={"asset_cfg": HAND, "command_name": "goal"},
    )
    smooth = RewardTermCfg(func=mdp.action_rate_l2, weight=-1e-3)
    slow = RewardTermCfg(func=mdp.joint_vel_l2, weight=-1e-3)


class _LiftRewards(DeclaredConfiguration):
    reaching = RewardTermCfg(
        func=mdp.object_ee_distance, weight=2.0, params={"std": 0.1, **TOOL_OF_FINGERS}
    )
    lifted = RewardTermCfg(func=cube_raised, weight=15.0, params=dict(TOOL_OF_FINGERS))
    carried = RewardTermCfg(func=cube_carried, weight=16.0, params={"std": 0.3, **TOOL_OF_FINGERS})
    placed = RewardTermCfg(func=cube_carried, weight=5.0, params={"std": 0.05, **TOOL_OF_FINGERS})
    smooth = RewardTermCfg(func=mdp.action_rate_l2, weight=-1e-3)
    slow = RewardTermCfg(func=mdp.joint_vel_l2, weight=-1e-3)


class _ReachTerminations(DeclaredConfiguration):
    time_out = TerminationTermCfg(func=mdp.time_out, time_out=True)


class _LiftTerminations(_ReachTerminations):
    dropped = TerminationTermCfg(
        func=mdp.root_height_below_minimum,
        params={"minimum_height": -0.05, "asset_cfg": SceneEntityCfg("object")},
    )


class ArmReachEnvCfg(ManagerBasedRLEnvCfg):
    """Bring the hand to a pose, another one every 4 s, for 12 s at 30 decisions per second."""

    sim = SimulationCfg(dt=1.0 / 120.0)
    scene = ArmSceneCfg(num_envs=256, env_spacing=2.5)
    decimation = 4
    episode_length_s = 12.0
    actions = _ReachActions()
    observations = _ReachObservations()
    events = _ReachEvents()
    commands = _ReachCommands()
    rewards = _ReachRewards()
    terminations = _ReachTerminations()


class ArmLiftEnvCfg(ManagerBasedRLEnvCfg):
    """Grasp a cube and carry it to a place above the ground, within 5 s at 50 decisions per second.

    The place is in the frame of the arm's base; only its position counts.
    """

    sim = SimulationCfg(dt=0.01)
    scene = LiftSceneCfg(num_envs=512, env_spacing=2.5)
    decimation = 2
    episode_length_s = 5.0
    actions = _LiftActions()
    observations = _LiftObservations()
    events = _LiftEvents()
    commands = _LiftCommands()
    rewards = _LiftRewards()
    terminations = _LiftTerminations()
