"""Ray caster data."""

from __future__ import annotations

from dataclasses import dataclass

import warp as wp

__all__ = ["RayCasterData"]


@dataclass(kw_only=True, eq=False)
class RayCasterData:
    """Arrays of a ray caster. N instances, R rays."""

    pos_w: wp.array
    """Position of the prim, with the drift but without the offset, world [m], vec3f, shape (N,)."""
    quat_w: wp.array
    """Orientation of the prim, world, xyzw, quatf, shape (N,)."""
    ray_hits_w: wp.array
    """Hit points of the rays in world [m], infinite where they hit nothing, vec3f, shape (N, R)."""
    distances: wp.array
    """Lengths of the rays [m], infinite where they hit nothing, shape (N, R)."""
    normals: wp.array
    """Outward normals of what they hit, world, zero where they hit nothing, vec3f, shape (N, R)."""
    ray_mesh_ids: wp.array | None = None
    """Place of what each ray hits among `MultiMeshRayCasterCfg.mesh_prim_paths`, -1 for nothing,
    int16, shape (N, R, 1); None unless `update_mesh_ids`."""
