"""Prims found: by path expressions, by predicates above and below a path, and free paths."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from pxr import Sdf, Usd, UsdPhysics

from usdsim.spawners.place import expand
from usdsim.usd.prims import get_prim
from usdsim.usd.queries import find_ancestor, find_prims, traverse
from usdsim.usd.stage import current_stage, stage_or_current

__all__ = [
    "find_first_matching_prim",
    "find_global_fixed_joint_prim",
    "find_matching_prim_paths",
    "find_matching_prims",
    "get_all_matching_child_prims",
    "get_first_matching_ancestor_prim",
    "get_first_matching_child_prim",
    "get_next_free_path",
    "get_next_free_prim_path",
    "is_prim_path_valid",
    "traverse_stage",
]

Predicate = Callable[[Usd.Prim], bool]


def is_prim_path_valid(
    prim_path: str, fabric: bool = False, stage: Usd.Stage | None = None
) -> bool:
    """Whether there is a prim at a path."""
    return bool(stage_or_current(stage).GetPrimAtPath(prim_path))


def find_matching_prims(prim_path_regex: str, stage: Usd.Stage | None = None) -> list[Usd.Prim]:
    """Prims whose paths match an expression, segment by segment."""
    return find_prims(stage_or_current(stage), expand(prim_path_regex))


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
    stage = stage_or_current(stage)
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


def get_first_matching_ancestor_prim(
    prim_path: str | Sdf.Path, predicate: Predicate, stage: Usd.Stage | None = None
) -> Usd.Prim | None:
    """The nearest prim at or above a path for which a predicate holds, or None.

    Raises:
        StageError: there is no prim at the path.
    """
    prim = get_prim(stage_or_current(stage), prim_path)
    return find_ancestor(prim, predicate, include_self=True)


def get_next_free_prim_path(path: str, stage: Usd.Stage | None = None) -> str:
    """A path where nothing is: the one given, or with the next number of two digits after it."""
    stage = stage_or_current(stage)
    free, number = path, 0
    while stage.GetPrimAtPath(free):
        number += 1
        free = f"{path}_{number:02d}"
    return free


def get_next_free_path(path: str) -> str:
    """A path of the current stage where nothing is; see `get_next_free_prim_path`."""
    return get_next_free_prim_path(path)


def traverse_stage(fabric: bool = False) -> Iterable[Usd.Prim]:
    """Prims of the current stage."""
    prims: Iterable[Usd.Prim] = current_stage().Traverse()
    return prims


def find_global_fixed_joint_prim(
    prim_path: str | Sdf.Path, check_enabled_only: bool = False, stage: Usd.Stage | None = None
) -> UsdPhysics.FixedJoint | None:
    """The joint at or below a path that fixes a body to the world, or None.

    Args:
        prim_path: where to begin.
        check_enabled_only: whether joints that are switched off count as none.
        stage: the stage; None: the current one.

    Raises:
        StageError: there is no prim at the path.
    """
    for prim in get_all_matching_child_prims(str(prim_path), stage=stage):
        joint = UsdPhysics.FixedJoint(prim)
        if not joint or (check_enabled_only and not joint.GetJointEnabledAttr().Get()):
            continue
        if not (joint.GetBody0Rel().GetTargets() and joint.GetBody1Rel().GetTargets()):
            return joint
    return None
