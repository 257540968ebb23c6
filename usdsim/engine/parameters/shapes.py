"""Shapes of geoms that differ from world to world: several fields that only make sense together."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import ArrayLike, NDArray

from usdsim.engine.indices import assign

__all__ = ["SHAPES", "ShapeFields"]

SHAPES = (
    *("geom_type", "geom_dataid", "geom_size"),
    *("geom_pos", "geom_quat", "geom_aabb", "geom_rbound"),
)
"""Fields that make a shape: its kind, mesh and sizes, its place, and the bounds of meshes."""
_MESH = int(mujoco.mjtGeom.mjGEOM_MESH)


class ShapeFields:
    """Fields of `SHAPES` of some worlds of a batch, changed together or not at all.

    Args:
        batch: the worlds.
        worlds: their ids, in the order of values to write.
    """

    def __init__(self, batch: mjbatch.Batch, worlds: NDArray[np.intp]):
        self._batch, self._worlds = batch, worlds
        self._before = {name: np.array(batch.expand(name)[worlds]) for name in SHAPES}

    def write(self, values: Mapping[str, ArrayLike], geoms: ArrayLike | None) -> None:
        """Write what broadcasts to (worlds, geoms, ...)."""
        for name in SHAPES:
            assign(name, self._batch.expand(name), values[name], self._worlds, geoms)

    def bound(self) -> None:
        """Set the radii of meshes to those of their boxes; the engine derives those of others."""
        kinds, boxes = (
            self._batch.expand(name)[self._worlds] for name in ("geom_type", "geom_aabb")
        )
        far = np.abs(boxes[..., :3]) + boxes[..., 3:]
        radii = self._batch.expand("geom_rbound")
        radii[self._worlds] = np.where(
            kinds == _MESH, np.linalg.norm(far, axis=-1), radii[self._worlds]
        )

    def put_back(self) -> None:
        """Write what was there before."""
        self.write(self._before, None)
