"""Asset spawning: where the configuration says, in the units and axes of the stage."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from usdsim.core.errors import StageError
from usdsim.math.quaternion_order import written_rot
from usdsim.math.rotations import quat_apply, quat_conjugate, quat_multiply
from usdsim.parser.report import Report
from usdsim.parser.units import stage_units
from usdsim.spawners.place import expand, spawn_of
from usdsim.usd.instancers import find_copies
from usdsim.usd.queries import find_prims

from .cfg import AssetBaseCfg

__all__ = ["ensure_prims", "spawn_asset"]

_PLAIN = re.compile(r"\w+")


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
    spawn_of(spawn, path, translation=tuple(pos), orientation=written_rot(rot), stage=stage)


def ensure_prims(stage: Any, cfg: AssetBaseCfg, what: str) -> None:
    """Spawn an asset where its configuration has a spawner; its prims are there afterwards.

    Args:
        stage: the stage.
        cfg: the asset.
        what: what it is, for messages.

    Raises:
        StageError: no parent matches, there is a prim where one is to be spawned, or there is none.
    """
    path = expand(cfg.prim_path)
    name = path.rsplit("/", 1)[-1]
    if cfg.spawn is not None and _PLAIN.fullmatch(name):
        spawn_asset(stage, cfg)
    if find_prims(stage, path) or find_copies(stage, path):
        return
    remedy = "Set `spawn`, or define the prim first."
    if cfg.spawn is not None:
        remedy = f"Nothing was spawned, as {name!r} is no name of a prim: letters, digits, _."
    raise StageError(f"No prim matches {path!r}, the prim path of {what}. {remedy}")
