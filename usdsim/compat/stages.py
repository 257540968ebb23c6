"""Stage helpers under the names of Isaac Lab: the current stage, prims made and prims found."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pxr import Gf, Usd, UsdGeom

from usdsim.converters.spawn import MjcfFileCfg, UrdfFileCfg
from usdsim.core.errors import StageError
from usdsim.spawners import MeshSquareCfg as MeshRectangleCfg
from usdsim.spawners import RigidBodyMaterialCfg as PhysxRigidBodyMaterialCfg
from usdsim.spawners.place import expand
from usdsim.usd.prims import define_prim, get_prim
from usdsim.usd.queries import find_prims, traverse
from usdsim.usd.stage import create_stage, current_stage, use_stage
from usdsim.usd.xforms import Pose, set_local_pose

__all__ = [
    "MeshRectangleCfg",
    "MjcfFileCfg",
    "PhysxRigidBodyMaterialCfg",
    "UrdfFileCfg",
    "close_stage",
    "create_new_stage",
    "create_prim",
    "delete_prim",
    "find_first_matching_prim",
    "find_matching_prim_paths",
    "find_matching_prims",
    "get_all_matching_child_prims",
    "get_current_stage",
    "get_first_matching_child_prim",
    "is_prim_path_valid",
    "update_stage",
]

_OPEN = ExitStack()
"""Keeps the stages that were made current so."""

Predicate = Callable[[Usd.Prim], bool]


def get_current_stage(fabric: bool = False) -> Usd.Stage:
    """The current stage; `fabric` has no effect."""
    return current_stage()


def create_new_stage() -> Usd.Stage:
    """A new stage in memory, which is the current one until `close_stage`."""
    return _OPEN.enter_context(use_stage(create_stage()))


def close_stage() -> None:
    """Let go of the stages that `create_new_stage` made; what was current before is so again."""
    _OPEN.close()


def create_prim(
    prim_path: str,
    prim_type: str = "Xform",
    position: ArrayLike | None = None,
    translation: ArrayLike | None = None,
    orientation: ArrayLike | None = None,
    scale: ArrayLike | None = None,
    usd_path: str | None = None,
    semantic_label: str | None = None,
    attributes: Mapping[str, Any] | None = None,
    stage: Usd.Stage | None = None,
) -> Usd.Prim:
    """Define a prim with a pose in its parent's frame.

    Args:
        prim_path: where; nothing may be there yet.
        prim_type: type of the prim.
        position: position in world [stage units].
        translation: position in the parent's frame [stage units].
        orientation: unit quaternion xyzw; None: identity.
        scale: factors along the axes; None: 1.
        usd_path: a file to refer to.
        semantic_label: accepted, without effect.
        attributes: values of attributes by name.
        stage: the stage; None: the current one.

    Raises:
        StageError: there is a prim already, or both positions are given.
    """
    stage = stage if stage is not None else current_stage()
    if stage.GetPrimAtPath(prim_path):
        raise StageError(f"There is a prim at {prim_path} already. Choose another path.")
    if position is not None and translation is not None:
        raise StageError(f"{prim_path} is given both position and translation. Give one of them.")
    prim = define_prim(stage, prim_path, prim_type)
    if usd_path is not None:
        prim.GetReferences().AddReference(str(usd_path))
    place = translation
    if position is not None:
        world = UsdGeom.Xformable(prim).ComputeParentToWorldTransform(Usd.TimeCode.Default())
        place = world.GetInverse().Transform(Gf.Vec3d(*(float(x) for x in np.ravel(position))))
    if place is not None or orientation is not None or scale is not None:
        pose = Pose(
            np.asarray(place if place is not None else (0.0, 0.0, 0.0), np.float64),
            np.asarray(orientation if orientation is not None else (0, 0, 0, 1), np.float64),
        )
        set_local_pose(prim, pose, scale=scale)
    for name, value in (attributes or {}).items():
        prim.GetAttribute(name).Set(value)
    return prim


def delete_prim(prim_path: str, stage: Usd.Stage | None = None) -> bool:
    """Remove a prim from the stage's edit target; returns whether it was there."""
    return bool((stage or current_stage()).RemovePrim(prim_path))


def is_prim_path_valid(prim_path: str, stage: Usd.Stage | None = None) -> bool:
    """Whether there is a prim at a path."""
    return bool((stage or current_stage()).GetPrimAtPath(prim_path))


def find_matching_prims(prim_path_regex: str, stage: Usd.Stage | None = None) -> list[Usd.Prim]:
    """Prims whose paths match an expression, segment by segment."""
    return find_prims(stage or current_stage(), expand(prim_path_regex))


def find_matching_prim_paths(prim_path_regex: str, stage: Usd.Stage | None = None) -> list[str]:
    """Paths of the prims whose paths match an expression, segment by segment."""
    return [str(prim.GetPath()) for prim in find_matching_prims(prim_path_regex, stage)]


def find_first_matching_prim(
    prim_path_regex: str, stage: Usd.Stage | None = None
) -> Usd.Prim | None:
    """The first prim whose path matches an expression, or None."""
    return next(iter(find_matching_prims(prim_path_regex, stage)), None)


def get_all_matching_child_prims(
    prim_path: str,
    predicate: Predicate = lambda _: True,
    depth: int | None = None,
    stage: Usd.Stage | None = None,
    traverse_instance_prims: bool = True,
) -> list[Usd.Prim]:
    """Prims at and below a path for which a predicate holds, in the order of the stage.

    Args:
        prim_path: where to begin.
        predicate: what must hold.
        depth: levels below the path to look at; None: all.
        stage: the stage; None: the current one.
        traverse_instance_prims: whether prims inside instances count.

    Raises:
        StageError: there is no prim at the path.
    """
    stage = stage or current_stage()
    root = get_prim(stage, re.sub(r"/+$", "", prim_path) or "/")
    level = root.GetPath().pathElementCount
    return [
        prim
        for prim in traverse(stage, root)
        if (depth is None or prim.GetPath().pathElementCount - level <= depth)
        and (traverse_instance_prims or not prim.IsInstanceProxy())
        and predicate(prim)
    ]


def get_first_matching_child_prim(
    prim_path: str,
    predicate: Predicate = lambda _: True,
    stage: Usd.Stage | None = None,
    traverse_instance_prims: bool = True,
) -> Usd.Prim | None:
    """The first of `get_all_matching_child_prims`, or None."""
    found = get_all_matching_child_prims(prim_path, predicate, None, stage, traverse_instance_prims)
    return found[0] if found else None


def update_stage() -> None:
    """Nothing: edits of a stage act at once."""
