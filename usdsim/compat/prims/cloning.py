"""Cloning of what functions spawn: the decorator with which programs write spawners."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from usdsim.math.quaternion_order import written_rot
from usdsim.spawners.spawner import SpawnPoint, spawner

__all__ = ["clone"]


def clone(func: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function that spawns one prim do so below every parent that its path matches.

    Args:
        func: takes prim path, configuration, translation and orientation, and returns the prim.
    """
    names = inspect.signature(func).parameters

    @functools.wraps(func)
    def once(at: SpawnPoint, cfg: Any, **own: Any) -> Any:
        if "stage" in names:
            own["stage"] = at.stage
        turn = None if at.orientation is None else written_rot(at.orientation)
        where = {"translation": at.translation, "orientation": turn}
        return func(at.path, cfg, **where, **own)

    return spawner(once)
