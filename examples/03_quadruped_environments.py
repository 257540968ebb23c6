"""Quadrupeds in many environments.

The asset door as robot learning uses it: a scene is a class of configurations, every environment is
a world of its own, targets go in and observations come out as arrays with an entry per environment.
Here 1,024 quadrupeds with DC motors trot after an open-loop gait; robots that fall are put back
alone, while the others go on. One of them is recorded.

`python 03_quadruped_environments.py 4096` takes another number of environments.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

import usdsim
from usdsim.actuators import DCMotorCfg
from usdsim.assets import ArticulationCfg, AssetBaseCfg
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import GroundPlaneCfg, UsdFileCfg

ASSETS = Path(__file__).resolve().parent.parent / "assets"
OUT = Path("out/examples")
ROBOT = OUT / "quadruped_robot.usda"

FREQUENCY = 3.0  # [Hz]
# Amplitude [rad] and phase [rad] of hip roll, hip pitch and knee of a front left leg; diagonal legs
# move together.
AMPLITUDE = np.tile([0.0, 0.1428, 0.15], 4)
PHASE = np.array([0, -0.8586, 0, 0, 2.283, -3.1416, 0, 2.283, -3.1416, 0, -0.8586, 0])


class SceneCfg(InteractiveSceneCfg):
    """Ground and, in every environment, a robot."""

    ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg())
    robot = ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=UsdFileCfg(usd_path=ROBOT),
        init_state=ArticulationCfg.InitialStateCfg(
            pos=(0.0, 0.0, 0.34), joint_pos={".*_hip_pitch": 0.8, ".*_knee": -1.6}
        ),
        actuators={
            "legs": DCMotorCfg(
                joint_names_expr=[".*"],
                stiffness=90.0,
                damping=2.5,
                effort_limit=40.0,
                saturation_effort=60.0,
                velocity_limit=30.0,
            )
        },
    )


def main(num_envs: int = 1024) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    usdsim.convert(ASSETS / "quadruped" / "quadruped.xml", ROBOT)

    with SimulationContext(SimulationCfg(dt=0.005)) as sim:
        scene = InteractiveScene(SceneCfg(num_envs=num_envs, env_spacing=2.5))
        sim.reset()
        robot = scene["robot"]
        origins = scene.env_origins.numpy()
        home = robot.data.default_joint_pos.numpy()
        start = robot.data.default_root_state.numpy().copy()
        start[:, :3] += origins

        rng = np.random.default_rng(0)
        pace = rng.uniform(0.5, 1.5, (num_envs, 1))
        fallen = np.arange(num_envs)
        falls = -num_envs
        began = time.perf_counter()
        with sim.recorder(OUT / "quadruped.usd") as recorder:
            for _ in range(150):  # 3 s of decisions at 50 Hz
                falls += len(fallen)
                robot.write_root_state_to_sim(start[fallen], env_ids=fallen)
                robot.write_joint_state_to_sim(
                    home[fallen], np.zeros_like(home[fallen]), env_ids=fallen
                )
                scene.reset(fallen)
                swing = np.sin(2.0 * np.pi * FREQUENCY * sim.current_time + PHASE)
                robot.set_joint_position_target(home + pace * AMPLITUDE * swing)
                for _ in range(4):  # physics at 200 Hz
                    scene.write_data_to_sim()
                    sim.step()
                    scene.update(sim.physics_dt)
                    recorder.record()
                fallen = np.flatnonzero(robot.data.projected_gravity_b.numpy()[:, 2] > -0.5)
            seconds = time.perf_counter() - began  # Saving the recording is not simulation.

        walked = robot.data.root_pos_w.numpy()[:, 0] - origins[:, 0]
        print(f"{num_envs} robots, {num_envs * 600 / seconds:,.0f} steps of one robot per second")
        print(f"forward {walked.mean():.2f} m on average, {walked.max():.2f} m at best")
        print(f"{falls} falls; recorded {OUT / 'quadruped.usd'}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
