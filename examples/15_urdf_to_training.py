"""From URDF to training.

A URDF file becomes a stage with drives, the stage a robot, and the robot an environment for
reinforcement learning: what it observes, what it is rewarded for and where it starts, as terms.
Here random actions try it out; `usdsim.learning.train` and the wrappers for rsl_rl,
Stable-Baselines3 and Gymnasium take the same object. Needs PyTorch and Gymnasium; without them the
example says so.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import usdsim
from usdsim.actuators import ImplicitActuatorCfg
from usdsim.assets import ArticulationCfg, AssetBaseCfg
from usdsim.converters import JointDriveCfg, NaturalFrequencyGainsCfg
from usdsim.schemas import validate_stage
from usdsim.sim import InteractiveSceneCfg, SimulationCfg
from usdsim.spawners import GroundPlaneCfg, UsdFileCfg
from usdsim.usd import open_stage

OUT = Path("out/examples")
ROBOT = OUT / "reaching_arm.usda"


class SceneCfg(InteractiveSceneCfg):
    """The converted arm; its drives are those of the stage."""

    ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg())
    robot = ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=UsdFileCfg(usd_path=ROBOT),
        init_state=ArticulationCfg.InitialStateCfg(
            joint_pos={"shoulder_lift": 0.4, "elbow": 1.2, "wrist_pitch": 1.2}
        ),
        actuators={"all": ImplicitActuatorCfg(joint_names_expr=[".*"])},
    )


def convert() -> None:
    """URDF says nothing about drives: they get a frequency, and follow from what they carry."""
    gains = NaturalFrequencyGainsCfg(natural_frequency=30.0, damping_ratio=1.0)
    usdsim.convert(
        usdsim.example_asset("arm/arm.urdf"), ROBOT, joint_drive=JointDriveCfg(gains=gains)
    )
    print(f"{len(validate_stage(open_stage(ROBOT)))} findings of the validation rules")


def environment(num_envs: int):
    """An environment that rewards joints that stay where they began, and are slow."""
    from usdsim.envs import ManagerBasedRLEnv, ManagerBasedRLEnvCfg, mdp
    from usdsim.envs.managers import (
        EventTermCfg,
        ObservationGroupCfg,
        ObservationTermCfg,
        RewardTermCfg,
        TerminationTermCfg,
    )

    class Policy(ObservationGroupCfg):
        joint_pos = ObservationTermCfg(func=mdp.joint_pos_rel)
        joint_vel = ObservationTermCfg(func=mdp.joint_vel_rel)

    cfg = ManagerBasedRLEnvCfg(
        sim=SimulationCfg(dt=0.01),
        scene=SceneCfg(num_envs=num_envs, env_spacing=2.0),
        decimation=2,
        episode_length_s=2.0,
        seed=0,
    )
    cfg.actions = {
        "joints": mdp.JointPositionActionCfg(
            asset_name="robot", joint_names=["shoulder_.*", "elbow", "wrist_.*"], scale=0.5
        )
    }
    cfg.observations = {"policy": Policy()}
    cfg.events = {
        "joints": EventTermCfg(
            func=mdp.reset_joints_by_offset, mode="reset",
            params={"position_range": (-0.2, 0.2), "velocity_range": (0.0, 0.0)},
        )
    }  # fmt: skip
    cfg.rewards = {
        "still": RewardTermCfg(func=mdp.joint_deviation_l1, weight=-1.0),
        "slow": RewardTermCfg(func=mdp.joint_vel_l2, weight=-1e-3),
    }
    cfg.terminations = {"time_out": TerminationTermCfg(func=mdp.time_out, time_out=True)}
    return ManagerBasedRLEnv(cfg)


def main(num_envs: int = 64) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    convert()
    if importlib.util.find_spec("torch") is None or importlib.util.find_spec("gymnasium") is None:
        print("The rest of this example needs PyTorch and Gymnasium: pip install 'usdsim[learn]'")
        return
    import torch

    torch.manual_seed(0)
    with environment(num_envs) as env:
        print(f"observations {env.single_observation_space['policy'].shape}")
        print(f"actions {env.single_action_space.shape}")
        env.reset()
        total, ends = torch.zeros(num_envs), 0
        with env.sim.recorder(OUT / "random_actions.usd") as recorder:
            for _ in range(env.max_episode_length):
                actions = torch.rand(num_envs, env.single_action_space.shape[0]) * 2.0 - 1.0
                _, reward, terminated, truncated, _ = env.step(actions)
                total += reward
                ends += int((terminated | truncated).sum())
                recorder.record()
        print(f"{ends} episodes of random actions, return {total.mean():.2f} on average")
    print(f"recorded {OUT / 'random_actions.usd'}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
