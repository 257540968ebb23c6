"""Geom numbering: the order of the source, whether the engine holds a shape or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from usdsim.engine import CompiledModel
from usdsim.parser.shapes.visuals import VisualShape

__all__ = ["GeomNumbers", "number_geoms"]


@dataclass(frozen=True, eq=False)
class GeomNumbers:
    """Public geoms in order."""

    paths: tuple[str, ...]
    """Prim path of each."""
    sources: tuple[str | None, ...]
    """Name of each in the source, as `Catalog` takes it."""
    ids: NDArray[np.intp]
    """Engine id of each; -1: it is only looked at."""
    bodies: NDArray[np.intp]
    """Engine id of the body that carries each."""
    index: NDArray[np.int32] | None
    """Public index by engine id, and -1 at the end; None: they are the same."""


def number_geoms(compiled: CompiledModel, visuals: Sequence[VisualShape]) -> GeomNumbers:
    """Number geoms body by body and, on one body, as they follow each other on the stage.

    That is how the engine numbers them where it holds them all.

    Args:
        compiled: the compiled scene.
        visuals: shapes that its description leaves out.
    """
    low, scene = compiled.mj, compiled.scene
    paths, names = compiled.names.paths("geom"), compiled.names.names("geom")
    bodies = [*(compiled.names.index("body", body.path) for body in scene.bodies), 0]
    held = {path: geom for geom, path in enumerate(paths) if path}
    place = {geom.path: float(row) for row, geom in enumerate(scene.geoms)}
    # Body, place on the stage, engine id, path and source name.
    rows: list[tuple[int, float, int, str, str | None]] = []
    for geom, (path, name) in enumerate(zip(paths, names, strict=True)):
        # The engine names what no source file named by its path.
        source = None if name == path else name
        rows.append((int(low.geom_bodyid[geom]), place.get(path, np.inf), geom, path, source))
    rows += [
        (bodies[geom.body], place[geom.path], -1, geom.path, geom.name)
        for geom in scene.geoms
        if geom.path not in held
    ]
    rows += [(bodies[v.body], v.before - 0.5, -1, v.path, v.name) for v in visuals]
    if len(rows) > len(paths):
        rows.sort(key=lambda row: row[:2])
    ids = np.array([row[2] for row in rows], dtype=np.intp)
    index = None
    if len(rows) > len(paths):
        index = np.full(len(paths) + 1, -1, dtype=np.int32)
        index[ids[ids >= 0]] = np.flatnonzero(ids >= 0)
    return GeomNumbers(
        paths=tuple(row[3] for row in rows),
        sources=tuple(row[4] for row in rows),
        ids=ids,
        bodies=np.array([row[0] for row in rows], dtype=np.intp),
        index=index,
    )
