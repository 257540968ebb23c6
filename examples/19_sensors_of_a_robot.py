"""Sensors of a robot.

A quadruped has an inertial unit, a lidar and a load cell in every joint. Standing still, what they
show can be computed by hand: 1 g upwards, the distance of the ground along each ray, and what the
four hips carry between them. Then the robot trots, and the same sensors show how rough that is.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import usdsim
from usdsim.actuators import IdealPDActuatorCfg
from usdsim.assets import ArticulationCfg, AssetBaseCfg
from usdsim.sensors import ImuCfg, JointWrenchSensorCfg, RayCasterCfg, patterns
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import GroundPlaneCfg, UsdFileCfg

OUT = Path("out/examples")
ROBOT = OUT / "quadruped_sensors.usda"
TRUNK = "{ENV_REGEX_NS}/Robot/trunk"

AMPLITUDE = np.tile([0.0, 0.1428, 0.15], 4)
PHASE = np.array([0, -0.8586, 0, 0, 2.283, -3.1416, 0, 2.283, -3.1416, 0, -0.8586, 0])


class SceneCfg(InteractiveSceneCfg):
    """Ground, robot and its sensors."""

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
    # A real accelerometer at rest shows 1 g upwards.
    imu = ImuCfg(prim_path=TRUNK, gravity_bias=(0.0, 0.0, 9.81))
    lidar = RayCasterCfg(
        prim_path=TRUNK,
        mesh_prim_paths=["/World/ground"],
        pattern_cfg=patterns.LidarPatternCfg(
            channels=8,
            vertical_fov_range=(-60.0, -15.0),
            horizontal_fov_range=(-180.0, 180.0),
            horizontal_res=5.0,
        ),
    )
    wrench = JointWrenchSensorCfg(prim_path="{ENV_REGEX_NS}/Robot")


def main(num_envs: int = 16) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    usdsim.convert(usdsim.example_asset("quadruped/quadruped.xml"), ROBOT)

    with SimulationContext(SimulationCfg(dt=0.004)) as sim:
        scene = InteractiveScene(SceneCfg(num_envs=num_envs, env_spacing=2.5))
        sim.reset()
        robot, imu, lidar, wrench = (scene[name] for name in ("robot", "imu", "lidar", "wrench"))
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
        print(f"inertial unit at rest {np.round(imu.data.lin_acc_b.numpy()[0], 2)} m/s^2")

        rays = lidar.data.ray_hits_w.numpy()[0] - lidar.data.pos_w.numpy()[0]
        ranges = np.linalg.norm(rays, axis=-1)
        hit = np.isfinite(ranges)
        height = lidar.data.pos_w.numpy()[0, 2]
        steepest = np.degrees(np.arcsin(height / ranges[hit].min()))
        print(
            f"lidar {height:.3f} m up: {hit.sum()} rays meet the ground, at {steepest:.0f} deg most"
        )

        names = robot.body_names
        hips = [number for number, name in enumerate(names) if name.endswith("hip")]
        carried = abs(wrench.data.force.numpy()[0, hips, 2].sum())  # their axes are upright
        weight = 9.81 * robot.data.body_mass.numpy()[0, names.index("trunk")]
        print(f"hips carry {carried:.1f} N together; the trunk weighs {weight:.1f} N")

        shaken, loads = [], []
        with sim.recorder(OUT / "sensors.usd") as recorder:
            for step in range(500):
                time = step * sim.physics_dt
                swing = min(1.0, 2.0 * time) * np.sin(2.0 * np.pi * 3.0 * time + PHASE)
                advance(home + AMPLITUDE * swing)
                shaken.append(np.linalg.norm(imu.data.lin_acc_b.numpy(), axis=-1))
                loads.append(
                    np.linalg.norm(wrench.data.force.numpy()[:, hips], axis=-1).max(axis=1)
                )
                recorder.record()
        rough = np.divide(shaken, 9.81)
        print(f"trotting: {rough.max():.1f} g at most, {rough.mean():.2f} g on average")
        print(f"          {np.max(loads):.0f} N in a hip at most")
        print(f"recorded {OUT / 'sensors.usd'}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
