"""A randomised walking robot.

Robots with the same gait carry loads of their own, with drives of their own stiffness, and are
pushed from the side while they walk. How far each gets says how robust the gait is, and against
what: the correlation with each of the numbers that were drawn.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from usdsim.assets import AssetBaseCfg
from usdsim.robots import QUADRUPED_CFG
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import GroundPlaneCfg

OUT = Path("out/examples")

SECONDS = 3.0
FREQUENCY = 3.0  # of the gait [Hz]
# Amplitude [rad] and phase [rad] of hip roll, hip pitch and knee of a front left leg; diagonal legs
# move together.
AMPLITUDE = np.tile([0.0, 0.1428, 0.15], 4)
PHASE = np.array([0, -0.8586, 0, 0, 2.283, -3.1416, 0, 2.283, -3.1416, 0, -0.8586, 0])


class SceneCfg(InteractiveSceneCfg):
    """Flat ground and, in every environment, the shipped quadruped."""

    ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg())
    robot = QUADRUPED_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")


def randomise(robot, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Draw what differs, write it to the worlds, and return it, a number per robot."""
    count = robot.num_instances
    drawn = {
        "load [kg]": rng.uniform(0.0, 5.0, count),
        "stiffness [-]": rng.uniform(0.7, 1.3, count),
        "push [m/s]": rng.uniform(0.0, 0.5, count),
    }
    trunk, _ = robot.find_bodies("trunk")
    mass = robot.data.body_mass.numpy()[:, trunk]
    robot.set_masses(mass + drawn["load [kg]"][:, None], body_ids=trunk)
    gains = robot.data.joint_stiffness.numpy() * drawn["stiffness [-]"][:, None]
    robot.write_joint_stiffness_to_sim(gains)
    return drawn


def main(num_envs: int = 256) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    with SimulationContext(SimulationCfg(dt=0.005)) as sim:
        scene = InteractiveScene(SceneCfg(num_envs=num_envs, env_spacing=2.5))
        sim.reset()
        robot, origins = scene["robot"], scene.env_origins.numpy()
        home = robot.data.default_joint_pos.numpy()
        drawn = randomise(robot, rng)
        with sim.recorder(OUT / "randomised_walking.usd") as recorder:
            for step in range(round(SECONDS / 0.02)):  # decisions at 50 Hz
                swing = np.sin(2.0 * np.pi * FREQUENCY * sim.current_time + PHASE)
                robot.set_joint_position_target(home + AMPLITUDE * swing)
                if step == 75:  # from the side, in the middle of the run
                    velocity = robot.data.root_vel_w.numpy().copy()
                    velocity[:, 1] += drawn["push [m/s]"]
                    robot.write_root_velocity_to_sim(velocity)
                for _ in range(4):  # physics at 200 Hz
                    scene.write_data_to_sim()
                    sim.step()
                    scene.update(sim.physics_dt)
                    recorder.record()
        walked = robot.data.root_pos_w.numpy()[:, 0] - origins[:, 0]
        upright = robot.data.projected_gravity_b.numpy()[:, 2] < -0.8
    print(f"{upright.sum()} of {num_envs} robots stand after {SECONDS:g} s")
    print(f"forward {walked.mean():.2f} m on average, {walked.min():.2f} to {walked.max():.2f} m")
    for name, values in drawn.items():
        print(f"correlation with {name:14} {np.corrcoef(values, walked)[0, 1]:+.2f}")
    print(f"recorded {OUT / 'randomised_walking.usd'}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
