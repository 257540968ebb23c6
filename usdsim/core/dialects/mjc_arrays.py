"""Arrays of MuJoCo's compiled models: rows of meshes, skins, height fields, flexes and textures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "bone_rows",
    "element_corners",
    "elevations",
    "face_rows",
    "part_rows",
    "texture_pixels",
    "vertex_rows",
]


def part_rows(model: Any, parts: str, index: int) -> slice:
    """Rows of the parts of an element: ``flex_vert``, ``skin_face``, ``tendon_`` and so on."""
    first = int(getattr(model, f"{parts}adr")[index])
    return slice(first, first + int(getattr(model, f"{parts}num")[index]))


def vertex_rows(model: Any, mesh: int) -> slice:
    """Rows of ``mesh_vert`` of a mesh."""
    return part_rows(model, "mesh_vert", mesh)


def face_rows(model: Any, mesh: int) -> slice:
    """Rows of ``mesh_face`` and the model's other arrays of triangles of a mesh."""
    return part_rows(model, "mesh_face", mesh)


def bone_rows(model: Any, skin: int) -> tuple[slice, slice]:
    """Rows of the bones of a skin, and of the vertices that they move."""
    bones = part_rows(model, "skin_bone", skin)
    counts = model.skin_bonevertnum[bones]
    first = int(model.skin_bonevertadr[bones.start]) if len(counts) else 0
    return bones, slice(first, first + int(counts.sum()))


def elevations(model: Any, field: int) -> NDArray[np.float32]:
    """Elevations of a height field as parts of its height, a view, shape (rows, columns)."""
    shape = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    first = int(model.hfield_adr[field])
    found: NDArray[np.float32] = model.hfield_data[first : first + shape[0] * shape[1]]
    return found.reshape(shape)


def element_corners(model: Any, flex: int) -> NDArray[np.int32]:
    """Own vertices of the elements of a flex, a view, shape (elements, dimension + 1)."""
    size, first = int(model.flex_dim[flex]) + 1, int(model.flex_elemdataadr[flex])
    found: NDArray[np.int32] = model.flex_elem[first : first + size * int(model.flex_elemnum[flex])]
    return found.reshape(-1, size)


def texture_pixels(model: Any, texture: int) -> NDArray[np.uint8]:
    """Pixels of a texture, top row first, a view, shape (height, width, channels)."""
    shape = tuple(
        int(sizes[texture]) for sizes in (model.tex_height, model.tex_width, model.tex_nchannel)
    )
    first = int(model.tex_adr[texture])
    return np.reshape(model.tex_data[first : first + np.prod(shape)], shape)
