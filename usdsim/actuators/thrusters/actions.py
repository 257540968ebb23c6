"""Multirotor actions: thrusts asked of rotors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from usdsim.views.values import Values

__all__ = ["MultiRotorActions"]


@dataclass
class MultiRotorActions:
    """Thrusts asked of some rotors of every vehicle."""

    thrusts: Values | None = None
    """Thrusts along the rotor axes [N], shape (num_envs, num_thrusters)."""
    thruster_indices: Sequence[int] | slice | Any | None = None
    """Rotors of the vehicle that the columns of `thrusts` are; None or ``slice(None)``: all."""
