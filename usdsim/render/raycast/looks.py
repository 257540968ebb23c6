"""Looks on a device: textures with smaller copies, materials, and normals at corners."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from usdsim.render.parts import Parts, SurfaceMesh, Textures

from .texturing import LEVELS, Looks

__all__ = ["upload_looks"]


def upload_looks(parts: Parts, device: str) -> tuple[Looks, list[int]]:
    """Upload how parts are painted, and where the corners of each mesh begin (-1: nowhere).

    Args:
        parts: what is painted.
        device: where the arrays live.
    """

    def array(values: ArrayLike, kind: Any, dtype: Any) -> wp.array:
        return wp.array(np.ascontiguousarray(values, kind), dtype=dtype, device=device)

    textures, looks = parts.textures, Looks()
    texels, address, extent = _pyramids(textures)
    looks.texels, looks.address = array(texels, "u1", wp.vec3ub), array(address, "i4", wp.int32)
    looks.extent = array(extent, "i4", wp.vec2i)
    looks.sky, looks.background = textures.sky, wp.vec3f(0.0, 0.0, 0.0)
    # Kernels take no empty arrays, so there is one material more.
    looks.material = array(parts.material, "i4", wp.int32)
    looks.texture = array(np.append(textures.image, -1), "i4", wp.int32)
    looks.repeat = array(np.concatenate([textures.repeat, np.ones((1, 2))]), "f4", wp.vec2f)
    looks.uniform = array(np.append(textures.uniform, False), "i4", wp.int32)
    looks.gloss = array(np.concatenate([textures.gloss, np.zeros((1, 3))]), "f4", wp.vec3f)
    normals, uvs, starts = _corners(parts.meshes)
    of_part = np.append(starts, -1)[parts.mesh]
    looks.corner_first = array(of_part, "i4", wp.int32)
    looks.corner_normal, looks.corner_uv = (
        array(normals, "f4", wp.vec3f),
        array(uvs, "f4", wp.vec2f),
    )
    return looks, starts


def _pyramids(textures: Textures) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Texels of all pictures and their halvings, where each begins, and sizes of the pictures."""
    levels, address = [np.full((1, 3), 255, np.uint8)], []
    at = 1
    for image in textures.images:
        level, last = image, at
        for halving in range(LEVELS):
            if halving == 0 or min(level.shape[:2]) > 1:
                level = image if halving == 0 else _halved(level)
                levels.append(level.reshape(-1, 3))
                last, at = at, at + len(levels[-1])
            address.append(last)
    extent = [image.shape[1::-1] for image in textures.images] or [(1, 1)]
    return np.concatenate(levels), np.array(address or [0]), np.array(extent)


def _halved(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The image at half its size, for surfaces far away."""
    height, width = (n - n % 2 for n in image.shape[:2])
    even = image[:height, :width].astype(np.uint16)
    blocks = even.reshape(height // 2, 2, width // 2, 2, 3)
    return (blocks.sum(axis=(1, 3)) // 4).astype(np.uint8)


def _corners(meshes: tuple[SurfaceMesh, ...]) -> tuple[NDArray[Any], NDArray[Any], list[int]]:
    """Normals and texture coordinates at the corners of all meshes, and where each begins."""
    normals: list[NDArray[Any]] = [np.zeros((1, 3))]
    uvs: list[NDArray[Any]] = [np.zeros((1, 2))]
    starts, at = [], 1
    for mesh in meshes:
        count = 3 * len(mesh.faces)
        if mesh.normals is None and mesh.uvs is None:
            starts.append(-1)
            continue
        starts.append(at)
        at += count
        flat = mesh.normals is None
        normals.append(np.zeros((count, 3)) if flat else np.reshape(mesh.normals, (-1, 3)))  # type: ignore[arg-type]
        bare = mesh.uvs is None
        uvs.append(np.full((count, 2), np.inf) if bare else np.reshape(mesh.uvs, (-1, 2)))  # type: ignore[arg-type]
    return np.concatenate(normals), np.concatenate(uvs), starts
