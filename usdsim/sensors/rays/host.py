"""Rays cast on the host, where MuJoCo has the worlds."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.sensors.common.kernel_pass import Rows
from usdsim.sensors.common.mirror import Mirror

from .scene import RayScene

__all__ = ["HostRays"]


class HostRays:
    """Casts rays at some shapes on the host.

    Args:
        scene: the worlds and the shapes.
        matches: instances per world.
        rays: starts [m] and unit vectors in world, vec3d, shape (num_instances, rays).
        ends: where distances [m] (float64, -1 for none) and outward normals (vec3d) go.
    """

    def __init__(
        self, scene: RayScene, matches: int, rays: Sequence[wp.array], ends: Sequence[wp.array]
    ):
        self._scene, self._matches = scene, matches
        self._rays, self._ends = [[Mirror(a) for a in arrays] for arrays in (rays, ends)]
        # Rays not aimed yet are cast beside others of their world, so they need a direction.
        self._rays[1].host[..., 2] = -1.0
        self._rays[1].publish()

    def follow(self) -> Hashable | None:
        """Follow parameters, which `run` does; see `SensorBase`."""
        return None

    def run(self, rows: Rows = None) -> None:
        """Cast the rays of some instances; None: all."""
        for aimed in self._rays:
            aimed.fetch()
        start, direction, distance, normal = map(self._by_world, (*self._rays, *self._ends))
        if rows is None:
            found = self._scene.cast(start, direction, None)
            np.copyto(distance, found[0])
            np.copyto(normal, found[1])
        else:
            # A world takes all its rays or none.
            worlds = np.unique(rows // self._matches)
            found = self._scene.cast(start[worlds], direction[worlds], worlds)
            distance[worlds], normal[worlds] = found
        for ended in self._ends:
            ended.publish()

    def _by_world(self, rays: Mirror) -> NDArray[np.float64]:
        """Rays of all instances (num_instances, R, ...) as those of worlds, without a copy."""
        worlds = len(rays.host) // self._matches
        return rays.host.reshape(worlds, -1, *rays.host.shape[2:])
