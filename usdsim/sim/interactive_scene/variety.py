"""Scenes that choose among several assets, and whether environments can have one each."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from usdsim.spawners import (
    CapsuleCfg,
    CuboidCfg,
    CylinderCfg,
    MultiAssetSpawnerCfg,
    MultiUsdFileCfg,
    SphereCfg,
)

__all__ = ["chooses_assets", "differs_in_numbers", "tell_same_assets"]

logger = logging.getLogger("usdsim")

_SHAPES = (CapsuleCfg, CuboidCfg, CylinderCfg, SphereCfg)


def chooses_assets(entities: Iterable[Any]) -> list[tuple[str, list[Any]]]:
    """Assets of a scene of which there are several to choose from.

    Args:
        entities: configurations of what the scene consists of; collections count by their bodies.

    Returns:
        Prim path of each, and the configurations or files to choose from.
    """
    return [(path, several) for path, several in _choices(entities) if len(several) > 1]


def differs_in_numbers(assets: list[Any]) -> bool:
    """Whether assets are shapes of one kind or one file, so that worlds of one model have them."""
    kinds = {type(asset) for asset in assets}
    if len(kinds) > 1:
        return False
    files = {str(getattr(asset, "usd_path", asset)) for asset in assets}
    return isinstance(assets[0], _SHAPES) or len(files) == 1


def tell_same_assets(chosen: Iterable[tuple[str, list[Any]]]) -> None:
    """Warn that all environments get the same one of several assets."""
    for path, assets in chosen:
        logger.warning(
            "%s: all environments get the same one of its %d assets, as their worlds are of one "
            "model and these differ in more than numbers. Give it shapes of one kind, or one file.",
            path,
            len(assets),
        )


def _choices(entities: Iterable[Any]) -> Iterator[tuple[str, list[Any]]]:
    for entity in entities:
        bodies = getattr(entity, "rigid_objects", None)
        if isinstance(bodies, dict):
            yield from _choices(bodies.values())
        spawn = getattr(entity, "spawn", None)
        if isinstance(spawn, MultiAssetSpawnerCfg):
            yield entity.prim_path, list(spawn.assets_cfg)
        elif isinstance(spawn, MultiUsdFileCfg) and not isinstance(spawn.usd_path, str | Path):
            yield entity.prim_path, list(spawn.usd_path)
