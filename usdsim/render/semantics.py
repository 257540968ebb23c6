"""Semantic labels of prims."""

from __future__ import annotations

from pxr import Usd

from usdsim.parser.element import path_of_prim
from usdsim.usd.queries import find_ancestor

__all__ = ["semantic_labels"]

_NEW = "semantics:labels:"
_OLD = "semantic:"


def semantic_labels(stage: Usd.Stage, path: str) -> tuple[str, dict[str, str]]:
    """The nearest prim at or above a path with labels, and its labels by their kind.

    Args:
        stage: the stage.
        path: of a prim, or of something made for one, behind a colon.

    Returns:
        The path and the labels, such as ``{"class": "robot"}``; empty if there are none.
    """
    prim = stage.GetPrimAtPath(path_of_prim(path))
    labelled = find_ancestor(prim, lambda p: bool(_labels(p)), include_self=True)
    return (str(labelled.GetPath()), _labels(labelled)) if labelled else ("", {})


def _labels(prim: Usd.Prim) -> dict[str, str]:
    found = {}
    for attribute in prim.GetAuthoredAttributes():
        name = attribute.GetName()
        if name.startswith(_NEW):
            values = attribute.Get()
            if values:
                found[name.removeprefix(_NEW)] = ",".join(map(str, values))
        elif name.startswith(_OLD) and name.endswith(":params:semanticData"):
            kind = prim.GetAttribute(name.replace("semanticData", "semanticType"))
            found[str(kind.Get()) if kind else "class"] = str(attribute.Get())
    return found
