"""Stages under the names of Isaac Lab: made, opened, saved, cleared, and the current one."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pxr import Sdf, Usd, UsdGeom, UsdUtils

from usdsim.converters.spawn import MjcfFileCfg, UrdfFileCfg
from usdsim.core.errors import InvalidValueError
from usdsim.spawners import RigidBodyMaterialCfg as PhysxRigidBodyMaterialCfg
from usdsim.usd.stage import USD_SUFFIXES, create_stage, current_stage, stage_or_current
from usdsim.usd.stage import open_stage as _open
from usdsim.usd.stage import save_stage as _save
from usdsim.usd.stage import use_stage as _use

__all__ = [
    "MjcfFileCfg",
    "PhysxRigidBodyMaterialCfg",
    "UrdfFileCfg",
    "clear_stage",
    "close_stage",
    "create_new_stage",
    "create_new_stage_in_memory",
    "export_prim_to_file",
    "get_current_stage",
    "get_current_stage_id",
    "is_current_stage_in_memory",
    "is_stage_loading",
    "open_stage",
    "resolve_paths",
    "save_stage",
    "update_stage",
    "use_stage",
]

logger = logging.getLogger("usdsim")

_OPEN = ExitStack()
"""Keeps the stages that were made current so."""


def get_current_stage(fabric: bool = False) -> Usd.Stage:
    """The current stage; `fabric` has no effect."""
    return current_stage()


def get_current_stage_id() -> int:
    """Number of the current stage in OpenUSD's cache of stages, which it enters."""
    return int(UsdUtils.StageCache.Get().Insert(current_stage()).ToLongInt())


def is_current_stage_in_memory() -> bool:
    """Whether the current stage has no file."""
    return bool(current_stage().GetRootLayer().anonymous)


def create_new_stage() -> Usd.Stage:
    """A new stage in memory, which is the current one until `close_stage`."""
    return _OPEN.enter_context(_use(create_stage()))


def open_stage(usd_path: str) -> Usd.Stage:
    """Open a file's stage, which is the current one until `close_stage`.

    Raises:
        InvalidValueError: the name does not end as one of a stage.
        FileError: the file is missing, unreadable or malformed.
    """
    _require_suffix(usd_path)
    return _OPEN.enter_context(_use(_open(usd_path)))


def save_stage(usd_path: str, save_and_reload_in_place: bool = True) -> bool:
    """Save the current stage under a name.

    Args:
        usd_path: the file.
        save_and_reload_in_place: whether the file's stage is the current one from then on.

    Returns:
        Whether it was saved.

    Raises:
        InvalidValueError: the name does not end as one of a stage.
        FileError: the file cannot be written.
    """
    _require_suffix(usd_path)
    _save(current_stage(), usd_path)
    if save_and_reload_in_place:
        open_stage(usd_path)
    return True


def _require_suffix(path: str) -> None:
    if Path(path).suffix not in USD_SUFFIXES:
        allowed = f"a file that ends with {', '.join(USD_SUFFIXES)}; others are not supported"
        raise InvalidValueError("usd_path", str(path), allowed)


@contextmanager
def use_stage(stage: Usd.Stage) -> Iterator[Usd.Stage]:
    """Make a stage the current one inside a ``with`` block.

    Raises:
        TypeError: it is no stage.
    """
    if not isinstance(stage, Usd.Stage):
        raise TypeError(f"use_stage takes a Usd.Stage, not {type(stage).__name__}.")
    with _use(stage):
        yield stage


def create_new_stage_in_memory() -> Usd.Stage:
    """The same as `create_new_stage`, whose stages have no files."""
    return create_new_stage()


def is_stage_loading() -> bool:
    """Whether files of the stage are still to come: never, as it is open once all are there."""
    return False


def close_stage(callback_fn: Callable[[bool, str], None] | None = None) -> bool:
    """Let go of the stages that `create_new_stage` made; what was current before is so again.

    Args:
        callback_fn: called at the end, with whether that went well and an empty text.
    """
    _OPEN.close()
    if callback_fn is not None:
        callback_fn(True, "")
    return True


def clear_stage(predicate: Callable[[Usd.Prim], bool] | None = None) -> None:
    """Remove prims from the current stage.

    Args:
        predicate: which of them go, each with all below it; None: all.
    """
    stage = current_stage()
    waiting = list(stage.GetPseudoRoot().GetAllChildren())
    while waiting:
        prim = waiting.pop()
        if predicate is None or predicate(prim):
            stage.RemovePrim(prim.GetPath())
        else:
            waiting.extend(prim.GetAllChildren())


def resolve_paths(
    src_layer_identifier: str, dst_layer_identifier: str, store_relative_path: bool = True
) -> None:
    """Let what a copied layer refers to be found from where the copy is.

    A layer that is not there is told of, and nothing is changed then.

    Args:
        src_layer_identifier: the layer as it was.
        dst_layer_identifier: its copy, which is changed.
        store_relative_path: whether paths are relative to the copy, rather than absolute.
    """
    names = src_layer_identifier, dst_layer_identifier
    source, target = layers = [Sdf.Layer.FindOrOpen(name) for name in names]
    for name, layer in zip(names, layers, strict=True):
        if layer is None:
            logger.warning("There is no layer %s, so paths stay as they are.", name)
            return
    folder = Path(target.realPath).parent

    def moved(path: str) -> str:
        found = source.ComputeAbsolutePath(path) if path else path
        if not (found and Path(found).exists()):
            return path
        if not store_relative_path:
            return found
        try:
            way = Path(os.path.relpath(found, folder)).as_posix()
        except ValueError:  # another drive
            return found
        return way if way.startswith("../") else f"./{way}"

    UsdUtils.ModifyAssetPaths(target, moved)


def export_prim_to_file(
    path: str | Path,
    source_prim_path: str | Sdf.Path,
    target_prim_path: str | Sdf.Path | None = None,
    stage: Usd.Stage | None = None,
) -> None:
    """Copy what the stage's own layer says of a prim to a file, as its default prim.

    Args:
        path: the file; what it has already stays.
        source_prim_path: the prim.
        target_prim_path: its path in the file; None: the same.
        stage: the stage; None: the current one.

    Raises:
        InvalidValueError: a path is not absolute.
    """
    stage = stage_or_current(stage)
    source = Sdf.Path(str(source_prim_path))
    target = Sdf.Path(str(target_prim_path or source_prim_path))
    for name, given in (("source_prim_path", source), ("target_prim_path", target)):
        if not given.IsAbsolutePath():
            raise InvalidValueError(name, str(given), "a path that starts with '/'")
    layer = Sdf.Find(str(path)) or Sdf.Layer.CreateNew(str(path))
    copy = Usd.Stage.Open(layer)
    UsdGeom.SetStageUpAxis(copy, UsdGeom.GetStageUpAxis(stage))
    UsdGeom.SetStageMetersPerUnit(copy, UsdGeom.GetStageMetersPerUnit(stage))
    Sdf.CreatePrimInLayer(layer, target)
    Sdf.CopySpec(stage.GetRootLayer(), source, layer, target)
    layer.defaultPrim = target.name
    resolve_paths(stage.GetRootLayer().identifier, layer.identifier)
    layer.Save()


def update_stage() -> None:
    """Nothing: edits of a stage act at once."""
