"""The rotorcraft that ship, as multirotors in cloned environments, and a controller for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pxr import UsdGeom

from usdsim.actuators import ThrusterCfg
from usdsim.assets import Multirotor, MultirotorCfg
from usdsim.sim import SimulationCfg, SimulationContext
from usdsim.spawners import UsdFileCfg, clone_environments
from usdsim.usd.stage import create_stage

ASSETS = Path(__file__).resolve().parents[2] / "assets"
G = 9.81
DT = 0.005


@dataclass(frozen=True)
class Craft:
    """A rotorcraft and the numbers its README gives."""

    name: str
    rotors: int
    mass: float
    arm: float
    thrust_const: float
    torque_ratio: float
    largest: float
    rise: float
    fall: float
    inertia: tuple[float, float, float]

    @property
    def path(self) -> str:
        return str(ASSETS / self.name / f"{self.name}.usda")

    @property
    def directions(self) -> list[int]:
        """1: counter-clockwise seen from above, -1: clockwise."""
        return [1, -1] * (self.rotors // 2)

    @property
    def hover(self) -> float:
        """Thrust of each rotor that carries the vehicle [N]."""
        return self.mass * G / self.rotors

    @property
    def hover_rps(self) -> float:
        return float(np.sqrt(self.hover / self.thrust_const))

    def thruster(self, **changes: Any) -> ThrusterCfg:
        values: dict[str, Any] = {
            "thruster_names_expr": ["rotor_.*"],
            "thrust_range": (0.0, self.largest),
            "rise_time_constant": self.rise,
            "fall_time_constant": self.fall,
            "thrust_const_range": (self.thrust_const, self.thrust_const),
            "torque_to_thrust_ratio": self.torque_ratio,
        }
        return ThrusterCfg(**{**values, **changes})

    def cfg(self, rps: Any = None, **changes: Any) -> MultirotorCfg:
        state = MultirotorCfg.InitialStateCfg(
            pos=(0.0, 0.0, 1.0), rps={".*": self.hover_rps} if rps is None else rps
        )
        values: dict[str, Any] = {
            "prim_path": "{ENV_REGEX_NS}/Robot",
            "spawn": UsdFileCfg(usd_path=self.path),
            "init_state": state,
            "actuators": {"thrusters": self.thruster()},
            "rotor_directions": self.directions,
        }
        return MultirotorCfg(**{**values, **changes})

    def allocation(self) -> np.ndarray:
        """From the geometry of the README: equal arms, the first one forward, thrust upwards."""
        angle = 2.0 * np.pi * np.arange(self.rotors) / self.rotors
        none, one = np.zeros(self.rotors), np.ones(self.rotors)
        yaw = -self.torque_ratio * np.array(self.directions)
        roll, pitch = self.arm * np.sin(angle), -self.arm * np.cos(angle)
        return np.stack([none, none, one, roll, pitch, yaw])


CRAFT = {
    "quadrotor": Craft(
        "quadrotor", 4, 1.0, 0.17, 2.3e-4, 0.0132, 6.0, 0.05, 0.06, (0.00628, 0.00628, 0.01159)
    ),
    "hexarotor": Craft(
        "hexarotor", 6, 2.4, 0.275, 5.6e-4, 0.0165, 9.0, 0.07, 0.08, (0.0385, 0.0385, 0.0734)
    ),
}


@contextmanager
def flying(
    cfg: MultirotorCfg, num_envs: int = 3, dt: float = DT, **values: Any
) -> Iterator[tuple[SimulationContext, Multirotor]]:
    """A vehicle in the first environment and in its copies, in its default state."""
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/World/envs/env_0")
    with SimulationContext(SimulationCfg(dt=dt, **values), stage) as sim:
        vehicle = cfg.class_type(cfg)
        clone_environments("/World/envs/env_0", num_envs, 3.0, stage=stage)
        sim.reset()
        start_over(sim, vehicle)
        yield sim, vehicle


def start_over(sim: SimulationContext, vehicle: Multirotor, env_ids: Any = None) -> None:
    """Default pose and velocity in the environments, rotors as at the start."""
    rows = slice(None) if env_ids is None else env_ids
    pose = vehicle.data.default_root_pose.numpy().copy()
    pose[:, :3] += sim.env_origins
    vehicle.write_root_pose_to_sim(pose[rows], env_ids)
    vehicle.write_root_velocity_to_sim(vehicle.data.default_root_vel.numpy()[rows], env_ids)
    vehicle.reset(env_ids)


def rotate(quat: np.ndarray, vector: np.ndarray) -> np.ndarray:
    xyz, w = quat[:, :3], quat[:, 3:]
    twice = 2.0 * np.cross(xyz, vector)
    return vector + w * twice + np.cross(xyz, twice)


def control(craft: Craft, vehicle: Multirotor, goal: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """Thrusts of a controller: position to acceleration, acceleration to attitude, to torque."""
    data = vehicle.data
    quat = data.root_quat_w.numpy()
    axes = [rotate(quat, np.broadcast_to(axis, (len(quat), 3))) for axis in np.eye(3)]
    rotation = np.stack(axes, axis=2)
    velocity, spin = data.root_lin_vel_w.numpy(), data.root_ang_vel_b.numpy()
    error = goal - data.root_pos_w.numpy()
    force = craft.mass * (4.0 * error - 3.6 * velocity + [0.0, 0.0, G])
    up = force / np.linalg.norm(force, axis=1, keepdims=True)
    heading = np.stack([np.cos(yaw), np.sin(yaw), np.zeros_like(yaw)], axis=1)
    left = np.cross(up, heading)
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    desired = np.stack([np.cross(left, up), left, up], axis=2)
    relative = np.einsum("nji,njk->nik", rotation, desired)
    turn = 0.5 * np.stack(
        [
            relative[:, 2, 1] - relative[:, 1, 2],
            relative[:, 0, 2] - relative[:, 2, 0],
            relative[:, 1, 0] - relative[:, 0, 1],
        ],
        axis=1,
    )
    gains, rates = np.array([50.0, 50.0, 6.0]), np.array([11.0, 11.0, 4.5])
    torque = np.array(craft.inertia) * (gains * turn - rates * spin)
    lift = np.einsum("ni,ni->n", force, rotation[:, :, 2])
    matrix = vehicle.allocation_matrix.numpy()[2:]
    return np.hstack([lift[:, None], torque]) @ np.linalg.pinv(matrix).T
