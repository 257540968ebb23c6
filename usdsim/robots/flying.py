"""Flying robots: multirotors, moved by thrusters."""

from __future__ import annotations

from usdsim._resources import resource_dir
from usdsim.actuators import ThrusterCfg
from usdsim.assets import MultirotorCfg
from usdsim.spawners import UsdFileCfg

__all__ = ["HEXAROTOR_CFG", "QUADROTOR_CFG"]

_ASSETS = resource_dir("assets")


def _craft(name: str, directions: tuple[int, ...], hover: float) -> MultirotorCfg:
    """A multirotor whose rotors turn as hovering needs [1/s]."""
    return MultirotorCfg(
        spawn=UsdFileCfg(usd_path=str(_ASSETS / name / f"{name}.usda")),
        init_state=MultirotorCfg.InitialStateCfg(pos=(0.0, 0.0, 1.0), rps={".*": hover}),
        actuators={
            "rotors": ThrusterCfg(
                thruster_names_expr=["rotor_.*"],
                thrust_range=(0.0, 8.0),
                rise_time_constant=0.05,
                fall_time_constant=0.06,
                thrust_const_range=(2.3e-4, 2.3e-4),
                torque_to_thrust_ratio=0.0132,
            )
        },
        rotor_directions=directions,
    )


QUADROTOR_CFG = _craft("quadrotor", (1, -1, 1, -1), 103.0)
"""Four rotors, 1 kg."""

HEXAROTOR_CFG = _craft("hexarotor", (1, -1, 1, -1, 1, -1), 131.0)
"""Six rotors, 2.4 kg."""
