"""Pictured parts of a page: meshes with a texture, as glTF, which browsers draw with it."""

from __future__ import annotations

import numpy as np
import trimesh
from numpy.typing import NDArray

from usdsim.core.extras import library
from usdsim.math.rotations import quat_apply
from usdsim.render.parts import Parts

from .serving import colour_bytes

__all__ = ["has_picture", "picture_glb"]

_ROUGHNESS = 0.8


def has_picture(parts: Parts, index: int) -> bool:
    """Whether a part is a mesh with a texture and with texture coordinates."""
    mesh, material = int(parts.mesh[index]), int(parts.material[index])
    if mesh < 0 or material < 0 or parts.textures.image[material] < 0:
        return False
    return parts.meshes[mesh].uvs is not None


def picture_glb(parts: Parts, index: int) -> bytes:
    """Binary glTF of a part with a texture, in the frame that it is fixed to [m]."""
    image = library("PIL.Image", "A textured part")
    mesh, material = parts.meshes[parts.mesh[index]], int(parts.material[index])
    local = parts.local[index]
    points = quat_apply(local[3:], mesh.points[mesh.faces].reshape(-1, 3)) + local[:3]
    uvs = np.reshape(mesh.uvs, (-1, 2)) * parts.textures.repeat[material]
    look = trimesh.visual.material.PBRMaterial(
        baseColorTexture=image.fromarray(parts.textures.images[parts.textures.image[material]]),
        baseColorFactor=colour_bytes(parts.rgba[index]),
        metallicFactor=0.0,
        roughnessFactor=_ROUGHNESS,
        doubleSided=mesh.two_sided,
    )
    # Its texture coordinates have v up, those of glTF and here down.
    visual = trimesh.visual.TextureVisuals(uvs * (1.0, -1.0) + (0.0, 1.0), material=look)
    corners = np.arange(len(points)).reshape(-1, 3)
    made = trimesh.Trimesh(
        points, corners, vertex_normals=_normals(parts, index), visual=visual, process=False
    )
    data: bytes = made.export(file_type="glb", include_normals=True)
    return data


def _normals(parts: Parts, index: int) -> NDArray[np.float64] | None:
    """Outward normals at the corners of faces in the same frame, shape (3 m, 3); None: of faces."""
    mesh = parts.meshes[parts.mesh[index]]
    if mesh.normals is None:
        return None
    return quat_apply(parts.local[index][3:], mesh.normals.reshape(-1, 3))
