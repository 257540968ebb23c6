"""Multi-mesh ray casters and cameras: rays at several targets, each with its settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.configuration import Configuration
from usdsim.engine.base import Engine

from .camera import RayCasterCamera, RayCasterCameraCfg, RayCasterCameraData
from .host import HostRays
from .ray_caster import RayCaster, RayCasterCfg
from .scene import RayScene, find_targets, target_geoms
from .static_rays import StaticRays

if TYPE_CHECKING:
    from .device import DeviceRays

__all__ = [
    "MultiMeshRayCaster",
    "MultiMeshRayCasterCamera",
    "MultiMeshRayCasterCameraCfg",
    "MultiMeshRayCasterCfg",
    "RaycastTargetCfg",
]


@dataclass(kw_only=True)
class RaycastTargetCfg(Configuration):
    """One target of rays. Only the expression matters: the engine's shapes move, and are shared."""

    prim_expr: str
    """Expression for what the rays hit; see `RayCasterCfg.mesh_prim_paths`."""
    is_shared: bool = False
    """Whether all environments have the same mesh; found out by itself."""
    merge_prim_meshes: bool = True
    """Whether several meshes count as one; accepted."""
    track_mesh_transforms: bool = True
    """Whether rays follow the target's motion, as they always do."""


class MultiMeshRayCaster(RayCaster):
    """Casts rays at several targets, moving and standing.

    Args:
        cfg: the configuration; the sensor works on a copy.
    """

    cfg: MultiMeshRayCasterCfg

    def __init__(self, cfg: MultiMeshRayCasterCfg):
        paths: list[Any] = [getattr(path, "prim_expr", path) for path in cfg.mesh_prim_paths]
        super().__init__(cfg.replace(mesh_prim_paths=paths))

    def _allocate(self, size: tuple[int, int], pos: wp.array, quat: wp.array, device: str) -> Any:
        made = super()._allocate(size, pos, quat, device)
        if self.cfg.update_mesh_ids:
            made.ray_mesh_ids = wp.full((*size, 1), -1, dtype=wp.int16, device=device)
            if isinstance(made, RayCasterCameraData):
                shape = (size[0], *made.image_shape, 1)
                made.image_mesh_ids = made.ray_mesh_ids.reshape(shape)
        return made

    def _make_caster(
        self, engine: Engine, geoms: NDArray[np.intp]
    ) -> HostRays | StaticRays | DeviceRays:
        if not self.cfg.update_mesh_ids:
            return super()._make_caster(engine, geoms)
        scene, numbers = engine.compiled.scene, np.full(engine.compiled.mj.ngeom + 1, -1, np.int16)
        for number, path in enumerate(self.cfg.mesh_prim_paths):
            found = target_geoms(engine, find_targets(scene, [path], self._simulation.env_paths))
            numbers[found] = np.where(numbers[found] < 0, number, numbers[found])
        ids = self._data.ray_mesh_ids.reshape(self._arrays.distance.shape)
        return HostRays(RayScene(engine, geoms), self._matches, self._arrays, numbers, ids)


@dataclass(kw_only=True)
class MultiMeshRayCasterCfg(RayCasterCfg):
    """Rays at several targets."""

    RaycastTargetCfg: ClassVar[type[RaycastTargetCfg]] = RaycastTargetCfg

    class_type: type[Any] | None = MultiMeshRayCaster
    """Class of the sensor."""
    mesh_prim_paths: list[Any] = field(default_factory=list)
    """Targets, as expressions or as `RaycastTargetCfg`."""
    update_mesh_ids: bool = False
    """Whether to tell which target each ray hits, in `ray_mesh_ids`; rays are cast by the host."""
    reference_meshes: bool = True
    """Whether equal meshes share memory, as they always do."""


class MultiMeshRayCasterCamera(MultiMeshRayCaster, RayCasterCamera):
    """Takes images of several targets, moving and standing; see `RayCasterCamera`.

    Args:
        cfg: the configuration; the sensor works on a copy.
    """

    cfg: MultiMeshRayCasterCameraCfg


@dataclass(kw_only=True)
class MultiMeshRayCasterCameraCfg(RayCasterCameraCfg, MultiMeshRayCasterCfg):
    """Cameras that see several targets."""

    class_type: type[Any] | None = MultiMeshRayCasterCamera
    """Class of the sensor."""
