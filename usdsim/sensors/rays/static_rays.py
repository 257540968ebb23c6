"""Ray casting at static shapes on the host: one surface for all worlds."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.base import Engine
from usdsim.sensors.common.kernel_pass import KernelPass, Rows

from .arrays import RayArrays
from .host import HostRays
from .static_shapes import is_static, static_values
from .surface import has_surface, surface_of
from .surface_kernels import cast_at_surface

__all__ = ["StaticRays"]


class StaticRays:
    """Casts rays at some shapes as one surface, as long as they stand still in all worlds.

    Args:
        engine: an engine of the host.
        geoms: its shapes.
        arrays: of the rays and their hits.
        farthest: how far rays reach [m].
        otherwise: makes the caster that is asked where shapes move, or differ between worlds.
    """

    def __init__(
        self,
        engine: Engine,
        geoms: NDArray[np.intp],
        arrays: RayArrays,
        farthest: float,
        otherwise: Callable[[], HostRays],
    ):
        self._engine, self._geoms = engine, geoms
        self._arrays = arrays
        self._farthest = min(float(farthest), float(np.finfo(np.float32).max))
        self._otherwise = otherwise
        self._fallback: HostRays | None = None
        self._static_values: list[NDArray[Any]] | None = None
        self._mesh: wp.Mesh | None = None
        self._pass: KernelPass | None = None
        self._seen = -1

    def follow(self) -> Hashable | None:
        """Follow parameters, which `run` does; see `SensorBase`."""
        return None

    def run(self, rows: Rows = None) -> None:
        """Cast the rays of some instances; None: all."""
        if self._seen != self._engine.versions.parameters:
            self._seen = self._engine.versions.parameters
            self._update_surface()
        if self._pass is not None:
            self._pass.run(rows)
            return
        if self._fallback is None:
            self._fallback = self._otherwise()
        self._fallback.run(rows)

    def _update_surface(self) -> None:
        """Follow the parameters."""
        engine, geoms = self._engine, self._geoms
        if not (has_surface(engine.compiled.mj, geoms) and is_static(engine, geoms).all()):
            self._pass = self._static_values = None
            return
        values = static_values(engine, geoms)
        known = self._static_values
        if known is not None and all(map(np.array_equal, known, values)):
            return
        self._static_values = values
        surface = surface_of(engine.world_model(0), geoms)
        self._mesh = None
        if len(surface.faces):
            points, faces = surface.points.astype(np.float32), surface.faces.ravel()
            self._mesh = wp.Mesh(
                points=wp.array(points, dtype=wp.vec3f, device="cpu"),
                indices=wp.array(faces, dtype=wp.int32, device="cpu"),
            )
        self._pass = KernelPass(
            engine,
            cast_at_surface,
            self._arrays.start.shape[0],
            (),
            [
                *self._arrays.rays,
                wp.uint64(0) if self._mesh is None else self._mesh.id,
                wp.vec3d(*surface.centre.tolist()),
                wp.array(surface.planes, dtype=wp.float64, device="cpu"),
                self._farthest,
            ],
            self._arrays.hits,
        )
