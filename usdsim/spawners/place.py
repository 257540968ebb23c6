"""Spawn places: one prim, or the same below every parent that matches."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pxr import Sdf, Tf, Usd, UsdGeom

from usdsim.core.errors import StageError
from usdsim.math.rotations import quat_normalize
from usdsim.math.transforms import Pose
from usdsim.schemas import activate_contact_sensors
from usdsim.usd.attributes import author, from_usd, to_usd
from usdsim.usd.prims import define_prim
from usdsim.usd.queries import find_prims
from usdsim.usd.schemas import apply_api
from usdsim.usd.stage import current_stage
from usdsim.usd.xforms import set_local_pose

from .begun import whole
from .cfg import RigidObjectSpawnerCfg, SpawnerCfg

__all__ = [
    "ENV_REGEX_NS",
    "NoParentError",
    "copy_prim",
    "define_root",
    "exists",
    "expand",
    "finish",
    "parents_of",
    "place",
    "spawner",
]

ENV_REGEX_NS = "/World/envs/env_.*"
"""Meaning of ``{ENV_REGEX_NS}`` in a prim path: every environment."""

_UNTURNED = np.array([0.0, 0.0, 0.0, 1.0])
_PLAIN = re.compile(r"[A-Za-z0-9_/]+")

SpawnFunction = Callable[..., Usd.Prim]


class NoParentError(StageError, RuntimeError):
    """No prim matches the parent part of a prim path."""


def exists(stage: Usd.Stage, path: str) -> bool:
    """Whether a prim is defined at a path."""
    prim = stage.GetPrimAtPath(path)
    return bool(prim) and prim.IsDefined()


def expand(prim_path: str) -> str:
    """A prim path with ``{ENV_REGEX_NS}`` replaced."""
    return prim_path.replace("{ENV_REGEX_NS}", ENV_REGEX_NS)


def parents_of(prim_path: str, stage: Usd.Stage) -> tuple[list[str], str]:
    """Paths of the parents to spawn below, and the name of what is spawned.

    Args:
        prim_path: absolute path whose parent part may be a pattern, ``/World/env_.*/cube``.
        stage: where to look.

    Raises:
        StageError: the path is not absolute, its last part is a pattern, or no parent matches.
    """
    path = expand(str(prim_path))
    if not path.startswith("/"):
        raise StageError(
            f"Prim path {prim_path!r} is not global: it has to begin with '/', as in '/World/cube'."
        )
    parent, name = path.rsplit("/", 1)
    if not Sdf.Path.IsValidIdentifier(name):
        raise StageError(
            f"{prim_path!r} does not end with the name of one prim. Only the part before the last "
            "'/' may be a pattern."
        )
    if not parent or _PLAIN.fullmatch(parent):
        return [parent], name
    found = [str(prim.GetPath()) for prim in find_prims(stage, parent)]
    if not found:
        raise NoParentError(
            f"No prim matches {parent!r}, so there is nothing to spawn {name!r} below. Define the "
            "parents first."
        )
    return found, name


def spawner(function: SpawnFunction) -> SpawnFunction:
    """Make a function that spawns one prim accept parent patterns and the common options.

    The function is called once, for the first parent; the other parents get copies.
    """

    @functools.wraps(function)
    def spawn(
        prim_path: str,
        cfg: SpawnerCfg,
        translation: ArrayLike | None = None,
        orientation: ArrayLike | None = None,
        *,
        stage: Usd.Stage | None = None,
        **kwargs: Any,
    ) -> Usd.Prim:
        cfg.validate()
        where = stage if stage is not None else current_stage()
        parents, name = parents_of(prim_path, where)
        first, *others = (f"{parent}/{name}" for parent in parents)
        for path in others:
            if exists(where, path):
                raise StageError(f"A prim at {path} exists already. Remove it first.")
        with whole(where, first, *_materials(cfg)):
            prim = function(first, cfg, translation, orientation, stage=where, **kwargs)
            finish(prim, cfg)
        # Parents that refer to the first one have it now.
        left = [path for path in others if not exists(where, path)]
        copy_prim(where, first, left, cfg.copy_from_source)
        return prim

    return spawn


def _materials(cfg: SpawnerCfg) -> list[str]:
    """Paths of materials that lie elsewhere than below what is spawned."""
    paths = [getattr(cfg, f"{kind}_material_path", "") for kind in ("visual", "physics")]
    return [path for path in paths if path.startswith("/")]


def finish(prim: Usd.Prim, cfg: SpawnerCfg) -> None:
    """Apply what all configurations have in common: visibility, labels, contact sensors."""
    if not cfg.visible and prim.IsA(UsdGeom.Imageable):
        UsdGeom.Imageable(prim).MakeInvisible()
    for kind, label in cfg.semantic_tags or ():
        instance = Tf.MakeValidIdentifier(kind)
        apply_api(prim, "SemanticsLabelsAPI", instance)
        author(prim, f"semantics:labels:{instance}", "token[]", [label])
    if isinstance(cfg, RigidObjectSpawnerCfg) and cfg.activate_contact_sensors:
        activate_contact_sensors(str(prim.GetPath()), stage=prim.GetStage())


def copy_prim(stage: Usd.Stage, source: str, targets: Sequence[str], copy: bool = True) -> None:
    """Copy a prim, with what is below it, in the layer that is edited.

    Args:
        stage: the stage.
        source: what to copy.
        targets: paths of the copies; their parents exist.
        copy: whether to copy the prims; otherwise each target refers to the source.
    """
    layer = stage.GetEditTarget().GetLayer()
    origin = layer.GetPrimAtPath(source)
    if not targets:
        return
    if origin is None:
        raise StageError(f"{source} is not authored in the layer that is edited; nothing to copy.")
    with Sdf.ChangeBlock():
        for target in targets:
            if copy:
                Sdf.CreatePrimInLayer(layer, Sdf.Path(target).GetParentPath())
                Sdf.CopySpec(layer, source, layer, target)
                continue
            spec = Sdf.CreatePrimInLayer(layer, target)
            spec.specifier = Sdf.SpecifierDef
            spec.typeName = origin.typeName
            spec.referenceList.prependedItems = [Sdf.Reference("", source)]


def define_root(
    stage: Usd.Stage,
    path: str,
    type_name: str = "Xform",
    translation: ArrayLike | None = None,
    orientation: ArrayLike | None = None,
    scale: ArrayLike | None = None,
) -> Usd.Prim:
    """Define the prim everything else is spawned below, and place it.

    Args:
        stage: the stage.
        path: prim path.
        type_name: schema type.
        translation: position in the parent's frame, in stage units; None: the origin.
        orientation: orientation in the parent's frame, xyzw; None: none.
        scale: per axis; None: none.

    Raises:
        StageError: there is a prim at the path already.
    """
    if exists(stage, path):
        raise StageError(f"A prim at {path} exists already. Remove it, or spawn under a new name.")
    prim = define_prim(stage, path, type_name)
    place(prim, translation, orientation, scale)
    return prim


def place(
    prim: Usd.Prim,
    translation: ArrayLike | None,
    orientation: ArrayLike | None,
    scale: ArrayLike | None = None,
) -> None:
    """Set the transform of a prim, in the stage's units."""
    pos, quat, path, types = np.zeros(3), _UNTURNED, prim.GetPath(), Sdf.ValueTypeNames
    if translation is not None:
        pos = from_usd(to_usd(translation, types.Double3, f"translation of {path}"))
    if orientation is not None:
        turn = to_usd(orientation, types.Double4, f"orientation of {path}")
        quat = quat_normalize(from_usd(turn))
    set_local_pose(prim, Pose(pos, quat), scale)
