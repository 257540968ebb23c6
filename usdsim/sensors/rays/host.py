"""Ray casting on the host, where MuJoCo has the worlds."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.sensors.common.kernel_pass import Rows
from usdsim.sensors.common.mirror import Mirror

from .arrays import RayArrays
from .scene import RayScene

__all__ = ["HostRays"]


class HostRays:
    """Casts rays at some shapes on the host.

    Args:
        scene: the worlds and the shapes.
        matches: instances per world.
        arrays: of the rays and their hits.
        numbers: of the engine's shapes, and -1 behind them, int16; None: they are not told.
        which: where the number of what each ray hits goes, int16, shape (num_instances, rays).
    """

    def __init__(
        self,
        scene: RayScene,
        matches: int,
        arrays: RayArrays,
        numbers: NDArray[np.int16] | None = None,
        which: wp.array | None = None,
    ):
        self._scene, self._matches = scene, matches
        self._numbers, self._which = numbers, None if which is None else Mirror(which)
        self._rays, self._hits = map(_mirrors, (arrays.rays, arrays.hits))

    def follow(self) -> Hashable | None:
        """Follow parameters, which `run` does; see `SensorBase`."""
        return None

    def run(self, rows: Rows = None) -> None:
        """Cast the rays of some instances; None: all."""
        for mirror in self._rays:
            mirror.fetch()
        start, direction, distance, normal = map(self._by_world, (*self._rays, *self._hits))
        # A world takes all its rays or none.
        worlds = None if rows is None else np.unique(rows // self._matches)
        some = slice(None) if worlds is None else worlds
        distance[some], geoms, normal[some] = self._scene.cast(start[some], direction[some], worlds)
        for mirror in self._hits:
            mirror.publish()
        if self._which is not None and self._numbers is not None:
            self._by_world(self._which)[some] = self._numbers[geoms]
            self._which.publish()

    def _by_world(self, rays: Mirror) -> NDArray[Any]:
        """Rays of all instances (num_instances, R, ...) as those of worlds, without a copy."""
        worlds = len(rays.host) // self._matches
        return rays.host.reshape(worlds, -1, *rays.host.shape[2:])


def _mirrors(arrays: Sequence[wp.array]) -> list[Mirror]:
    return [Mirror(array) for array in arrays]
