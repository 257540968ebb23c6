"""Asset spawning: where the configuration says, in the units and axes of the stage."""

from __future__ import annotations

from typing import Any

import numpy as np

from usdsim.math.rotations import quat_apply, quat_conjugate, quat_multiply
from usdsim.parser.report import Report
from usdsim.parser.units import stage_units
from usdsim.spawners.place import expand, spawn_of

from .cfg import AssetBaseCfg

__all__ = ["spawn_asset"]


def spawn_asset(stage: Any, cfg: AssetBaseCfg) -> None:
    """Spawn an asset under every parent its prim path matches.

    Args:
        stage: the stage.
        cfg: what, and where in a frame with Z up [m].

    Raises:
        StageError: no parent matches, or there is a prim already.
    """
    spawn = cfg.spawn
    if spawn is None:
        return
    units = stage_units(stage, Report())
    to_stage = quat_conjugate(units.to_z_up)
    pos = quat_apply(to_stage, np.asarray(cfg.init_state.pos, float)) / units.length
    rot = quat_multiply(to_stage, cfg.init_state.unit_rot)
    path = expand(cfg.prim_path)
    spawn_of(spawn, path, translation=tuple(pos), orientation=tuple(rot), stage=stage)
