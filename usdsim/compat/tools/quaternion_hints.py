"""Hints about quaternions of configurations that are likely to be written in another order."""

from __future__ import annotations

import logging
from typing import Any

from usdsim.assets import AssetBaseCfg
from usdsim.math.quaternion_order import quaternion_order

__all__ = ["quaternion_hints"]

logger = logging.getLogger("usdsim")

_STATE = AssetBaseCfg.InitialStateCfg
_VALIDATE = _STATE.validate
_told: list[str] = []
"""Fields that were told of: the first one only."""


def _validate(state: Any, where: str) -> None:
    """Check every value, and tell of a rotation that is none where w is first."""
    _VALIDATE(state, where)
    half_turn = [abs(float(value)) for value in state.rot] == [1.0, 0.0, 0.0, 0.0]
    if half_turn and not _told and quaternion_order() == "xyzw":
        _told.append(where)
        logger.warning(
            "%s.rot is %s, half a turn about x: quaternions are xyzw here, as in Isaac Lab 3.x. "
            "Where the program writes them wxyz, as for 1.x and 2.x, run it with "
            "USDSIM_QUATERNION_ORDER=wxyz.",
            where,
            tuple(state.rot),
        )


def quaternion_hints() -> dict[type, dict[str, Any]]:
    """Classes, and the names that they get, which tell of such rotations once."""
    _told.clear()
    return {_STATE: {"validate": _validate}}
