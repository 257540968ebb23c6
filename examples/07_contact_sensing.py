"""Contact sensing.

A contact sensor on the four shanks of a quadruped measures the force of the ground on every foot
and how long each has been in the air. The robot stands first, where the forces add up to its
weight, then trots, where diagonal feet take turns. A foot that lands may bounce: what tells a step
from a bounce is how long the foot was in the air before.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import usdsim
from usdsim.actuators import IdealPDActuatorCfg
from usdsim.assets import ArticulationCfg, AssetBaseCfg
from usdsim.sensors import ContactSensorCfg
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import GroundPlaneCfg, UsdFileCfg

ASSETS = Path(__file__).resolve().parent.parent / "assets"
OUT = Path("out/examples")
ROBOT = OUT / "quadruped_contacts.usda"

AMPLITUDE = np.tile([0.0, 0.1428, 0.15], 4)
PHASE = np.array([0, -0.8586, 0, 0, 2.283, -3.1416, 0, 2.283, -3.1416, 0, -0.8586, 0])
SHORTEST_STEP = 0.05  # the shortest time in the air that is a step [s]


class SceneCfg(InteractiveSceneCfg):
    """Ground, robot, and a sensor on its shanks that tells the ground from everything else."""

    ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg())
    robot = ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=UsdFileCfg(usd_path=ROBOT),
        init_state=ArticulationCfg.InitialStateCfg(
            pos=(0.0, 0.0, 0.33), joint_pos={".*_hip_pitch": 0.8, ".*_knee": -1.6}
        ),
        actuators={
            "legs": IdealPDActuatorCfg(
                joint_names_expr=[".*"], stiffness=90.0, damping=2.5, effort_limit=40.0
            )
        },
    )
    feet = ContactSensorCfg(
        prim_path="{ENV_REGEX_NS}/Robot/.*_shank",
        track_air_time=True,
        filter_prim_paths_expr=["/World/ground/GroundPlane/CollisionPlane"],
    )


def main(num_envs: int = 16) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    usdsim.convert(ASSETS / "quadruped" / "quadruped.xml", ROBOT)

    with SimulationContext(SimulationCfg(dt=0.004)) as sim:
        scene = InteractiveScene(SceneCfg(num_envs=num_envs, env_spacing=2.5))
        sim.reset()
        robot, feet = scene["robot"], scene["feet"]
        home = robot.data.default_joint_pos.numpy()
        start = robot.data.default_root_state.numpy().copy()
        start[:, :3] += scene.env_origins.numpy()
        robot.write_root_state_to_sim(start)
        robot.write_joint_state_to_sim(home, np.zeros_like(home))

        def advance(target: np.ndarray) -> None:
            robot.set_joint_position_target(target)
            scene.write_data_to_sim()
            sim.step()
            scene.update(sim.physics_dt)

        for _ in range(500):
            advance(home)
        force = feet.data.net_forces_w.numpy()[0]
        weight = robot.data.body_mass.numpy()[0].sum() * 9.81
        print(f"{feet.body_names}: {np.round(force[:, 2], 1)} N up")
        print(f"together {force[:, 2].sum():.2f} N; the robot weighs {weight:.2f} N")

        began = sim.current_time
        steps = np.zeros((num_envs, 4), dtype=int)
        swings = np.zeros((num_envs, 4))
        with sim.recorder(OUT / "contacts.usd") as recorder:
            for _ in range(500):
                time = sim.current_time - began
                swing = min(1.0, 2.0 * time) * np.sin(2.0 * np.pi * 3.0 * time + PHASE)
                advance(home + AMPLITUDE * swing)
                landed = feet.compute_first_contact(sim.physics_dt).numpy() > 0.0
                in_air = feet.data.last_air_time.numpy()
                step = landed & (in_air > SHORTEST_STEP)
                steps += step
                swings[step] = in_air[step]
                recorder.record()
        counted = dict(zip(feet.body_names, steps[0].tolist(), strict=True))
        print(f"steps in 2 s of trot: {counted}")
        print(f"the last of them took [s]: {np.round(swings[0], 3)}")
        print(f"recorded {OUT / 'contacts.usd'}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
