"""Prims: finding one by its path, defining some, and giving instances content of their own."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from pxr import Sdf, Usd

from usdsim.core.errors import StageError

from .names import legal_name

__all__ = [
    "define_prim",
    "get_prim",
    "instances_above",
    "prim_at_or_above",
    "scene_path",
    "unshare",
]


def scene_path(path: str | Sdf.Path) -> Sdf.Path:
    """An absolute prim path.

    Raises:
        StageError: `path` is not one.
    """
    text = str(path)
    if not Sdf.Path.IsValidPathString(text):
        remedy = f" Did you mean {_legal_path(text)!r}?" if text.startswith("/") else ""
        raise StageError(f"{text!r} is not a prim path.{remedy}")
    result = Sdf.Path(text)
    if not result.IsAbsoluteRootOrPrimPath() or not result.IsAbsolutePath():
        raise StageError(f"{text!r} is not an absolute prim path such as '/World/robot'.")
    return result


def prim_at_or_above(stage: Usd.Stage, path: str | Sdf.Path) -> Usd.Prim:
    """The prim at an absolute path, or else the nearest above it."""
    found = Sdf.Path(str(path))
    while not stage.GetPrimAtPath(found):
        found = found.GetParentPath()
    return stage.GetPrimAtPath(found)


def get_prim(stage: Usd.Stage, path: str | Sdf.Path) -> Usd.Prim:
    """The prim at a path.

    Raises:
        StageError: there is none; the message names prims with similar paths.
    """
    prim = stage.GetPrimAtPath(scene_path(path))
    if prim:
        return prim
    parent = prim_at_or_above(stage, path)
    everything = Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies())
    close = difflib.get_close_matches(
        str(path), [str(p.GetPath()) for p in everything], n=3, cutoff=0.6
    )
    children = parent.GetFilteredChildren(Usd.TraverseInstanceProxies())
    below = ", ".join(child.GetName() for child in children[:20]) or "nothing"
    hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
    raise StageError(
        f"No prim at {str(path)!r}.{hint} {str(parent.GetPath())!r} has {below} below it."
    )


def define_prim(stage: Usd.Stage, path: str | Sdf.Path, type_name: str = "Xform") -> Usd.Prim:
    """Define a prim; missing ancestors become ``Xform`` prims.

    Args:
        stage: where.
        path: absolute path.
        type_name: schema type, ``""`` for none.

    Raises:
        StageError: the path is illegal, or lies inside an instance.
    """
    target = scene_path(path)
    for prefix in target.GetPrefixes():
        prim = stage.GetPrimAtPath(prefix)
        if prim and (prim.IsInstanceProxy() or (prim.IsInstance() and prefix != target)):
            raise StageError(
                f"{str(target)!r} lies inside the instance {str(prefix)!r}, whose content is "
                "shared and cannot be edited. Define it outside, or make the prim not instanceable."
            )
        if prefix == target:
            return stage.DefinePrim(prefix, type_name)
        if not prim or not prim.IsDefined():
            stage.DefinePrim(prefix, "Xform")
    return stage.GetPseudoRoot()


def instances_above(prims: Iterable[Usd.Prim]) -> list[Sdf.Path]:
    """Instances that share their content with others and have one of the prims in it.

    Args:
        prims: prims of a stage, of which those outside of instances do not count.

    Returns:
        Paths on the stage, each once; an instance within another comes after it.
    """
    found: dict[Sdf.Path, None] = {}
    for prim in prims:
        around = []
        while prim.IsInstanceProxy():
            prim = prim.GetParent()
            if prim.IsInstance():
                around.append(prim.GetPath())
        found.update(dict.fromkeys(reversed(around)))
    return list(found)


def unshare(layer: Sdf.Layer, instances: Iterable[Sdf.Path]) -> None:
    """Give instances content of their own, which a layer over their stage can change.

    Args:
        layer: where it is said.
        instances: their paths in the layer, as `instances_above` has them.
    """
    for path in instances:
        Sdf.CreatePrimInLayer(layer, path).instanceable = False


def _legal_path(text: str) -> str:
    return "/" + "/".join(legal_name(part) for part in text.split("/") if part)
