"""Articulation actions: commands to joints, before or after an actuator model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["ArticulationActions"]


@dataclass(kw_only=True)
class ArticulationActions:
    """Joint actions: targets before an actuator model, what the engine gets after it.

    Arrays may come from Warp, NumPy or torch, shape (num_envs, num_joints).
    """

    joint_positions: Any = None
    """Position targets [rad or m]; None: none, the position makes no effort."""
    joint_velocities: Any = None
    """Velocity targets [rad/s or m/s]; None: zero."""
    joint_efforts: Any = None
    """Efforts [N m or N]; None: zero."""
    joint_indices: Sequence[int] | slice | None = None
    """Joints of the articulation they are for; None: all."""
