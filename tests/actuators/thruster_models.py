"""Thrusters to test, and an oracle of their response."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from usdsim.actuators.thrusters.actions import MultiRotorActions
from usdsim.actuators.thrusters.cfg import ThrusterCfg
from usdsim.actuators.thrusters.thruster import Thruster

K = 2.0e-4
ARRAYS = (
    "tau_inc_s",
    "tau_dec_s",
    "thrust_const",
    "curr_thrust",
    "rps",
    "computed_thrust",
    "applied_thrust",
    "applied_torque",
)
RANGES = {
    "tau_inc_range": (0.02, 0.06),
    "tau_dec_range": (0.1, 0.3),
    "thrust_const_range": (1e-4, 3e-4),
}


def make_cfg(**changes: Any) -> ThrusterCfg:
    values: dict[str, Any] = {
        "thruster_names_expr": ["rotor_.*"],
        "thrust_range": (0.0, 10.0),
        "dt": 0.01,
        "rise_time_constant": 0.05,
        "fall_time_constant": 0.1,
        "thrust_const_range": (K, K),
        **changes,
    }
    for pair, single in (
        ("tau_inc_range", "rise_time_constant"),
        ("tau_dec_range", "fall_time_constant"),
    ):
        if pair in changes and single not in changes:
            del values[single]
    return ThrusterCfg(**values)


def make(
    *, envs: int = 2, rotors: int = 4, rps: Any = 0.0, ids: Any = slice(None), **changes: Any
) -> Thruster:
    names = [f"rotor_{i}" for i in range(rotors)]
    return Thruster(make_cfg(**changes), names, ids, envs, "cpu", rps)


def run(thruster: Thruster, thrusts: Any, steps: int = 1) -> np.ndarray:
    """Applied thrust of the first rotor after each step."""
    out = []
    for _ in range(steps):
        action = thruster.compute(MultiRotorActions(thrusts))
        out.append(float(action.thrusts.numpy()[0, 0]))
    return np.array(out)


def speed(thrust: float) -> float:
    return math.copysign(math.sqrt(abs(thrust) / K), thrust)


def thrust_of(rps: Any) -> Any:
    return K * rps * np.abs(rps)


def integrate(
    start: float, target: float, tau: tuple[float, float], limit: float, time: float
) -> float:
    """Rotor speed after some time by many small steps, an oracle that knows no closed form."""
    steps = 20_000
    w, dt = start, time / steps
    for _ in range(steps):
        lag = tau[1] if w * (target - w) < 0.0 else tau[0]
        w += dt * min(max((target - w) / lag, -limit), limit)
    return w


def snapshot(thruster: Thruster) -> dict[str, np.ndarray]:
    return {name: getattr(thruster, name).numpy().copy() for name in ARRAYS}
