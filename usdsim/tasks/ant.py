"""Ant: it runs along x as fast as it can, by the efforts of its joints."""

from __future__ import annotations

from typing import Any

import torch

import usdsim.envs.mdp as mdp
from usdsim.assets import AssetBaseCfg
from usdsim.core.declared import DeclaredConfiguration
from usdsim.envs import ManagerBasedRLEnv, ManagerBasedRLEnvCfg
from usdsim.envs.managers import (
    EventTermCfg,
    ObservationGroupCfg,
    ObservationTermCfg,
    RewardTermCfg,
    TerminationTermCfg,
)
from usdsim.envs.tensors import tensor
from usdsim.robots import ANT_CFG
from usdsim.sim import InteractiveSceneCfg, SimulationCfg
from usdsim.spawners import GroundPlaneCfg

from .agents import PpoCfg

__all__ = ["AGENT", "AntEnvCfg", "AntSceneCfg", "ManagerBasedRLEnv", "forward_speed"]

AGENT = PpoCfg(hidden_dims=(128, 64), num_steps_per_env=32, iterations=500)
"""Agent that learns a policy."""


def forward_speed(env: Any) -> torch.Tensor:
    """Velocity of the body along x in world [m/s], shape (num_envs,)."""
    return tensor(env.scene["robot"].data.root_lin_vel_w)[:, 0]


class AntSceneCfg(InteractiveSceneCfg):
    """The shipped ant on flat ground."""

    ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg())
    robot = ANT_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")


class _Actions(DeclaredConfiguration):
    effort = mdp.JointEffortActionCfg(asset_name="robot", joint_names=[".*"], scale=7.5)


class _Policy(ObservationGroupCfg):
    height = ObservationTermCfg(func=mdp.base_pos_z)
    lin_vel = ObservationTermCfg(func=mdp.base_lin_vel)
    ang_vel = ObservationTermCfg(func=mdp.base_ang_vel)
    quat = ObservationTermCfg(func=mdp.root_quat_w, params={"make_quat_unique": True})
    joint_pos = ObservationTermCfg(func=mdp.joint_pos_limit_normalized)
    joint_vel = ObservationTermCfg(func=mdp.joint_vel_rel, scale=0.2)
    action = ObservationTermCfg(func=mdp.last_action)


class _Observations(DeclaredConfiguration):
    policy = _Policy()


class _Events(DeclaredConfiguration):
    base = EventTermCfg(
        func=mdp.reset_root_state_uniform,
        mode="reset",
        params={"pose_range": {"yaw": (-0.3, 0.3)}, "velocity_range": {}},
    )
    joints = EventTermCfg(
        func=mdp.reset_joints_by_offset,
        mode="reset",
        params={"position_range": (-0.2, 0.2), "velocity_range": (-0.1, 0.1)},
    )


class _Rewards(DeclaredConfiguration):
    forward = RewardTermCfg(func=forward_speed, weight=1.0)
    alive = RewardTermCfg(func=mdp.is_alive, weight=0.5)
    upright = RewardTermCfg(func=mdp.flat_orientation_l2, weight=-0.5)
    effort = RewardTermCfg(func=mdp.action_l2, weight=-0.005)
    limits = RewardTermCfg(func=mdp.joint_pos_limits, weight=-0.1)


class _Terminations(DeclaredConfiguration):
    time_out = TerminationTermCfg(func=mdp.time_out, time_out=True)
    low = TerminationTermCfg(func=mdp.root_height_below_minimum, params={"minimum_height": 0.26})
    over = TerminationTermCfg(func=mdp.bad_orientation, params={"limit_angle": 1.4})


class AntEnvCfg(ManagerBasedRLEnvCfg):
    """Run along x for 16 s, at 60 decisions per second."""

    sim = SimulationCfg(dt=1.0 / 120.0)
    scene = AntSceneCfg(num_envs=256, env_spacing=5.0)
    decimation = 2
    episode_length_s = 16.0
    actions = _Actions()
    observations = _Observations()
    events = _Events()
    rewards = _Rewards()
    terminations = _Terminations()
