"""Finding prims: traversal, patterns, ancestors, visibility."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from pxr import Sdf, Usd, UsdGeom

from usdsim.core.errors import InvalidValueError, StageError

from .names import DRAWS
from .prims import get_prim

__all__ = [
    "PASSED_SCOPES",
    "find_ancestor",
    "find_drawings",
    "find_prim",
    "find_prims",
    "is_passed",
    "is_visible",
    "path_below",
    "paths_outside",
    "traverse",
]

PASSED_SCOPES: set[str] = set()
"""Names of scopes of other tools' importers, whose contents lie directly below the asset here."""

_PREDICATE = Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)
_NOW = Usd.TimeCode.Default()


def traverse(stage: Usd.Stage, root: str | Sdf.Path | Usd.Prim | None = None) -> Iterator[Usd.Prim]:
    """Active, loaded, defined prims in stage order, inside instances too.

    Args:
        stage: the stage.
        root: where to begin (included); None: everything.
    """
    prim = root if isinstance(root, Usd.Prim) else get_prim(stage, root or "/")
    prims = iter(Usd.PrimRange(prim, _PREDICATE))
    if prim.IsPseudoRoot():
        next(prims)
    return prims


def find_prims(stage: Usd.Stage, pattern: str) -> list[Usd.Prim]:
    """Prims whose path matches a pattern, in stage order.

    The pattern is split at ``/``; each part is a regular expression that a prim's whole name must
    match, so ``.*`` never crosses a ``/``. A part that is just ``*`` stands for ``.*``. Scopes of
    `PASSED_SCOPES` need not be there.

    Args:
        stage: the stage.
        pattern: such as ``/World/env_.*/robot``.

    Raises:
        InvalidValueError: a part is not a regular expression, or the pattern is not absolute.
    """
    if not pattern.startswith("/"):
        raise InvalidValueError(
            "prim pattern", pattern, "an absolute path pattern", "Start with '/'."
        )
    found = [stage.GetPseudoRoot()]
    for part in pattern.strip("/").split("/") if pattern != "/" else []:
        try:
            regex = re.compile(".*" if part == "*" else part)
        except re.error as error:
            raise InvalidValueError(
                f"part {part!r} of the prim pattern", pattern, f"a regular expression ({error})"
            ) from error
        found = [child for prim in found for child in _named(prim, part, regex)]
    return found


def _named(prim: Usd.Prim, part: str, regex: re.Pattern[str]) -> list[Usd.Prim]:
    """Prims below a prim that a part of a pattern names."""
    if not re.fullmatch(r"\w+", part):
        children = prim.GetFilteredChildren(_PREDICATE)
        return [child for child in children if regex.fullmatch(child.GetName())]
    # A plain name needs no walk over thousands of siblings.
    child = prim.GetChild(part)
    if child and _PREDICATE(child):
        return [child]
    return [prim] if is_passed(part, str(prim.GetPath())) else []


def is_passed(part: str, parent: str) -> bool:
    """Whether a part of an expression stands for the prim that has no child of that name.

    Args:
        part: name of the child.
        parent: path of the prim; one at the top of a stage is no asset that was imported.
    """
    return part in PASSED_SCOPES and parent.count("/") > 1


def path_below(stage: Usd.Stage, path: str) -> str:
    """Path of a prim that may be made, below the parent that `find_prims` finds for it, if any."""
    parent, _, name = path.rpartition("/")
    if not parent or stage.GetPrimAtPath(parent):
        return path
    found = find_prims(stage, parent)
    return f"{found[0].GetPath()}/{name}" if found else path


def find_prim(stage: Usd.Stage, pattern: str) -> Usd.Prim:
    """The first prim that matches a pattern of `find_prims`.

    Raises:
        StageError: nothing matches.
    """
    found = find_prims(stage, pattern)
    if not found:
        raise StageError(
            f"No prim matches {pattern!r}. Each part between '/' is matched as a regex."
        )
    return found[0]


def find_ancestor(
    prim: Usd.Prim, predicate: Callable[[Usd.Prim], bool], *, include_self: bool = False
) -> Usd.Prim | None:
    """The closest ancestor that satisfies `predicate`; None if none does."""
    current = prim if include_self else prim.GetParent()
    while current and not current.IsPseudoRoot():
        if predicate(current):
            return current
        current = current.GetParent()
    return None


def is_visible(prim: Usd.Prim, time: Usd.TimeCode = _NOW) -> bool:
    """Visibility of a prim at a time: whether neither it nor a prim above it is invisible."""
    return bool(UsdGeom.Imageable(prim).ComputeVisibility(time) != UsdGeom.Tokens.invisible)


def find_drawings(stage: Usd.Stage) -> dict[str, list[Usd.Prim]]:
    """Prims that show an element of the MuJoCo dialect, by its path."""
    found: dict[str, list[Usd.Prim]] = {}
    for prim in traverse(stage, stage.GetPseudoRoot()):
        relationship = prim.GetRelationship(DRAWS)
        for target in relationship.GetTargets() if relationship else ():
            found.setdefault(str(target), []).append(prim)
    return found


def paths_outside(stage: Usd.Stage, paths: Sequence[str]) -> list[Sdf.Path]:
    """Prims that together make up the stage without those at some paths."""
    inside = {Sdf.Path(path) for path in paths}
    above = {prefix for path in inside for prefix in path.GetParentPath().GetPrefixes()}
    above.add(Sdf.Path.absoluteRootPath)
    return [
        child.GetPath()
        for path in sorted(above)
        for child in stage.GetPrimAtPath(path).GetAllChildren()
        if child.GetPath() not in above and child.GetPath() not in inside
    ]
