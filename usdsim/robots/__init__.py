"""Robot configurations: the shipped robots, ready to be spawned and simulated.

Each is an `ArticulationCfg` or `MultirotorCfg` without a prim path::

    robot = QUADRUPED_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")

so that a scene swaps its robot in one line. Each starts where it can stand or be controlled.
"""

from __future__ import annotations

from .arms import ARM7_CFG, ARM_CFG, HAND_CFG
from .classic import ANT_CFG, CARTPOLE_CFG
from .flying import HEXAROTOR_CFG, QUADROTOR_CFG
from .legged import HUMANOID_CFG, QUADRUPED_CFG

__all__ = [
    "ANT_CFG",
    "ARM7_CFG",
    "ARM_CFG",
    "CARTPOLE_CFG",
    "HAND_CFG",
    "HEXAROTOR_CFG",
    "HUMANOID_CFG",
    "QUADROTOR_CFG",
    "QUADRUPED_CFG",
]
