"""Cart and pole by managers: the cart is pushed so that the pole stays upright."""

from __future__ import annotations

from typing import Any

import torch

import usdsim.envs.mdp as mdp
from usdsim._resources import resource_dir
from usdsim.assets import ArticulationCfg
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
from usdsim.envs.tensors import tensor
from usdsim.sim import InteractiveSceneCfg, SimulationCfg
from usdsim.spawners import UsdFileCfg

from .agents import PpoCfg

__all__ = ["AGENT", "CartpoleEnvCfg", "CartpoleSceneCfg", "ManagerBasedRLEnv", "pole_angle"]

CART = SceneEntityCfg("robot", joint_names=["rail_to_cart"])
POLE = SceneEntityCfg("robot", joint_names=["cart_to_pole"])

AGENT = PpoCfg(hidden_dims=(32, 32), num_steps_per_env=16, iterations=40, save_interval=20)
"""Agent that learned the shipped policy."""


def pole_angle(env: Any) -> torch.Tensor:
    """Absolute angle of the pole from upright [rad], shape (num_envs,)."""
    return tensor(env.scene["robot"].data.joint_pos)[:, 1].abs()


class CartpoleSceneCfg(InteractiveSceneCfg):
    """The shipped cart and pole."""

    robot = ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=UsdFileCfg(usd_path=resource_dir("assets") / "cartpole" / "cartpole.usda"),
    )


class _Actions(DeclaredConfiguration):
    force = mdp.JointEffortActionCfg(asset_name="robot", joint_names=["rail_to_cart"], scale=20.0)


class _Policy(ObservationGroupCfg):
    joint_pos = ObservationTermCfg(func=mdp.joint_pos_rel)
    joint_vel = ObservationTermCfg(func=mdp.joint_vel_rel)


class _Observations(DeclaredConfiguration):
    policy = _Policy()


class _Events(DeclaredConfiguration):
    cart = EventTermCfg(
        func=mdp.reset_joints_by_offset,
        mode="reset",
        params={"asset_cfg": CART, "position_range": (-1.0, 1.0), "velocity_range": (-0.5, 0.5)},
    )
    pole = EventTermCfg(
        func=mdp.reset_joints_by_offset,
        mode="reset",
        params={"asset_cfg": POLE, "position_range": (-0.4, 0.4), "velocity_range": (-0.5, 0.5)},
    )


class _Rewards(DeclaredConfiguration):
    alive = RewardTermCfg(func=mdp.is_alive, weight=1.0)
    terminating = RewardTermCfg(func=mdp.is_terminated, weight=-2.0)
    pole = RewardTermCfg(
        func=mdp.joint_pos_target_l2, weight=-1.0, params={"target": 0.0, "asset_cfg": POLE}
    )
    cart = RewardTermCfg(
        func=mdp.joint_pos_target_l2, weight=-0.1, params={"target": 0.0, "asset_cfg": CART}
    )
    cart_vel = RewardTermCfg(func=mdp.joint_vel_l1, weight=-0.01, params={"asset_cfg": CART})
    pole_vel = RewardTermCfg(func=mdp.joint_vel_l1, weight=-0.005, params={"asset_cfg": POLE})


class _Terminations(DeclaredConfiguration):
    time_out = TerminationTermCfg(func=mdp.time_out, time_out=True)
    cart_away = TerminationTermCfg(
        func=mdp.joint_pos_out_of_manual_limit,
        params={"bounds": (-2.2, 2.2), "asset_cfg": CART},
    )
    pole_down = TerminationTermCfg(
        func=mdp.joint_pos_out_of_manual_limit,
        params={"bounds": (-1.2, 1.2), "asset_cfg": POLE},
    )


class CartpoleEnvCfg(ManagerBasedRLEnvCfg):
    """Balance a pole on a cart for 10 s, at 50 decisions per second."""

    sim = SimulationCfg(dt=0.01)
    scene = CartpoleSceneCfg(num_envs=256, env_spacing=6.0)
    decimation = 2
    episode_length_s = 10.0
    actions = _Actions()
    observations = _Observations()
    events = _Events()
    rewards = _Rewards()
    terminations = _Terminations()
