"""Multi-asset spawners: several assets over several parents."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from numpy.typing import ArrayLike
from pxr import Usd

from usdsim.core.errors import InvalidValueError
from usdsim.usd.stage import stage_or_current

from .cfg import DeformableObjectSpawnerCfg, RigidObjectSpawnerCfg, SpawnerCfg
from .files import UsdFileCfg
from .place import copy_prim, parents_of, spawn_of
from .rollback import rolled_back_on_error

__all__ = [
    "MultiAssetSpawnerCfg",
    "MultiUsdFileCfg",
    "spawn_multi_asset",
    "spawn_multi_usd_file",
]

_ANY = ".*"
_SHARED = ("mass_props", "rigid_props", "collision_props", "activate_contact_sensors")


def spawn_multi_asset(
    prim_path: str,
    cfg: MultiAssetSpawnerCfg,
    translation: ArrayLike | None = None,
    orientation: ArrayLike | None = None,
    *,
    stage: Usd.Stage | None = None,
) -> Usd.Prim:
    """Spawn one of several assets below every parent, or all of them side by side.

    Args:
        prim_path: the prim; its parent part may be a pattern. Where its name has ``.*``, all assets
            are spawned below every parent, with their numbers instead of that.
        cfg: the assets, and whether they are drawn by chance or in turn.
        translation: position in the parent's frame, in stage units; None: the origin.
        orientation: orientation in the parent's frame, xyzw; None: none.
        stage: where to spawn; None: the current stage.

    Returns:
        The first prim.

    Raises:
        ValueError: there are no assets, there is a prim at the path already, or there are not as
            many `spawn_paths` as assets.
        RuntimeError: no parent matches.
    """
    cfg.validate()
    where = stage_or_current(stage)
    assets = [_specific(asset, cfg) for asset in cfg.assets_cfg]
    if not assets:
        raise InvalidValueError("MultiAssetSpawnerCfg.assets_cfg", assets, "one asset or more")
    places = _places(prim_path, cfg, where)
    targets: dict[int, list[str]] = {}
    for path, chosen in places.items():
        targets.setdefault(chosen, []).append(path)
    with rolled_back_on_error(where, *places):
        for chosen, paths in targets.items():
            asset = assets[chosen]
            spawn_of(asset, paths[0], translation, orientation, stage=where)
            copy_prim(where, paths[0], paths[1:])
    return where.GetPrimAtPath(next(iter(places), "/"))


def _places(prim_path: str, cfg: MultiAssetSpawnerCfg, stage: Usd.Stage) -> dict[str, int]:
    """Number of the asset to spawn, by prim path.

    Raises:
        InvalidValueError: there are not as many `spawn_paths` as assets.
        StageError: see `parents_of`.
    """
    count, given = len(cfg.assets_cfg), cfg.spawn_paths
    if given is not None:
        if len(given) != count:
            allowed = f"{count} paths, one for each asset, or None for those to leave out"
            raise InvalidValueError("MultiAssetSpawnerCfg.spawn_paths", list(given), allowed)
        return {path: i for i, path in enumerate(given) if path is not None}
    head, _, last = str(prim_path).rpartition("/")
    parents, name = parents_of(f"{head}/{last.replace(_ANY, '0')}", stage)
    if _ANY in last:
        names = [last.replace(_ANY, str(i)) for i in range(count)]
        return {f"{parent}/{one}": i for parent in parents for i, one in enumerate(names)}
    chance = random if cfg.seed is None else random.Random(int(cfg.seed))
    turns = (chance.randrange(count) if cfg.random_choice else i for i in itertools.count())
    return {f"{parent}/{name}": i % count for parent, i in zip(parents, turns, strict=False)}


def _specific(asset: SpawnerCfg, cfg: MultiAssetSpawnerCfg) -> SpawnerCfg:
    """An asset with the properties that are stated for all of them."""
    changes = {
        field: getattr(cfg, field)
        for field in _SHARED
        if hasattr(asset, field) and getattr(cfg, field)
    }
    return dataclasses.replace(asset, **changes) if changes else asset


def spawn_multi_usd_file(
    prim_path: str,
    cfg: MultiUsdFileCfg,
    translation: ArrayLike | None = None,
    orientation: ArrayLike | None = None,
    *,
    stage: Usd.Stage | None = None,
) -> Usd.Prim:
    """Spawn one of several USD files below every parent; see `spawn_multi_asset`."""
    cfg.validate()
    paths = [cfg.usd_path] if isinstance(cfg.usd_path, (str, Path)) else list(cfg.usd_path)
    skipped = {"func", "usd_path", "random_choice", "seed"}
    common = {
        field.name: getattr(cfg, field.name)
        for field in dataclasses.fields(UsdFileCfg)
        if field.name not in skipped
    }
    several = MultiAssetSpawnerCfg(
        assets_cfg=[UsdFileCfg(usd_path=path, **common) for path in paths],
        random_choice=cfg.random_choice,
        seed=cfg.seed,
    )
    return spawn_multi_asset(prim_path, several, translation, orientation, stage=stage)


@dataclass(kw_only=True)
class MultiAssetSpawnerCfg(RigidObjectSpawnerCfg, DeformableObjectSpawnerCfg):
    """Several assets, one per parent; properties stated here are those of all of them."""

    func: Callable[..., Usd.Prim] = spawn_multi_asset
    assets_cfg: Sequence[SpawnerCfg]
    """The assets."""
    spawn_paths: Sequence[str | None] | None = None
    """Prim path of each asset, where given; None among them: that one is not spawned."""
    random_choice: bool = True
    """Whether assets are drawn by chance; otherwise in turn."""
    seed: int | None = None
    """Makes chance repeatable; None: the numbers are those of Python's ``random``."""


@dataclass(kw_only=True)
class MultiUsdFileCfg(UsdFileCfg):
    """Several USD files, one per parent."""

    func: Callable[..., Usd.Prim] = spawn_multi_usd_file
    usd_path: str | Path | Sequence[str | Path]  # type: ignore[assignment]
    """The files."""
    variants: Mapping[str, str] | object | None = None
    """Variant by variant set, for all files."""
    random_choice: bool = True
    """Whether files are drawn by chance; otherwise in turn."""
    seed: int | None = None
    """Makes chance repeatable; None: the numbers are those of Python's ``random``."""
