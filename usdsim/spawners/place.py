"""Spawn places: one prim, or the same below every parent that matches."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import MISSING
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pxr import Sdf, Usd

from usdsim.core.errors import InvalidValueError, StageError
from usdsim.math.rotations import quat_normalize
from usdsim.math.transforms import Pose
from usdsim.usd.attributes import from_usd, to_usd
from usdsim.usd.queries import find_prims, path_below
from usdsim.usd.stage import use_stage
from usdsim.usd.xforms import local_pose, set_local_pose

from .cfg import SpawnerCfg

__all__ = [
    "ENV_REGEX_NS",
    "NoParentError",
    "check_path",
    "copy_prim",
    "exists",
    "expand",
    "parents_of",
    "place",
    "spawn_of",
]

ENV_REGEX_NS = "/World/envs/env_.*"
"""Meaning of ``{ENV_REGEX_NS}`` in a prim path: every environment."""

_PLAIN = re.compile(r"[A-Za-z0-9_/]+")


class NoParentError(StageError, RuntimeError):
    """No prim matches the parent part of a prim path."""


def exists(stage: Usd.Stage, path: str) -> bool:
    """Whether a prim is defined at a path."""
    prim = stage.GetPrimAtPath(path)
    return bool(prim) and prim.IsDefined()


def check_path(what: str, path: Any, example: str = "Robot/base", hint: str = "") -> None:
    """Check a prim path or expression of a configuration.

    Args:
        what: the field, for messages.
        path: its value.
        example: path below an environment, or in the world, for messages.
        hint: more to say where it is missing.

    Raises:
        StageError: it is missing, or not absolute.
    """
    if isinstance(path, type(MISSING)) or path is None or path == "":
        raise StageError(f"{what} is missing. Set it, such as '{{ENV_REGEX_NS}}/{example}'{hint}.")
    if not isinstance(path, str) or not re.match(r"(/|\{ENV_REGEX_NS\}/)[^/]", path):
        raise StageError(
            f"{what} is {path!r}; allowed: an absolute path or expression such as "
            f"'/World/{example}' or '{{ENV_REGEX_NS}}/{example}'."
        )


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
        return [path_below(stage, path).rpartition("/")[0]], name
    found = [str(prim.GetPath()) for prim in find_prims(stage, parent)]
    if not found:
        raise NoParentError(
            f"No prim matches {parent!r}, so there is nothing to spawn {name!r} below. Define the "
            "parents first."
        )
    return found, name


def spawn_of(cfg: SpawnerCfg, prim_path: str, *args: Any, stage: Usd.Stage, **where: Any) -> Any:
    """Prim that a configuration's function spawns on a stage.

    A function of the user's need not take a stage: it finds it as the current one.

    Args:
        cfg: the configuration.
        prim_path: where.
        *args: arguments of its function, such as the translation.
        stage: the stage.
        **where: more arguments of its function by name.
    """
    parameters = inspect.signature(cfg.func).parameters.values()
    if any(p.name == "stage" or p.kind is p.VAR_KEYWORD for p in parameters):
        return cfg.func(prim_path, cfg, *args, **where, stage=stage)
    with use_stage(stage):
        return cfg.func(prim_path, cfg, *args, **where)


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


def place(
    prim: Usd.Prim,
    translation: ArrayLike | None,
    orientation: ArrayLike | None,
    scale: ArrayLike | None = None,
) -> None:
    """Set the transform of a prim in the stage's units: translate, orient and scale operations.

    Parts that are None stay as they are authored, on what the prim refers to for example.

    Raises:
        InvalidValueError: a part has other numbers than it can have.
    """
    (pose, factors), path, types = local_pose(prim), prim.GetPath(), Sdf.ValueTypeNames
    pos, quat = pose.pos, pose.quat
    if translation is not None:
        pos = from_usd(to_usd(translation, types.Double3, f"translation of {path}"))
    if orientation is not None:
        turn = from_usd(to_usd(orientation, types.Double4, f"orientation of {path}"))
        if not np.any(turn):
            allowed = "a quaternion in the order x, y, z, w, not all zero"
            raise InvalidValueError(f"orientation of {path}", orientation, allowed)
        quat = quat_normalize(turn)
    set_local_pose(prim, Pose(pos, quat), factors if scale is None else scale)
