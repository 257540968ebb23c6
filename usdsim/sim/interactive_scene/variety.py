"""Scenes that choose among several assets, and what is the same in all environments."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Usd, UsdPhysics

from usdsim.spawners import ENV_REGEX_NS, MultiAssetSpawnerCfg, MultiUsdFileCfg
from usdsim.spawners.place import copy_prim, expand
from usdsim.usd.signatures import group_by_content

__all__ = ["chosen_paths", "keep_structure"]

logger = logging.getLogger("usdsim")

_STRUCTURE = ("PhysicsArticulationRootAPI", "PhysicsRigidBodyAPI")
_SOFT = "Deformable"


def chosen_paths(entity: Any) -> Iterator[str]:
    """Prim paths at which an entity of a scene has one of several assets.

    Args:
        entity: its configuration; a collection counts by its bodies.
    """
    bodies = getattr(entity, "rigid_objects", None)
    for body in bodies.values() if isinstance(bodies, dict) else ():
        yield from chosen_paths(body)
    spawn = getattr(entity, "spawn", None)
    if isinstance(spawn, MultiUsdFileCfg):
        several = not isinstance(spawn.usd_path, str | Path) and len(spawn.usd_path) > 1
    else:
        several = isinstance(spawn, MultiAssetSpawnerCfg) and len(spawn.assets_cfg) > 1
    if several:
        yield expand(entity.prim_path)


def keep_structure(stage: Usd.Stage, path: str, environments: Sequence[str]) -> None:
    """Replace the assets of environments by the first one's where bodies or joints differ.

    Worlds are of one model: shapes and numbers may differ between them. A warning tells of it.

    Args:
        stage: the stage.
        path: the asset's prim path, with the expression for environments.
        environments: prim paths of the environments.
    """
    paths = [path.replace(ENV_REGEX_NS, environment) for environment in environments]
    if not all(stage.GetPrimAtPath(own) for own in paths):
        return  # Assets side by side, of which all environments have all.
    groups = group_by_content(stage, paths, np.ones((len(paths), 3)))
    kinds = [_structure(stage.GetPrimAtPath(paths[group.members[0]])) for group in groups]
    if len(groups) == 1 or (kinds[0] is not None and all(kind == kinds[0] for kind in kinds)):
        return
    logger.warning(
        "%s: all environments get the same one of its assets, as their worlds are of one model and "
        "these differ in bodies, joints or deformable meshes. Give it assets with the same ones.",
        path,
    )
    others = [paths[member] for group in groups[1:] for member in group.members]
    for own in others:
        stage.RemovePrim(own)
    copy_prim(stage, paths[0], others)


def _structure(prim: Usd.Prim) -> list[tuple[str, ...]] | None:
    """Bodies, joints and other elements at and below a prim; None: some are deformable."""
    found, start = [], len(str(prim.GetPath()))
    for own in Usd.PrimRange(prim, Usd.TraverseInstanceProxies()):
        applied = own.GetAppliedSchemas()
        if any(_SOFT in name for name in applied):
            return None
        marks = [name for name in applied if name in _STRUCTURE]
        kind = str(own.GetTypeName())
        if own.IsA(UsdPhysics.Joint) or kind.startswith("Mjc"):
            marks.append(kind)
        if marks:
            found.append((str(own.GetPath())[start:], *marks))
    return found
