"""Looks on a device: textures with smaller copies, materials, and normals at corners."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from usdsim.render.parts import Parts, SurfaceMesh, Textures

from .scene import Looks
from .texturing import LEVELS

__all__ = ["upload_looks", "upload_textures"]


def upload_looks(parts: Parts, worlds: int, device: str) -> tuple[Looks, list[int]]:
    """Upload how parts are painted, and where the corners of each mesh begin (-1: nowhere).

    Soft meshes have normals at their vertices in every world there instead.

    Args:
        parts: what is painted.
        worlds: number of worlds.
        device: where the arrays live.
    """
    looks = Looks()
    upload_textures(looks, parts.textures, parts.material[None], device)
    looks.sky, looks.background = parts.textures.sky, wp.vec3f(0.0, 0.0, 0.0)
    normals, uvs, starts = _corners(parts.meshes, worlds)
    of_part = np.append(starts, -1)[parts.mesh]
    looks.corner_first = _array(of_part, "i4", wp.int32, device)
    looks.corner_normal = _array(normals, "f4", wp.vec3f, device)
    looks.corner_uv = _array(uvs, "f4", wp.vec2f, device)
    return looks, starts


def upload_textures(
    looks: Looks, textures: Textures, material: NDArray[np.int32], device: str
) -> None:
    """Upload pictures and materials, and which material parts have.

    Args:
        looks: what gets them.
        textures: pictures and materials.
        material: materials of parts, -1: none, shape (1 or worlds, S).
        device: where the arrays live.
    """
    texels, address, extent = _pyramids(textures)
    # Kernels take no empty arrays, so there is one material more.
    for name, values, kind, dtype in (
        ("texels", texels, "u1", wp.vec3ub),
        ("address", address, "i4", wp.int32),
        ("extent", extent, "i4", wp.vec2i),
        ("material", material, "i4", wp.int32),
        ("texture", np.append(textures.image, -1), "i4", wp.int32),
        ("repeat", np.concatenate([textures.repeat, np.ones((1, 2))]), "f4", wp.vec2f),
        ("uniform", np.append(textures.uniform, False), "i4", wp.int32),
        ("gloss", np.concatenate([textures.gloss, np.zeros((1, 3))]), "f4", wp.vec3f),
    ):
        setattr(looks, name, _array(values, kind, dtype, device))


def _array(values: ArrayLike, kind: Any, dtype: Any, device: str) -> wp.array:
    return wp.array(np.ascontiguousarray(values, kind), dtype=dtype, device=device)


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


def _corners(
    meshes: tuple[SurfaceMesh, ...], worlds: int
) -> tuple[NDArray[Any], NDArray[Any], list[int]]:
    """Normals and texture coordinates at the corners of all meshes, and where each begins."""
    normals: list[NDArray[Any]] = [np.zeros((1, 3))]
    uvs: list[NDArray[Any]] = [np.zeros((1, 2))]
    starts, at = [], 1
    for mesh in meshes:
        count = worlds * len(mesh.points) if mesh.two_sided else 3 * len(mesh.faces)
        if not mesh.two_sided and mesh.normals is None and mesh.uvs is None:
            starts.append(-1)
            continue
        starts.append(at)
        at += count
        flat = mesh.normals is None
        normals.append(np.zeros((count, 3)) if flat else np.reshape(mesh.normals, (-1, 3)))  # type: ignore[arg-type]
        bare = mesh.uvs is None
        uvs.append(np.full((count, 2), np.inf) if bare else np.reshape(mesh.uvs, (-1, 2)))  # type: ignore[arg-type]
    return np.concatenate(normals), np.concatenate(uvs), starts
