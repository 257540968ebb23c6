"""Spawning robot files: converted on first use, then referenced like any USD file."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from numpy.typing import ArrayLike
from pxr import Usd

from usdsim.spawners.files import FileCfg, reference_file
from usdsim.spawners.place import spawner

from .base import MjcfConverter, UrdfConverter
from .cfg import AssetConverterBaseCfg, MjcfConverterCfg, UrdfConverterCfg

__all__ = ["MjcfFileCfg", "UrdfFileCfg", "spawn_from_mjcf", "spawn_from_urdf"]

C = TypeVar("C", bound=AssetConverterBaseCfg)


def _part(cfg: Any, cls: type[C]) -> C:
    """The converter's share of a configuration that is both."""
    return cls(**{field.name: getattr(cfg, field.name) for field in dataclasses.fields(cls)})


@spawner
def spawn_from_urdf(
    prim_path: str,
    cfg: UrdfFileCfg,
    translation: ArrayLike | None = None,
    orientation: ArrayLike | None = None,
    *,
    stage: Usd.Stage,
) -> Usd.Prim:
    """Spawn a URDF file, converting it if it was not converted before or has changed.

    Args:
        prim_path: the prim; its parent part may be a pattern.
        cfg: the file, how to convert it, and properties to write over its own.
        translation: position in the parent's frame, in stage units; None: the origin.
        orientation: orientation in the parent's frame, xyzw; None: none.
        stage: where to spawn; None: the current stage.

    Raises:
        OSError: the file does not exist or is not a URDF file.
        ConversionError: it cannot be converted.
        RuntimeError: no parent matches.
    """
    usd_path = UrdfConverter(_part(cfg, UrdfConverterCfg)).usd_path
    return reference_file(prim_path, usd_path, cfg, translation, orientation, stage)


@spawner
def spawn_from_mjcf(
    prim_path: str,
    cfg: MjcfFileCfg,
    translation: ArrayLike | None = None,
    orientation: ArrayLike | None = None,
    *,
    stage: Usd.Stage,
) -> Usd.Prim:
    """Spawn an MJCF file; see `spawn_from_urdf`."""
    usd_path = MjcfConverter(_part(cfg, MjcfConverterCfg)).usd_path
    return reference_file(prim_path, usd_path, cfg, translation, orientation, stage)


@dataclass(kw_only=True)
class UrdfFileCfg(FileCfg, UrdfConverterCfg):
    """A URDF file, how to convert it, and properties to write over its own."""

    func: Callable[..., Usd.Prim] = spawn_from_urdf


@dataclass(kw_only=True)
class MjcfFileCfg(FileCfg, MjcfConverterCfg):
    """An MJCF file, how to convert it, and properties to write over its own."""

    func: Callable[..., Usd.Prim] = spawn_from_mjcf
