"""Quadrotor hover.

Multirotors are articulations that thrusters move: thrust is commanded per rotor, follows with the
lag of motor and propeller, and acts on the vehicle through an allocation matrix derived from where
the rotors are. A position and attitude controller of a few lines flies every vehicle to its own
height; one flight is recorded.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from usdsim.actuators import ThrusterCfg
from usdsim.assets import MultirotorCfg
from usdsim.math.rotations import quat_to_matrix
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import UsdFileCfg

ASSETS = Path(__file__).resolve().parent.parent / "assets"
OUT = Path("out/examples")

GRAVITY = 9.81
MASS = 1.0  # of the vehicle [kg]
INERTIA = np.array([0.00628, 0.00628, 0.01159])  # of the vehicle [kg m^2]


class SceneCfg(InteractiveSceneCfg):
    """A quadrotor in every environment."""

    drone = MultirotorCfg(
        prim_path="{ENV_REGEX_NS}/Drone",
        spawn=UsdFileCfg(usd_path=ASSETS / "quadrotor" / "quadrotor.usda"),
        init_state=MultirotorCfg.InitialStateCfg(pos=(0.0, 0.0, 1.0), rps={".*": 103.0}),
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


def thrusts(drone, goal: np.ndarray) -> np.ndarray:
    """Thrust of every rotor [N]: position to acceleration, to attitude, to torque."""
    data = drone.data
    rotation = quat_to_matrix(data.root_quat_w.numpy().astype(float))
    error = goal - data.root_pos_w.numpy()
    force = MASS * (4.0 * error - 3.6 * data.root_lin_vel_w.numpy() + [0.0, 0.0, GRAVITY])
    up = force / np.linalg.norm(force, axis=1, keepdims=True)
    left = np.cross(up, [1.0, 0.0, 0.0])
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    desired = np.stack([np.cross(left, up), left, up], axis=2)
    relative = np.einsum("nji,njk->nik", rotation, desired)
    turn = np.stack([relative[:, (i + 2) % 3, (i + 1) % 3] for i in range(3)], axis=1)
    turn -= np.stack([relative[:, (i + 1) % 3, (i + 2) % 3] for i in range(3)], axis=1)
    spin = data.root_ang_vel_b.numpy()
    torque = INERTIA * (0.5 * turn * [50.0, 50.0, 6.0] - spin * [11.0, 11.0, 4.5])
    lift = np.einsum("ni,ni->n", force, rotation[:, :, 2])
    wanted = np.hstack([lift[:, None], torque])
    return wanted @ np.linalg.pinv(drone.allocation_matrix.numpy()[2:]).T


def main(num_envs: int = 64) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    with SimulationContext(SimulationCfg(dt=0.005)) as sim:
        scene = InteractiveScene(SceneCfg(num_envs=num_envs, env_spacing=2.0))
        sim.reset()
        drone = scene["drone"]
        start = drone.data.default_root_state.numpy().copy()
        start[:, :3] += scene.env_origins.numpy()
        drone.write_root_state_to_sim(start)
        goal = scene.env_origins.numpy().copy()
        goal[:, 2] += np.linspace(1.0, 2.0, num_envs)

        with sim.recorder(OUT / "quadrotor.usd", env_id=num_envs - 1) as recorder:
            for _ in range(800):
                drone.set_thrust_target(thrusts(drone, goal))
                scene.write_data_to_sim()
                sim.step()
                scene.update(sim.physics_dt)
                recorder.record()

        away = np.linalg.norm(drone.data.root_pos_w.numpy() - goal, axis=1)
        hover = drone.data.applied_thrust.numpy()
        print(f"{num_envs} quadrotors are within {1000.0 * away.max():.1f} mm of their goals")
        print(f"each rotor lifts {hover.mean():.4f} N, a quarter of the weight")
        print(f"recorded {OUT / 'quadrotor.usd'}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
