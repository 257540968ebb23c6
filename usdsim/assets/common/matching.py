"""Prim expressions matched to the compiled scene, and to the engine's elements below.

The compiled scene has the first environment and everything outside environments.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from weakref import WeakKeyDictionary

from usdsim.core.errors import InvalidValueError, StageError, meant
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.parser.description import SceneDescription
from usdsim.parser.element import at_and_above, is_below, path_of_prim
from usdsim.spawners.place import expand

from .path_tree import PathTree

__all__ = [
    "Elements",
    "aligned",
    "below_any",
    "elements_below",
    "end_of",
    "first_environment",
    "instance_paths",
    "matching_prims",
    "name_pattern",
    "relative_names",
]


_trees: WeakKeyDictionary[SceneDescription, PathTree] = WeakKeyDictionary()


def _tree_of(scene: SceneDescription) -> PathTree:
    """Prims of a scene that mean something physical, and all prims above them, in stage order."""
    if scene not in _trees:
        elements = chain(
            scene.bodies,
            scene.articulations,
            scene.joints,
            scene.geoms,
            scene.sites,
            scene.actuators,
            scene.elements,
            scene.deformables,
        )
        _trees[scene] = PathTree(path_of_prim(element.path) for element in elements)
    return _trees[scene]


def first_environment(expression: str, env_paths: Sequence[str]) -> str:
    """An expression in terms of the first environment.

    Args:
        expression: prim path with a regular expression for each name; ``{ENV_REGEX_NS}`` stands
            for every environment.
        env_paths: prim paths of the environments.

    Returns:
        The expression with the first environment's path where it matches environments; as it is
        where it matches none.

    Raises:
        StageError: it matches some environments and leaves out others.
        InvalidValueError: a part is not a regular expression.
    """
    parts = expand(expression).strip("/").split("/")
    patterns = [name_pattern(part, expression) for part in parts]
    inside = [path for path in env_paths if _matches(patterns, path)]
    if not inside:
        return "/" + "/".join(parts)
    if len(inside) < len(env_paths):
        left = next(path for path in env_paths if path not in inside)
        raise StageError(
            f"{expression!r} matches {inside[0]} but not {left}. An asset is in every environment: "
            "begin the expression with {ENV_REGEX_NS}."
        )
    depth = env_paths[0].count("/")
    return "/".join([env_paths[0], *parts[depth:]])


def matching_prims(
    scene: SceneDescription, expression: str, env_paths: Sequence[str] = ()
) -> tuple[str, ...]:
    """Prims of one world that an expression matches, in stage order.

    Args:
        scene: the first environment and what is outside environments.
        expression: see `first_environment`.
        env_paths: prim paths of the environments.

    Raises:
        StageError: it matches no prim with physics at or below it.
    """
    local = first_environment(expression, env_paths)
    found = _tree_of(scene).matching(_patterns(local, expression))
    if not found:
        raise StageError(
            f"{expression!r} matches no prim with physics at or below it. Each part between "
            f"slashes is a regular expression for one name. {end_of(scene, local)}"
        )
    return found


def end_of(scene: SceneDescription, local: str) -> str:
    """End of the match of an expression that matches nothing, in words: where, and what is there.

    Args:
        scene: the first environment and what is outside environments.
        local: what `first_environment` made of the expression.
    """
    path, missing, names = _tree_of(scene).end_of(_patterns(local, local))
    shown = ", ".join(names[:20]) + (f", ... ({len(names)} in all)" if len(names) > 20 else "")
    told = f"{path or '/'} has no {missing!r} with physics below it, but {shown or 'nothing'}."
    return f"{told} {meant(missing, names)}".rstrip()


def _patterns(local: str, expression: str) -> list[re.Pattern[str]]:
    return [name_pattern(part, expression) for part in local.strip("/").split("/")]


def name_pattern(part: str, expression: str) -> re.Pattern[str]:
    """The part of a prim expression that one name has to match.

    Raises:
        InvalidValueError: it is no regular expression.
    """
    try:
        return re.compile(".*" if part == "*" else part)
    except re.error as error:
        raise InvalidValueError(
            f"part {part!r} of the prim path", expression, f"a regular expression ({error})"
        ) from error


def _matches(patterns: Sequence[re.Pattern[str]], path: str) -> bool:
    """Whether the first patterns match the names of a path."""
    names = path.strip("/").split("/")
    return len(names) <= len(patterns) and all(
        pattern.fullmatch(name) for pattern, name in zip(patterns, names, strict=False)
    )


def below_any(path: str, prims: Collection[str]) -> bool:
    """Whether a path is one of some prims or below one, at a cost that their number is no part of.

    Args:
        path: the path.
        prims: a set.
    """
    return "/" in prims or any(above in prims for above in at_and_above(path))


@dataclass(frozen=True)
class Elements:
    """Engine elements of one kind at or below one prim, in the engine's order."""

    prim: str
    indices: tuple[int, ...]
    paths: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the elements within the prim; see `relative_names`."""
        return relative_names(self.paths)


def elements_below(compiled: CompiledModel, kind: str, prim: str) -> Elements:
    """Engine elements at or below a prim.

    Args:
        compiled: the model.
        kind: kind of element as in `NameTable`, such as ``body``, ``joint``, ``geom``.
        prim: prim path.
    """
    paths, found = compiled.names.paths(kind), compiled.names.below(kind, prim)
    return Elements(prim, found, tuple(paths[i] for i in found))


def relative_names(paths: Iterable[str]) -> tuple[str, ...]:
    """Names of prims: the last part of each path, or as many parts as tell it from the others."""
    split = [path.strip("/").split("/") for path in paths]
    names = [parts[-1] for parts in split]
    depth = 1
    while len(set(names)) < len(names) and depth < max(map(len, split)):
        depth += 1
        taken = {name for name in names if names.count(name) > 1}
        names = [
            "/".join(parts[-depth:]) if name in taken else name
            for name, parts in zip(names, split, strict=True)
        ]
    return tuple(names)


def aligned(what: str, prims: Sequence[str], names: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The names that all matches of an asset share.

    Args:
        what: what is named, such as ``bodies``.
        prims: the matches.
        names: the names in each.

    Raises:
        StageError: two of them have other names, or another order.
    """
    for prim, own in zip(prims, names, strict=True):
        if own != names[0]:
            raise StageError(
                f"{prims[0]} and {prim} are matched by one expression but have other {what}: "
                f"{', '.join(names[0]) or 'none'}; {', '.join(own) or 'none'}. Match only prims "
                "that are built alike."
            )
    return names[0]


def instance_paths(prims: Sequence[str], env_paths: Sequence[str], num_envs: int) -> list[str]:
    """Prim path of each instance on the stage, shape (num_envs * matches).

    Args:
        prims: the matches in the first environment, or outside environments.
        env_paths: prim paths of the environments.
        num_envs: number of worlds.
    """
    if not env_paths:
        return list(prims) * num_envs
    first = env_paths[0]
    return [
        env + prim[len(first) :] if is_below(prim, first) else prim
        for env in env_paths
        for prim in prims
    ]
