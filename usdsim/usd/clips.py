"""Value clips: layers whose time samples stand in for those of a prim."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pxr import Ar, Sdf

from usdsim.core.errors import FileError

__all__ = ["clip_names", "clip_sets", "require_few_clips"]

_MOST = 100_000
"""Most clips that a template may stand for; OpenUSD looks for each of them."""


def clip_sets(layer: Sdf.Layer) -> list[tuple[str, Mapping[str, Any]]]:
    """Clip sets that a layer describes, also in variants: name, and what it says of it."""
    found: list[tuple[str, Mapping[str, Any]]] = []

    def look(path: Sdf.Path) -> None:
        if path.IsPrimPath() or path.IsPrimVariantSelectionPath():
            sets = layer.GetObjectAtPath(path).GetInfo("clips")
            if isinstance(sets, Mapping):
                found.extend((str(k), v) for k, v in sets.items() if isinstance(v, Mapping))

    layer.Traverse(Sdf.Path.absoluteRootPath, look)
    return found


def clip_names(layer: Sdf.Layer, clips: Mapping[str, Any]) -> Iterator[str]:
    """Files that a clip set names, as it writes them; of a template, those that are there."""
    for named in (clips.get("assetPaths"), [clips.get("manifestAssetPath")]):
        if isinstance(named, Sdf.AssetPathArray | list):
            yield from (str(one.path) for one in named if isinstance(one, Sdf.AssetPath))
    template = clips.get("templateAssetPath")
    if not isinstance(template, str):
        return
    # OpenUSD looks beside the layer, then in the working directory.
    for folder in (Path(Ar.SplitPackageRelativePathOuter(layer.realPath)[0]).parent, Path.cwd()):
        file = Ar.SplitPackageRelativePathOuter(str(folder / template))[0]
        pattern = re.sub(r"#+", "*", glob.escape(file))
        yield from glob.iglob(pattern)


def require_few_clips(sets: list[tuple[str, Mapping[str, Any]]]) -> None:
    """Raise where a template stands for more clips than OpenUSD finds in seconds.

    Layers may share a clip set between them, so its widest range and smallest step count.

    Raises:
        FileError: one does, or its times are no numbers.
    """
    keys = ("templateStartTime", "templateEndTime", "templateStride")
    for name in {name for name, _ in sets}:
        numbers = [
            [float(one[key]) for given, one in sets if given == name and _is_number(one.get(key))]
            for key in keys
        ]
        if not all(numbers):
            continue
        start, end, stride = min(numbers[0]), max(numbers[1]), min(numbers[2])
        if stride > 0.0 and not (end - start) / stride <= _MOST:
            raise FileError(
                f"Value clips {name!r} go from {start:g} to {end:g} in steps of {stride:g}; at "
                f"most {_MOST:,} can be looked for. Name them in assetPaths, or take larger steps."
            )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)
