"""Multi-mesh ray casters and cameras: rays at several targets, each with its settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from usdsim.core.configuration import Configuration
from usdsim.core.errors import UnsupportedError

from .camera import RayCasterCamera, RayCasterCameraCfg
from .cfg import RayCasterCfg
from .ray_caster import RayCaster

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

    Raises:
        UnsupportedError: which target each ray hits is asked for.
    """

    def __init__(self, cfg: MultiMeshRayCasterCfg):
        if cfg.update_mesh_ids:
            raise UnsupportedError(
                "MultiMeshRayCasterCfg.update_mesh_ids", "which target a ray hits is not told"
            )
        paths: list[Any] = [getattr(path, "prim_expr", path) for path in cfg.mesh_prim_paths]
        super().__init__(cfg.replace(mesh_prim_paths=paths))


@dataclass(kw_only=True)
class MultiMeshRayCasterCfg(RayCasterCfg):
    """Rays at several targets."""

    RaycastTargetCfg: ClassVar[type[RaycastTargetCfg]] = RaycastTargetCfg

    class_type: type[Any] | None = MultiMeshRayCaster
    """Class of the sensor."""
    mesh_prim_paths: list[Any] = field(default_factory=list)
    """Targets, as expressions or as `RaycastTargetCfg`."""
    update_mesh_ids: bool = False
    """Whether to tell which target each ray hits, which is not possible."""
    reference_meshes: bool = True
    """Whether equal meshes share memory, as they always do."""


class MultiMeshRayCasterCamera(MultiMeshRayCaster, RayCasterCamera):
    """Takes images of several targets, moving and standing; see `RayCasterCamera`.

    Args:
        cfg: the configuration; the sensor works on a copy.

    Raises:
        UnsupportedError: which target each ray hits is asked for.
    """

    cfg: MultiMeshRayCasterCameraCfg


@dataclass(kw_only=True)
class MultiMeshRayCasterCameraCfg(RayCasterCameraCfg, MultiMeshRayCasterCfg):
    """Cameras that see several targets."""

    class_type: type[Any] | None = MultiMeshRayCasterCamera
    """Class of the sensor."""
