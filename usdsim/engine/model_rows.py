"""Rows of the engine's model: those of meshes, height fields, soft bodies and textures."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["element_corners", "elevations", "face_rows", "texture_pixels", "vertex_rows"]


def vertex_rows(model: mujoco.MjModel, mesh: int) -> slice:
    """Rows of ``mesh_vert`` of a mesh."""
    first = int(model.mesh_vertadr[mesh])
    return slice(first, first + int(model.mesh_vertnum[mesh]))


def face_rows(model: mujoco.MjModel, mesh: int) -> slice:
    """Rows of ``mesh_face`` and the model's other arrays of triangles of a mesh."""
    first = int(model.mesh_faceadr[mesh])
    return slice(first, first + int(model.mesh_facenum[mesh]))


def elevations(model: mujoco.MjModel, field: int) -> NDArray[np.float32]:
    """Elevations of a height field as parts of its height, a view, shape (rows, columns)."""
    shape = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    first = int(model.hfield_adr[field])
    found: NDArray[np.float32] = model.hfield_data[first : first + shape[0] * shape[1]]
    return found.reshape(shape)


def element_corners(model: mujoco.MjModel, flex: int) -> NDArray[np.int32]:
    """Own vertices of the elements of a flex, a view, shape (elements, dimension + 1)."""
    size, first = int(model.flex_dim[flex]) + 1, int(model.flex_elemdataadr[flex])
    found: NDArray[np.int32] = model.flex_elem[first : first + size * int(model.flex_elemnum[flex])]
    return found.reshape(-1, size)


def texture_pixels(model: mujoco.MjModel, texture: int) -> NDArray[np.uint8]:
    """Pixels of a texture, top row first, shape (height, width, channels)."""
    shape = tuple(
        int(sizes[texture]) for sizes in (model.tex_height, model.tex_width, model.tex_nchannel)
    )
    first = int(model.tex_adr[texture])
    return np.reshape(model.tex_data[first : first + np.prod(shape)], shape)
