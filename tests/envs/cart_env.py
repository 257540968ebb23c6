"""A cart with a pole in every environment, and configurations around it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import usdsim.envs.mdp as mdp
from usdsim.assets import ArticulationCfg
from usdsim.core.declared import DeclaredConfiguration
from usdsim.envs import ManagerBasedRLEnv, ManagerBasedRLEnvCfg
from usdsim.envs.managers import (
    EventTermCfg,
    ObservationGroupCfg,
    ObservationTermCfg,
    RewardTermCfg,
    TerminationTermCfg,
)
from usdsim.sim import InteractiveSceneCfg, SimulationCfg
from usdsim.spawners import UsdFileCfg

ASSETS = Path(__file__).resolve().parents[2] / "assets"
NUM_ENVS = 4


class CartScene(InteractiveSceneCfg):
    robot = ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=UsdFileCfg(usd_path=ASSETS / "cartpole" / "cartpole.usda"),
    )


class Policy(ObservationGroupCfg):
    pos = ObservationTermCfg(func=mdp.joint_pos)
    vel = ObservationTermCfg(func=mdp.joint_vel)


class Observations(DeclaredConfiguration):
    policy = Policy()


class Actions(DeclaredConfiguration):
    force = mdp.JointEffortActionCfg(asset_name="robot", joint_names=["rail_to_cart"], scale=10.0)


class Events(DeclaredConfiguration):
    start = EventTermCfg(
        func=mdp.reset_joints_by_offset,
        mode="reset",
        params={"position_range": (-0.2, 0.2), "velocity_range": (-0.1, 0.1)},
    )


class Rewards(DeclaredConfiguration):
    alive = RewardTermCfg(func=mdp.is_alive, weight=1.0)


class Terminations(DeclaredConfiguration):
    time = TerminationTermCfg(func=mdp.time_out, time_out=True)


class CartEnvCfg(ManagerBasedRLEnvCfg):
    sim = SimulationCfg(dt=0.01)
    scene = CartScene(num_envs=NUM_ENVS, env_spacing=4.0)
    decimation = 2
    seed = 7
    episode_length_s = 1.0
    actions = Actions()
    observations = Observations()
    events = Events()
    rewards = Rewards()
    terminations = Terminations()


def cart_env(**changes: Any) -> ManagerBasedRLEnv:
    return ManagerBasedRLEnv(CartEnvCfg(**changes))


def terms(**named: Any) -> dict[str, Any]:
    """Terms by name, as managers take them."""
    return named


def group(**changes: Any) -> dict[str, Any]:
    """One group of observations, ``policy``, with terms and settings as attributes."""
    made = ObservationGroupCfg()
    for name, value in changes.items():
        setattr(made, name, value)
    return {"policy": made}
