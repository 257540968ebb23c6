"""Joint limits of articulations: finite where joints have none, as PhysX tells them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import warp as wp

from usdsim.assets.articulation.joint_data import JointData
from usdsim.views.usable import usable

__all__ = ["finite_limits"]

_SPEED = math.radians(1e6)
_LIMITS = {
    "joint_vel_limits": _SPEED,
    "soft_joint_vel_limits": _SPEED,
    "joint_effort_limits": float(np.finfo(np.float32).max),
}
"""Quantities, and what they are where nothing limits a joint [m/s or rad/s, N or N m]."""


class _Finite:
    """A quantity of joints without infinite numbers; reading it needs torch.

    Args:
        own: the quantity, which views find on the class.
        largest: what stands for infinity.
    """

    def __init__(self, own: Any, largest: float):
        self._own, self._largest = own, largest

    def __get__(self, owner: JointData | None, kind: type | None = None) -> Any:
        values = self._own.__get__(owner, kind)
        if owner is None:
            return values
        limits = values.torch
        return usable(wp.from_torch(limits.masked_fill(limits == math.inf, self._largest)))


def finite_limits() -> dict[str, Any]:
    """Quantities of joints that programs multiply or draw numbers below, by name.

    Zero times an infinite limit is not a number, and neither is what is drawn below one.
    """
    return {name: _Finite(vars(JointData)[name], largest) for name, largest in _LIMITS.items()}
