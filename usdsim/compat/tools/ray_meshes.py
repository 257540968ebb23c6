"""Rays at Warp meshes under the names of Isaac Lab: where they end, on which triangle and mesh."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import warp as wp

from usdsim.core.arguments import on_host

from .ray_kernels import nearest_triangle

__all__ = ["raycast_dynamic_meshes", "raycast_mesh", "raycast_single_mesh"]


def raycast_dynamic_meshes(
    ray_starts: torch.Tensor,
    ray_directions: torch.Tensor,
    mesh_ids_wp: wp.array,
    mesh_positions_w: torch.Tensor | None = None,
    mesh_orientations_w: torch.Tensor | None = None,
    max_dist: float = 1e6,
    return_distance: bool = False,
    return_normal: bool = False,
    return_face_id: bool = False,
    return_mesh_id: bool = False,
) -> tuple[torch.Tensor | None, ...]:
    """Ends of rays at meshes that stand at poses; infinite, or -1, where they hit none.

    Args:
        ray_starts: in world [m], shape (N, R, 3).
        ray_directions: unit vectors in world, shape (N, R, 3).
        mesh_ids_wp: ids of Warp meshes, shape (N, M), or (1, M) for all.
        mesh_positions_w: where they are [m], shape (N, M, 3); None: at the origin.
        mesh_orientations_w: how they are turned, xyzw, shape (N, M, 4); None: not.
        max_dist: how far rays reach [m].
        return_distance: whether to tell lengths [m].
        return_normal: whether to tell normals in world.
        return_face_id: whether to tell triangles.
        return_mesh_id: whether to tell columns of `mesh_ids_wp`.

    Returns:
        Hits in world [m], shape (N, R, 3), lengths, normals, triangles and meshes; None for what is
        not asked for.
    """
    ids = mesh_ids_wp if mesh_ids_wp.ndim == 2 else mesh_ids_wp.reshape((1, -1))
    columns, device = ids.shape[1], ids.device
    parts = [_table(mesh_positions_w, columns, [0, 0, 0]),
             _table(mesh_orientations_w, columns, [0, 0, 0, 1])]  # fmt: skip
    rows = max(len(part) for part in parts)
    poses = np.concatenate([np.broadcast_to(p, (rows, *p.shape[1:])) for p in parts], axis=2)
    starts, directions = (t.detach().float().contiguous() for t in (ray_starts, ray_directions))
    size = tuple(starts.shape[:2])
    far = wp.full(size, np.inf, dtype=wp.float32, device=device)
    lost = [wp.full(size, -1, dtype=wp.int32, device=device) for _ in range(2)]
    normals = wp.full(size, wp.vec3f(np.inf, np.inf, np.inf), dtype=wp.vec3f, device=device)
    rays = [wp.from_torch(t, dtype=wp.vec3f) for t in (starts, directions)]
    placed = wp.array(poses, dtype=wp.transformf, device=device)
    outputs = [far, normals, *lost]
    wp.launch(nearest_triangle, size, [ids, placed, *rays, max_dist], outputs, device=device)
    found = [wp.to_torch(array) for array in outputs]
    reach = found[0].unsqueeze(-1)
    hits = torch.where(torch.isfinite(reach), starts + reach * directions, reach)
    wanted = (return_distance, return_normal, return_face_id, return_mesh_id)
    told = [part if keep else None for part, keep in zip(found, wanted, strict=True)]
    return (hits.to(ray_starts.device), *told)


def _table(values: Any, columns: int, default: list[int]) -> np.ndarray[Any, Any]:
    """Numbers of meshes, shape (rows, columns, ...)."""
    if values is None:
        return np.tile(np.array(default, np.float32), (1, columns, 1))
    return np.asarray(on_host(values), np.float32).reshape(-1, columns, len(default))


def raycast_single_mesh(
    ray_starts: torch.Tensor,
    ray_directions: torch.Tensor,
    mesh_id: int,
    max_dist: float = 1e6,
    return_distance: bool = False,
    return_normal: bool = False,
    return_face_id: bool = False,
) -> tuple[torch.Tensor | None, ...]:
    """Ends of rays at one mesh in world; see `raycast_dynamic_meshes`.

    Args:
        ray_starts: in world [m], shape (N, R, 3).
        ray_directions: unit vectors in world, shape (N, R, 3).
        mesh_id: id of the Warp mesh.
        max_dist: how far rays reach [m].
        return_distance: whether to tell lengths [m].
        return_normal: whether to tell normals in world.
        return_face_id: whether to tell triangles.
    """
    ids = wp.array([[int(mesh_id)]], dtype=wp.uint64, device=str(ray_starts.device))
    wanted = (return_distance, return_normal, return_face_id)
    found = raycast_dynamic_meshes(ray_starts, ray_directions, ids, None, None, max_dist, *wanted)
    return found[:4]


def raycast_mesh(
    ray_starts: torch.Tensor,
    ray_directions: torch.Tensor,
    mesh: wp.Mesh,
    max_dist: float = 1e6,
    return_distance: bool = False,
    return_normal: bool = False,
    return_face_id: bool = False,
) -> tuple[torch.Tensor | None, ...]:
    """Ends of rays at a mesh, in the shape the rays have; see `raycast_single_mesh`.

    Args:
        ray_starts: in world [m], shape (..., 3).
        ray_directions: unit vectors in world, shape (..., 3).
        mesh: the mesh.
        max_dist: how far rays reach [m].
        return_distance: whether to tell lengths [m].
        return_normal: whether to tell normals in world.
        return_face_id: whether to tell triangles.
    """
    shape = ray_starts.shape[:-1]
    starts, directions = ray_starts.reshape(1, -1, 3), ray_directions.reshape(1, -1, 3)
    wanted = (return_distance, return_normal, return_face_id)
    found = raycast_single_mesh(starts, directions, mesh.id, max_dist, *wanted)
    return tuple(None if f is None else f.reshape(*shape, *f.shape[2:]) for f in found)
