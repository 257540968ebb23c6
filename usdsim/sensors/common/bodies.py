"""Sensor expressions matched to bodies and colliders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from usdsim.assets.common.matching import (
    aligned,
    end_of,
    first_environment,
    matching_prims,
    name_pattern,
    relative_names,
)
from usdsim.core.errors import StageError, meant
from usdsim.parser.description import SceneDescription

__all__ = ["Bodies", "find_bodies", "find_geoms", "group_bodies", "prims_if_any"]

_PLAIN = re.compile(r"\w+")


@dataclass(frozen=True)
class Bodies:
    """Bodies of the instances of a sensor in one world."""

    paths: tuple[tuple[str, ...], ...]
    """Prim paths, a row per match; all rows have the same names in the same order."""
    names: tuple[str, ...]
    """Names that tell the bodies of one match from each other."""


def group_bodies(
    scene: SceneDescription, expression: str, env_paths: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Bodies that an expression matches, by the prim that its part before the last matches.

    The last part matches names of prims directly below: bodies, or prims that hold bodies, which
    all count then. If it is a pattern rather than a plain name, or matches nothing there, names of
    bodies count at any depth, so that it does not matter whether links are nested.

    Args:
        scene: the first environment and what is outside environments.
        expression: see `usdsim.assets.common.matching.first_environment`.
        env_paths: prim paths of the environments.

    Returns:
        Paths of bodies in the scene's order, by parent; empty if the expression matches none.

    Raises:
        StageError: the expression leaves out environments.
        InvalidValueError: a part is not a regular expression.
    """
    local = first_environment(expression, env_paths)
    head, _, last = local.rpartition("/")
    pattern = name_pattern(last, expression)
    parents = prims_if_any(scene, head) if head else ("",)
    paths = [body.path for body in scene.bodies]
    found: dict[str, tuple[str, ...]] = {}
    for parent in parents:
        prefix = parent + "/"
        inside = [path for path in paths if path.startswith(prefix)]
        chosen = _direct(inside, prefix, pattern)
        if not _PLAIN.fullmatch(last) or not chosen:
            chosen |= {path for path in inside if pattern.fullmatch(path.rpartition("/")[2])}
        if chosen:
            found[parent] = tuple(path for path in inside if path in chosen)
    return found


def find_bodies(
    what: str, scene: SceneDescription, expression: str, env_paths: Sequence[str]
) -> Bodies:
    """Bodies of a sensor's instances.

    Args:
        what: the sensor, for messages.
        scene: the first environment and what is outside environments.
        expression: see `group_bodies`.
        env_paths: prim paths of the environments.

    Raises:
        StageError: there are none, or matches have other bodies than each other.
    """
    groups = group_bodies(scene, expression, env_paths)
    if not groups:
        local = first_environment(expression, env_paths)
        head, _, last = local.rpartition("/")
        inside = [b.path for b in scene.bodies if b.path.startswith(f"{head}/")]
        known = [path.rpartition("/")[2] for path in inside]
        told = f"Bodies below {head}: {', '.join(known[:20])}. {meant(last, known)}".rstrip()
        raise StageError(
            f"{what}: {expression!r} matches no rigid body. Its last part is matched with names of "
            f"bodies. {told if known else end_of(scene, local)}"
        )
    rows = tuple(groups.values())
    names = [relative_names(row) for row in rows]
    return Bodies(rows, aligned("bodies", tuple(groups), names))


def find_geoms(
    scene: SceneDescription, expression: str, env_paths: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Shapes at or below the prims that an expression matches.

    Args:
        scene: the first environment and what is outside environments.
        expression: see `usdsim.assets.common.matching.first_environment`.
        env_paths: prim paths of the environments.

    Returns:
        Paths of shapes by prim, only of prims that have some.

    Raises:
        StageError: it matches no prim.
    """
    prims = matching_prims(scene, expression, env_paths)
    found = {prim: tuple(g.path for g in scene.geoms if g.is_below(prim)) for prim in prims}
    return {prim: paths for prim, paths in found.items() if paths}


def prims_if_any(scene: SceneDescription, local: str) -> tuple[str, ...]:
    """Prims of a scene that an expression in its own terms matches; none is no error."""
    try:
        return matching_prims(scene, local)
    except StageError:
        return ()


def _direct(inside: Iterable[str], prefix: str, pattern: re.Pattern[str]) -> set[str]:
    """Bodies directly below a prim whose names match, and those in prims that are no bodies."""
    paths = set(inside)
    chosen: set[str] = set()
    for path in paths:
        child = prefix + path[len(prefix) :].partition("/")[0]
        if pattern.fullmatch(child[len(prefix) :]) and (path == child or child not in paths):
            chosen.add(path)
    return chosen
