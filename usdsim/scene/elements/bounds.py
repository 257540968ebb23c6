"""Axis-aligned bounding boxes of geoms, in their own frames and in world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.mjc_arrays import vertex_rows
from usdsim.math.meshes.bounds import bounds
from usdsim.scene.arrays import FloatArray, filled
from usdsim.scene.data.given import check_data
from usdsim.scene.elements.shape import Shape
from usdsim.scene.elements.shape_overrides import chosen_shape

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.elements.geom import Geom

__all__ = ["local_bounds", "world_bounds"]

Floats = NDArray[np.float64]

_ROUND = {
    Shape.Sphere: ((1, 0), (1, 0), (1, 0)),
    Shape.Capsule: ((1, 0), (1, 0), (1, 1)),
    Shape.Cylinder: ((1, 0), (1, 0), (0, 1)),
}
"""Half extents of shapes from radius and half length: how often each counts along x, y and z."""


def local_bounds(geom: Geom, data: SceneData, out: FloatArray | None = None) -> FloatArray | None:
    """Lowest and highest corner of a geom in its own frame; see `Geom.get_local_aabb`."""
    check_data(data, geom.model)
    corners = _corners(geom, data)
    return None if corners is None else _filled(data, corners, out)


def world_bounds(geom: Geom, data: SceneData, out: FloatArray | None = None) -> FloatArray | None:
    """Lowest and highest corner in world of a geom's own box; see `Geom.get_world_aabb`."""
    check_data(data, geom.model)
    corners = _corners(geom, data)
    if corners is None:
        return None
    rotation = geom.get_rotation_mat(data).astype(np.float64)
    low, high = corners[..., 0, :], corners[..., 1, :]
    centre = geom.get_position(data) + (rotation @ ((low + high) / 2)[..., None])[..., 0]
    half = (np.abs(rotation) @ ((high - low) / 2)[..., None])[..., 0]
    return _filled(data, np.stack([centre - half, centre + half], axis=-2), out)


def _filled(data: SceneData, corners: Floats, out: FloatArray | None) -> FloatArray:
    return filled(np.broadcast_to(corners, (*data.shape, 2, 3)), out, "bounds")


def _corners(geom: Geom, data: SceneData) -> Floats | None:
    """Corners with the shapes and sizes each world has, shape (2, 3) or (*B, 2, 3).

    None: unbounded.
    """
    source = geom.described
    shape, low = source.shape, source.model.low
    if shape is Shape.InfinitePlane:
        return None
    if shape is Shape.HField:
        x, y, top, _ = low.hfield_size[int(low.geom_dataid[source.engine_id])]
        heights = source.hfield.elevations if source.hfield is not None else np.zeros(1)
        z = top * heights.min(), top * heights.max()
        return np.array([[-x, -y, z[0]], [x, y, z[1]]])
    sizes = data.param("geom_size") if source is geom else low.geom_size
    size, mesh = sizes[..., source.engine_id, :], int(low.geom_dataid[source.engine_id])
    if source is not geom or not data.differs("geom_type"):
        return _box(shape, size, low, mesh)
    shapes, meshes = chosen_shape(geom, data), data.param("geom_dataid")[..., geom.engine_id]
    corners = np.zeros((*data.shape, 2, 3))
    for kind, mesh in np.unique(np.stack([shapes, meshes], -1).reshape(-1, 2), axis=0).tolist():
        mine = (shapes == kind) & (meshes == mesh)
        corners[mine] = _box(Shape.types()[kind], size[mine], low, mesh)
    return corners


def _box(shape: Shape, size: Floats, low: mujoco.MjModel, mesh: int) -> Floats:
    """Corners of a shape of some sizes, shape (..., 2, 3), or of a mesh, shape (2, 3)."""
    if shape in (Shape.Mesh, Shape.Sdf):
        return _mesh_corners(low, mesh)
    if shape in _ROUND:
        half = size[..., :2] @ np.array(_ROUND[shape], dtype=np.float64).T
    elif shape is Shape.Plane:
        half = size * (1.0, 1.0, 0.0)
    else:
        half = size
    return np.stack([-half, half], axis=-2)


def _mesh_corners(low: mujoco.MjModel, mesh: int) -> Floats:
    """Corners around the vertices of a mesh in the mesh's own frame."""
    vertices = low.mesh_vert[vertex_rows(low, mesh)].astype(np.float64)
    matrix = np.empty(9)
    # The engine moves vertices to the centre of mass and principal axes.
    mujoco.mju_quat2Mat(matrix, low.mesh_quat[mesh])
    vertices = vertices @ matrix.reshape(3, 3).T + low.mesh_pos[mesh]
    return bounds(vertices)
