"""Part sizes in single worlds, where shapes were given others than the stage says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from usdsim.engine.base import Engine
from usdsim.render.parts import Parts

__all__ = ["WorldSizes", "parts_by_size"]

Array = NDArray[np.float64]


class WorldSizes:
    """Sizes of the parts of an engine's worlds; those of meshes never change.

    Args:
        parts: as the stage says.
        names: of the parts in the first environment.
        engine: the worlds.
    """

    def __init__(self, parts: Parts, names: Sequence[str], engine: Engine):
        find = engine.compiled.names.find
        found = [
            -1 if mesh >= 0 or (own := find("geom", name)) is None else own
            for name, mesh in zip(names, parts.mesh, strict=True)
        ]
        geoms = np.array(found, np.intp)
        self._rows = np.flatnonzero(geoms >= 0)
        self._geoms, self._engine, self._usual = geoms[self._rows], engine, parts.size
        self._version, self._given = 0, engine.compiled.mj.geom_size[self._geoms][None]

    def changed(self) -> bool:
        """Whether they are others than when this was asked last, at first than the stage says."""
        version = self._engine.versions.parameters
        if version == self._version:
            return False
        self._version = version
        given = np.asarray(self._engine.param("geom_size"))[:, self._geoms]
        if (given == self._given).all():
            return False
        self._given = np.array(given)
        return True

    @property
    def sizes(self) -> Array:
        """Half extents or radii as the engine has them [m], shape (worlds or 1, S, 3)."""
        found = np.tile(self._usual, (len(self._given), 1, 1))
        usual = self._engine.compiled.mj.geom_size[self._geoms]
        given = self._given
        found[:, self._rows] = np.where(given == usual, self._usual[self._rows], given)
        return found


def parts_by_size(parts: Parts, sizes: Array) -> tuple[Parts, NDArray[np.intp], NDArray[np.bool_]]:
    """Parts of which each has one size, in place of parts that have several.

    Args:
        parts: the parts.
        sizes: theirs in n worlds [m], shape (n, S, 3).

    Returns:
        The R parts, which of the given ones each is, shape (R,), and which worlds have it, shape
        (n, R).
    """
    rows, found, shown = [], [], []
    for part in range(sizes.shape[1]):
        each, which = np.unique(sizes[:, part], axis=0, return_inverse=True)
        for k, size in enumerate(each):
            rows.append(part)
            found.append(size)
            shown.append(which.reshape(-1) == k)
    index = np.array(rows, np.intp)
    made = replace(parts.selected(index), size=np.array(found).reshape(-1, 3))
    return made, index, np.array(shown).T
