"""Ray surface: static shapes as triangles and planes."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.mjc_arrays import elevations, face_rows, vertex_rows
from usdsim.math.meshes.height_fields import height_field_shell
from usdsim.math.meshes.primitives import BOX_CORNERS, BOX_FACES

__all__ = ["RaySurface", "has_surface", "surface_of"]

Array = NDArray[np.float64]
Faces = NDArray[np.int32]

_T = mujoco.mjtGeom
_PLANE, _BOX = int(_T.mjGEOM_PLANE), int(_T.mjGEOM_BOX)
_MESH, _HFIELD = int(_T.mjGEOM_MESH), int(_T.mjGEOM_HFIELD)
_MOST = 2_000_000
"""Triangles beyond which hierarchies of them take too much memory and time to build."""


@dataclass(frozen=True, eq=False)
class RaySurface:
    """Triangles and planes in world."""

    centre: Array
    """Point from which points count [m], shape (3,)."""
    points: Array
    """Corners [m], shape (n, 3)."""
    faces: Faces
    """Indices of corners, counterclockwise from outside, shape (m, 3)."""
    planes: Array
    """Position [m], axes row by row, and half sizes along x and y [m] (0: infinite) of planes,
    shape (k, 14)."""


def has_surface(model: mujoco.MjModel, geoms: NDArray[np.intp]) -> bool:
    """Whether shapes are made of triangles and planes, not too many."""
    kinds = model.geom_type[geoms]
    if not np.isin(kinds, (_PLANE, _BOX, _MESH, _HFIELD)).all():
        return False
    fields = model.geom_dataid[geoms[kinds == _HFIELD]]
    meshes = model.geom_dataid[geoms[kinds == _MESH]]
    cells = model.hfield_nrow[fields].astype(np.int64) * model.hfield_ncol[fields]
    return bool(2 * cells.sum() + model.mesh_facenum[meshes].sum() <= _MOST)


def surface_of(model: mujoco.MjModel, geoms: NDArray[np.intp]) -> RaySurface:
    """Surface of shapes that stand still.

    Args:
        model: the engine's model.
        geoms: its shapes, all such that `has_surface`.
    """
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    points: list[Array] = [np.zeros((0, 3))]
    faces: list[Faces] = [np.zeros((0, 3), np.int32)]
    planes = []
    count = 0
    for geom in geoms.tolist():
        pos, axes = data.geom_xpos[geom], data.geom_xmat[geom]
        if model.geom_type[geom] == _PLANE:
            planes.append(np.concatenate([pos, axes, model.geom_size[geom, :2]]))
            continue
        for corners, triangles in _parts(model, geom):
            points.append(pos + corners @ axes.reshape(3, 3).T)
            faces.append(triangles + np.int32(count))
            count += len(corners)
    every = np.concatenate(points)
    centre = 0.5 * (every.min(axis=0) + every.max(axis=0)) if len(every) else np.zeros(3)
    return RaySurface(
        centre, every - centre, np.concatenate(faces), np.array(planes).reshape(len(planes), 14)
    )


def _parts(model: mujoco.MjModel, geom: int) -> list[tuple[Array, Faces]]:
    """Corners in the shape's frame [m] and triangles of its parts."""
    if model.geom_type[geom] == _BOX:
        return [(BOX_CORNERS * model.geom_size[geom], BOX_FACES)]
    index = int(model.geom_dataid[geom])
    if model.geom_type[geom] == _HFIELD:
        return _height_field(model, index)
    corners = np.asarray(model.mesh_vert[vertex_rows(model, index)], np.float64)
    return [(corners, np.asarray(model.mesh_face[face_rows(model, index)], np.int32))]


def _height_field(model: mujoco.MjModel, index: int) -> list[tuple[Array, Faces]]:
    """The box below a height field, and what rises from it: its top and its sides."""
    x, y, top, below = model.hfield_size[index].tolist()
    box = BOX_CORNERS * (x, y, 0.5 * below) - (0.0, 0.0, 0.5 * below)
    risen = height_field_shell(top * elevations(model, index).astype(np.float64), (x, y), 0.0)
    return [(box, BOX_FACES), risen]
