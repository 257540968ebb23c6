"""Quadrotor tasks: hover at a point, or fly from point to point, by the thrusts of its rotors."""

from __future__ import annotations

from typing import Any

import torch

import usdsim.envs.mdp as mdp
from usdsim._resources import resource_dir
from usdsim.actuators import ThrusterCfg
from usdsim.assets import MultirotorCfg
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
from usdsim.sim import InteractiveSceneCfg, SimulationCfg
from usdsim.spawners import UsdFileCfg

from .agents import PpoCfg

__all__ = [
    "AGENT",
    "DroneHoverEnvCfg",
    "DroneSceneCfg",
    "DroneWaypointEnvCfg",
    "ManagerBasedRLEnv",
    "goal_distance",
]

AGENT = PpoCfg(hidden_dims=(64, 64), num_steps_per_env=32, init_std=0.6, iterations=170)
"""Agent that learned the shipped policy."""

_REACHED = 0.2
"""Distance at which a waypoint counts as reached [m]."""
_HOVER = {"pos_x": (-1.0, 1.0), "pos_y": (-1.0, 1.0), "pos_z": (1.0, 2.0)}


def goal_distance(env: Any) -> torch.Tensor:
    """Distance of the vehicle from its goal [m], shape (num_envs,)."""
    goal = env.command_manager.get_command("goal")[:, :3]
    return (goal - tensor(env.scene["robot"].data.root_pos_w)).norm(dim=1)


class DroneSceneCfg(InteractiveSceneCfg):
    """The shipped quadrotor."""

    robot = MultirotorCfg(
        prim_path="{ENV_REGEX_NS}/Drone",
        spawn=UsdFileCfg(usd_path=resource_dir("assets") / "quadrotor" / "quadrotor.usda"),
        init_state=MultirotorCfg.InitialStateCfg(pos=(0.0, 0.0, 1.5), rps={".*": 103.0}),
        actuators={
            "rotors": ThrusterCfg(
                thruster_names_expr="rotor_.*",
                thrust_range=(0.0, 6.0),
                rise_time_constant=0.05,
                fall_time_constant=0.06,
                thrust_const_range=(2.3e-4, 2.3e-4),
                torque_to_thrust_ratio=0.0132,
            )
        },
        rotor_directions=(1, -1, 1, -1),
    )


class _Actions(DeclaredConfiguration):
    thrust = mdp.ThrustActionCfg(asset_name="robot", scale=1.0)


class _Commands(DeclaredConfiguration):
    goal = mdp.UniformPositionCommandCfg(
        asset_name="robot",
        resampling_time_range=(10.0, 10.0),
        ranges=mdp.UniformPositionCommandCfg.Ranges(**_HOVER),
    )


class _WaypointCommands(_Commands):
    goal = mdp.UniformPositionCommandCfg(
        asset_name="robot",
        resampling_time_range=(5.0, 5.0),
        reach_distance=_REACHED,
        ranges=mdp.UniformPositionCommandCfg.Ranges(
            pos_x=(-2.0, 2.0), pos_y=(-2.0, 2.0), pos_z=(0.8, 2.5)
        ),
    )


class _Policy(ObservationGroupCfg):
    goal = ObservationTermCfg(
        func=mdp.position_command_b, params={"command_name": "goal"}, clip=(-3.0, 3.0)
    )
    lin_vel = ObservationTermCfg(func=mdp.base_lin_vel)
    ang_vel = ObservationTermCfg(func=mdp.base_ang_vel, scale=0.2)
    gravity = ObservationTermCfg(func=mdp.projected_gravity)
    action = ObservationTermCfg(func=mdp.last_action)


class _Observations(DeclaredConfiguration):
    policy = _Policy()


class _Events(DeclaredConfiguration):
    start = EventTermCfg(
        func=mdp.reset_root_state_uniform,
        mode="reset",
        params={
            "pose_range": {
                "x": (-0.5, 0.5), "y": (-0.5, 0.5), "z": (-0.3, 0.3),
                "roll": (-0.3, 0.3), "pitch": (-0.3, 0.3), "yaw": (-3.14, 3.14),
            },
            "velocity_range": {"x": (-0.5, 0.5), "y": (-0.5, 0.5), "z": (-0.5, 0.5)},
        },
    )  # fmt: skip


class _Rewards(DeclaredConfiguration):
    near = RewardTermCfg(
        func=mdp.root_position_error_tanh, weight=1.5, params={"std": 1.0, "command_name": "goal"}
    )
    at = RewardTermCfg(
        func=mdp.root_position_error_tanh, weight=1.5, params={"std": 0.1, "command_name": "goal"}
    )
    upright = RewardTermCfg(func=mdp.flat_orientation_l2, weight=-0.3)
    turning = RewardTermCfg(func=mdp.root_ang_vel_l2, weight=-0.02)
    speed = RewardTermCfg(func=mdp.root_lin_vel_l2, weight=-0.05)
    smooth = RewardTermCfg(func=mdp.action_rate_l2, weight=-0.01)
    lost = RewardTermCfg(func=mdp.is_terminated, weight=-100.0)


class _WaypointRewards(_Rewards):
    # Reaching a point brings the next one, far away: it has to earn more than waiting beside it.
    reached = RewardTermCfg(
        func=mdp.root_reached_position,
        weight=250.0,
        params={"distance": _REACHED, "command_name": "goal"},
    )


class _Terminations(DeclaredConfiguration):
    time_out = TerminationTermCfg(func=mdp.time_out, time_out=True)
    low = TerminationTermCfg(func=mdp.root_height_below_minimum, params={"minimum_height": 0.2})
    away = TerminationTermCfg(func=mdp.root_out_of_bounds, params={"distance": 6.0})
    over = TerminationTermCfg(func=mdp.bad_orientation, params={"limit_angle": 1.6})


class DroneHoverEnvCfg(ManagerBasedRLEnvCfg):
    """Fly to a point within a metre or so, and stay there, for 10 s."""

    sim = SimulationCfg(dt=0.01)
    scene = DroneSceneCfg(num_envs=256, env_spacing=6.0)
    decimation = 2
    episode_length_s = 10.0
    actions = _Actions()
    observations = _Observations()
    events = _Events()
    commands = _Commands()
    rewards = _Rewards()
    terminations = _Terminations()


class DroneWaypointEnvCfg(DroneHoverEnvCfg):
    """Fly to a point; the next one comes when it is reached, or after 5 s."""

    commands = _WaypointCommands()
    rewards = _WaypointRewards()
