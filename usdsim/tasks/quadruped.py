"""Quadruped on flat ground: it walks with the velocity it is told to."""

from __future__ import annotations

from typing import Any

import torch

import usdsim.envs.mdp as mdp
from usdsim._resources import resource_dir
from usdsim.actuators import ImplicitActuatorCfg
from usdsim.assets import ArticulationCfg, AssetBaseCfg
from usdsim.converters.spawn import MjcfFileCfg
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
from usdsim.envs.signals.noise import UniformNoiseCfg
from usdsim.envs.tensors import tensor
from usdsim.sensors import ContactSensorCfg
from usdsim.sim import InteractiveSceneCfg, SimulationCfg
from usdsim.spawners import GroundPlaneCfg

from .agents import PpoCfg

__all__ = [
    "AGENT",
    "FlatPolicyCfg",
    "FlatRewardsCfg",
    "ManagerBasedRLEnv",
    "QuadrupedFlatEnvCfg",
    "QuadrupedSceneCfg",
    "deployment",
    "velocity_error",
]

AGENT = PpoCfg(
    hidden_dims=(128, 64), init_std=0.6, final_std=0.12, std_fall=(240, 384), iterations=450
)
"""Agent that learned the shipped policy."""

FEET = SceneEntityCfg("contact", body_names=".*_shank")


def velocity_error(env: Any) -> torch.Tensor:
    """Distance of the horizontal velocity from the commanded one [m/s], shape (num_envs,)."""
    command = env.command_manager.get_command("base_velocity")[:, :2]
    return (command - tensor(env.scene["robot"].data.root_lin_vel_b)[:, :2]).norm(dim=1)


def deployment(env: Any) -> dict[str, Any]:
    """Deployment of a policy: what a program needs to let it walk outside the environment.

    Names and default positions of the joints in their order [rad], scale of actions and of joint
    velocities, stiffness of the drives [N m/rad], time from one decision to the next [s], the
    link that is steered, and intervals of commands [m/s, m/s, rad/s]. Observations are those of
    `FlatPolicyCfg`.
    """
    robot, ranges = env.scene["robot"], env.cfg.commands.base_velocity.ranges
    return {
        "joints": list(robot.joint_names),
        "default": tensor(robot.data.default_joint_pos)[0].double().round(decimals=6).tolist(),
        "scale": env.cfg.actions.joint_pos.scale,
        "velocity_scale": env.cfg.observations.policy.joint_vel.scale,
        "stiffness": robot.cfg.actuators["legs"].stiffness,
        "period": env.step_dt,
        "root": robot.body_names[0],
        "commands": [list(r) for r in (ranges.lin_vel_x, ranges.lin_vel_y, ranges.ang_vel_z)],
    }


class QuadrupedSceneCfg(InteractiveSceneCfg):
    """The shipped quadruped on flat ground."""

    ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg())
    robot = ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=MjcfFileCfg(asset_path=str(resource_dir("assets") / "quadruped" / "quadruped.xml")),
        init_state=ArticulationCfg.InitialStateCfg(
            pos=(0.0, 0.0, 0.34), joint_pos={".*_hip_pitch": 0.8, ".*_knee": -1.6}
        ),
        soft_joint_pos_limit_factor=0.95,
        actuators={
            "legs": ImplicitActuatorCfg(
                joint_names_expr=[".*"], stiffness=60.0, damping=2.5, effort_limit_sim=30.0
            )
        },
    )
    contact = ContactSensorCfg(
        prim_path="{ENV_REGEX_NS}/Robot/.*", history_length=3, track_air_time=True
    )


class _Actions(DeclaredConfiguration):
    joint_pos = mdp.JointPositionActionCfg(asset_name="robot", joint_names=[".*"], scale=0.25)


class _Commands(DeclaredConfiguration):
    base_velocity = mdp.UniformVelocityCommandCfg(
        asset_name="robot",
        resampling_time_range=(10.0, 10.0),
        rel_standing_envs=0.05,
        ranges=mdp.UniformVelocityCommandCfg.Ranges(
            lin_vel_x=(-0.6, 0.8), lin_vel_y=(-0.3, 0.3), ang_vel_z=(-0.8, 0.8)
        ),
    )


class FlatPolicyCfg(ObservationGroupCfg):
    """Observations of the policy: motion, command, joints, and what it did last."""

    lin_vel = ObservationTermCfg(
        func=mdp.base_lin_vel, noise=UniformNoiseCfg(n_min=-0.1, n_max=0.1)
    )
    ang_vel = ObservationTermCfg(
        func=mdp.base_ang_vel, noise=UniformNoiseCfg(n_min=-0.2, n_max=0.2)
    )
    gravity = ObservationTermCfg(
        func=mdp.projected_gravity, noise=UniformNoiseCfg(n_min=-0.05, n_max=0.05)
    )
    command = ObservationTermCfg(
        func=mdp.generated_commands, params={"command_name": "base_velocity"}
    )
    joint_pos = ObservationTermCfg(
        func=mdp.joint_pos_rel, noise=UniformNoiseCfg(n_min=-0.01, n_max=0.01)
    )
    joint_vel = ObservationTermCfg(
        func=mdp.joint_vel_rel, scale=0.1, noise=UniformNoiseCfg(n_min=-1.0, n_max=1.0)
    )
    action = ObservationTermCfg(func=mdp.last_action)
    enable_corruption = True


class _Observations(DeclaredConfiguration):
    policy = FlatPolicyCfg()


class _Events(DeclaredConfiguration):
    mass = EventTermCfg(
        func=mdp.randomize_rigid_body_mass,
        mode="startup",
        params={
            "asset_cfg": SceneEntityCfg("robot", body_names="trunk"),
            "mass_distribution_params": (-0.5, 1.0),
            "operation": "add",
        },
    )
    base = EventTermCfg(
        func=mdp.reset_root_state_uniform,
        mode="reset",
        params={
            "pose_range": {"yaw": (-3.14, 3.14)},
            "velocity_range": {"x": (-0.3, 0.3), "y": (-0.3, 0.3), "yaw": (-0.3, 0.3)},
        },
    )
    joints = EventTermCfg(
        func=mdp.reset_joints_by_offset,
        mode="reset",
        params={"position_range": (-0.1, 0.1), "velocity_range": (0.0, 0.0)},
    )
    push = EventTermCfg(
        func=mdp.push_by_setting_velocity,
        mode="interval",
        interval_range_s=(8.0, 12.0),
        params={"velocity_range": {"x": (-0.3, 0.3), "y": (-0.3, 0.3)}},
    )


class FlatRewardsCfg(DeclaredConfiguration):
    """Rewards of walking as told, and its costs."""

    velocity = RewardTermCfg(
        func=mdp.track_lin_vel_xy_exp,
        weight=2.0,
        params={"command_name": "base_velocity", "std": 0.35},
    )
    turning = RewardTermCfg(
        func=mdp.track_ang_vel_z_exp,
        weight=1.0,
        params={"command_name": "base_velocity", "std": 0.5},
    )
    hopping = RewardTermCfg(func=mdp.lin_vel_z_l2, weight=-1.0)
    rolling = RewardTermCfg(func=mdp.ang_vel_xy_l2, weight=-0.05)
    upright = RewardTermCfg(func=mdp.flat_orientation_l2, weight=-2.0)
    height = RewardTermCfg(func=mdp.base_height_l2, weight=-20.0, params={"target_height": 0.31})
    effort = RewardTermCfg(func=mdp.joint_torques_l2, weight=-1e-4)
    posture = RewardTermCfg(func=mdp.joint_deviation_l1, weight=-0.05)
    smooth = RewardTermCfg(func=mdp.action_rate_l2, weight=-0.01)
    steps = RewardTermCfg(
        func=mdp.feet_air_time,
        weight=1.0,
        params={"command_name": "base_velocity", "sensor_cfg": FEET, "threshold": 0.2},
    )


class _Terminations(DeclaredConfiguration):
    time_out = TerminationTermCfg(func=mdp.time_out, time_out=True)
    fallen = TerminationTermCfg(func=mdp.bad_orientation, params={"limit_angle": 1.0})
    low = TerminationTermCfg(func=mdp.root_height_below_minimum, params={"minimum_height": 0.15})


class QuadrupedFlatEnvCfg(ManagerBasedRLEnvCfg):
    """Walk with a commanded velocity for 20 s, at 50 decisions per second."""

    sim = SimulationCfg(dt=0.005)
    scene = QuadrupedSceneCfg(num_envs=256, env_spacing=2.5)
    decimation = 4
    episode_length_s = 20.0
    actions = _Actions()
    observations = _Observations()
    events = _Events()
    commands = _Commands()
    rewards = FlatRewardsCfg()
    terminations = _Terminations()
