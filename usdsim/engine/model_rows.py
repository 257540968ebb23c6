"""Rows of the engine's model: vertices and triangles of a mesh, and the pixels of a texture."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["face_rows", "texture_pixels", "vertex_rows"]


def vertex_rows(model: mujoco.MjModel, mesh: int) -> slice:
    """Rows of ``mesh_vert`` of a mesh."""
    first = int(model.mesh_vertadr[mesh])
    return slice(first, first + int(model.mesh_vertnum[mesh]))


def face_rows(model: mujoco.MjModel, mesh: int) -> slice:
    """Rows of ``mesh_face`` and the model's other arrays of triangles of a mesh."""
    first = int(model.mesh_faceadr[mesh])
    return slice(first, first + int(model.mesh_facenum[mesh]))


def texture_pixels(model: mujoco.MjModel, texture: int) -> NDArray[np.uint8]:
    """Pixels of a texture, top row first, shape (height, width, channels)."""
    shape = tuple(
        int(sizes[texture]) for sizes in (model.tex_height, model.tex_width, model.tex_nchannel)
    )
    first = int(model.tex_adr[texture])
    return np.reshape(model.tex_data[first : first + np.prod(shape)], shape)
