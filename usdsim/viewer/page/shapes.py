"""Shapes of a page: geometries, looks and parts of a drawable scene."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from usdsim.render import DrawableScene, Parts
from usdsim.render.png import png_bytes
from usdsim.render.tessellation import decimated, part_triangles

from .packing import Packing

__all__ = ["describe_parts"]

_PLANE, _BOX = 0, 6
_ENDLESS = 30.0
"""Half extent of planes without end, in extents of the scene."""


def describe_parts(scene: DrawableScene, packing: Packing, budget: int) -> dict[str, Any]:
    """Geometries, pictures and parts, as a page reads them.

    Args:
        scene: what is shown.
        packing: takes arrays.
        budget: triangles of all geometries together, at most; more are decimated.
    """
    parts, known = scene.parts, {}
    triangles = sum(len(mesh.faces) for mesh in parts.meshes)
    share = min(1.0, budget / max(triangles, 1))
    geometries: list[dict[str, Any]] = []
    described = []
    extent = float(np.linalg.norm(np.ptp(scene.points, axis=0))) or 1.0
    for index, path in enumerate(parts.paths):
        key = _key(parts, index)
        if key not in known:
            known[key] = len(geometries)
            geometries.append(_geometry(parts, index, packing, share, _ENDLESS * extent))
        mesh = int(parts.mesh[index])
        described.append(
            {
                "path": path,
                "geometry": known[key],
                "frame": int(parts.frame[index]),
                "local": parts.local[index].tolist(),
                "rgba": parts.rgba[index].tolist(),
                "both": bool(mesh >= 0 and parts.meshes[mesh].two_sided),
                **_texture(parts, index),
            }
        )
    used = {part.get("image", -1) for part in described}
    images = [
        base64.b64encode(png_bytes(image)).decode() if k in used else ""
        for k, image in enumerate(parts.textures.images)
    ]
    return {"geometries": geometries, "images": images, "parts": described}


def _key(parts: Parts, index: int) -> tuple[Any, ...]:
    """Alike for parts of one geometry."""
    if parts.mesh[index] >= 0:
        return ("mesh", int(parts.mesh[index]))
    return (int(parts.kind[index]), *parts.size[index].tolist())


def _geometry(
    parts: Parts, index: int, packing: Packing, share: float, endless: float
) -> dict[str, Any]:
    points, faces = part_triangles(parts, index, endless=endless)
    mesh = parts.meshes[parts.mesh[index]] if parts.mesh[index] >= 0 else None
    found: dict[str, Any] = {"flat": int(parts.kind[index]) in (_PLANE, _BOX)}
    if mesh is not None and share < 1.0:
        points, faces = decimated(points, faces, share)
    elif mesh is not None:
        if mesh.normals is not None:
            found["normals"] = packing.add(np.round(127.0 * mesh.normals), np.int8)
        else:
            found["flat"] = True
        if mesh.uvs is not None:
            # The first row of a picture is at the top.
            found["uvs"] = packing.add(mesh.uvs * (1.0, -1.0) + (0.0, 1.0))
    elif int(parts.kind[index]) == _PLANE:
        found["uvs"] = packing.add(_plane_uvs(parts, index, points, faces))
    found["points"] = packing.add(points)
    found["faces"] = packing.add(faces, np.uint32)
    return found


def _plane_uvs(parts: Parts, index: int, points: Any, faces: Any) -> Any:
    """Texture coordinates of a plane, v up, at the corners of faces."""
    material = int(parts.material[index])
    textures = parts.textures
    repeat = textures.repeat[material] if material >= 0 else np.ones(2)
    uniform = bool(textures.uniform[material]) if material >= 0 else True
    half = np.where(parts.size[index][:2] > 0.0, parts.size[index][:2], 1.0)
    scale = 0.5 * repeat * (1.0 if uniform else 1.0 / half)
    return (points[:, :2] * scale)[faces]


def _texture(parts: Parts, index: int) -> dict[str, Any]:
    material = int(parts.material[index])
    image = int(parts.textures.image[material]) if material >= 0 else -1
    mesh = int(parts.mesh[index])
    mapped = parts.kind[index] == _PLANE or (mesh >= 0 and parts.meshes[mesh].uvs is not None)
    if image < 0 or not mapped:
        return {}
    repeat = [1.0, 1.0] if parts.kind[index] == _PLANE else parts.textures.repeat[material].tolist()
    return {"image": image, "repeat": repeat}
