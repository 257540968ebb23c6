"""Terrain surface: some geoms by themselves, for rays that only they stop."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.mjc_arrays import elevations, face_rows, vertex_rows
from usdsim.engine.threads import ThreadedBatch
from usdsim.math.rotations import (
    quat_apply,
    quat_conjugate,
    quat_from_wxyz,
    quat_multiply,
    quat_to_wxyz,
)
from usdsim.scene.elements.geom import Geom

__all__ = ["TerrainSurface"]

_G = mujoco.mjtGeom
_FAR = 1e3
"""Height above planes, which have no top, at which rays start [m]."""


class TerrainSurface:
    """Shapes of geoms that stay where they are relative to each other, in the frame of the first.

    They are copied: what is written later into elevations or sizes does not reach them.

    Args:
        geoms: the geoms, all on one link or all in the world.
        threads: how many threads cast rays.
    """

    def __init__(self, geoms: Sequence[Geom], threads: int):
        low = geoms[0].model.low
        ids = [geom.engine_id for geom in geoms]
        spec = mujoco.MjSpec()
        base_quat = quat_from_wxyz(low.geom_quat[ids[0]])
        back = quat_conjugate(base_quat)
        quats = quat_multiply(back, quat_from_wxyz(low.geom_quat[ids]))
        places = quat_apply(back, low.geom_pos[ids] - low.geom_pos[ids[0]])
        points: list[NDArray[np.float64]] = []
        faces: list[NDArray[np.int32]] = []
        count = 0
        for geom, place, quat in zip(ids, places, quats, strict=True):
            if low.geom_type[geom] != _G.mjGEOM_MESH:
                _add(spec, low, geom, place, quat)
                continue
            corners, triangles = _triangles(low, int(low.geom_dataid[geom]))
            points.append(place + quat_apply(quat, corners))
            faces.append(triangles + count)
            count += len(corners)
        if points:
            # As one mesh, one hierarchy of boxes finds the few triangles near a ray.
            spec.add_mesh(
                name="surface",
                uservert=np.concatenate(points).astype(np.float32).ravel(),
                userface=np.concatenate(faces).astype(np.int32).ravel(),
                inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
            )
            element = spec.worldbody.add_geom(type=_G.mjGEOM_MESH, meshname="surface")
            element.contype = element.conaffinity = 0
        model = spec.compile()
        for field in range(model.nhfield):
            _restore(model, field, low, int(low.geom_dataid[_hfields(low, ids)[field]]))
        radius = low.geom_rbound[ids]
        # The top of each geom's bounding sphere, relative to the first geom.
        self._places, self._radius = places, np.where(radius > 0.0, radius, _FAR)
        self._batch = ThreadedBatch(model, threads, threads)

    def drop(
        self, pose: NDArray[np.float64], points: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Project points down onto the surface.

        Args:
            pose: of the first geom: position [m] and quaternion xyzw in world, shape (*B, 7).
            points: world x and y [m], shape (*B, n, 2).

        Returns:
            World z of the surface [m], shape (*B, n), and its normals in world, shape (*B, n, 3);
            NaN where nothing is below.
        """
        turn = pose[..., None, 3:]
        tops = quat_apply(turn, self._places)[..., 2] + self._radius
        top = pose[..., 2] + tops.max(axis=-1) + 1.0
        start = np.empty((*points.shape[:-1], 3))
        start[..., :2] = points - pose[..., None, :2]
        start[..., 2] = (top - pose[..., 2])[..., None]
        back = quat_conjugate(turn)
        local = quat_apply(back, start)
        down = np.broadcast_to(quat_apply(back, np.array([0.0, 0.0, -1.0])), local.shape)
        distance, normal = self._cast(local.reshape(-1, 3), down.reshape(-1, 3))
        distance = distance.reshape(points.shape[:-1])
        normal = quat_apply(turn, normal.reshape(*distance.shape, 3))
        missed = distance < 0.0
        height = np.where(missed, np.nan, top[..., None] - distance)
        normal[missed] = np.nan
        return height, normal

    def _cast(
        self, start: NDArray[np.float64], toward: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Distances, negative without a hit, and normals; threads share the rays."""
        threads, count = self._batch.nsim, len(start)
        bad = np.asarray(~np.isfinite(start).all(axis=-1))
        each = -(-count // threads)
        rays = np.zeros((2, each * threads, 3))
        rays[1, :, 2] = 1.0
        rays[0, :count], rays[1, :count] = np.where(bad[:, None], 0.0, start), toward
        if not count:
            return np.empty(0), np.empty((0, 3))
        pairs = rays.reshape(2, threads, each, 3)
        distance, _, normal = self._batch.ray(pairs[0], pairs[1], normal=True)
        distance, normal = distance.reshape(-1)[:count], normal.reshape(-1, 3)[:count]
        distance[bad] = -1.0
        return distance, normal


def _triangles(low: mujoco.MjModel, mesh: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Points in the geom's frame [m] and corners of triangles of a mesh."""
    points = np.asarray(low.mesh_vert[vertex_rows(low, mesh)], np.float64)
    return points, np.asarray(low.mesh_face[face_rows(low, mesh)], np.int32)


def _add(
    spec: mujoco.MjSpec,
    low: mujoco.MjModel,
    geom: int,
    place: NDArray[np.float64],
    quat: NDArray[np.float64],
) -> None:
    """Add a geom that is no mesh."""
    element = spec.worldbody.add_geom(
        type=_G(int(low.geom_type[geom])), pos=place, quat=quat_to_wxyz(quat)
    )
    element.contype = element.conaffinity = 0
    if low.geom_type[geom] != _G.mjGEOM_HFIELD:
        element.size = low.geom_size[geom]
        return
    field = int(low.geom_dataid[geom])
    rows, columns = int(low.hfield_nrow[field]), int(low.hfield_ncol[field])
    name = f"field{geom}"
    spec.add_hfield(name=name, size=low.hfield_size[field], nrow=rows, ncol=columns)
    spec.hfield(name).userdata = np.zeros(rows * columns, np.float32)
    element.hfieldname = name


def _hfields(low: mujoco.MjModel, ids: Sequence[int]) -> list[int]:
    return [geom for geom in ids if low.geom_type[geom] == _G.mjGEOM_HFIELD]


def _restore(model: mujoco.MjModel, field: int, low: mujoco.MjModel, source: int) -> None:
    """Copy elevations: the compiler would stretch them to the range 0 to 1."""
    elevations(model, field)[:] = elevations(low, source)
