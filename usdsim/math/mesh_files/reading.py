"""Reading mesh files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from usdsim.core.boundary import require_fetched
from usdsim.core.errors import FileError, MissingFileError
from usdsim.math.meshes.welding import number

from .collada import load_collada
from .raw_mesh import RawMaterial, RawMesh
from .stl import binary_corners
from .textures import PngTextures
from .wavefront import load_wavefront

__all__ = ["MESH_SUFFIXES", "load_mesh"]

MESH_SUFFIXES = (".stl", ".obj", ".dae", ".gltf", ".glb", ".ply", ".off")
"""File name endings `load_mesh` reads."""

_Y_TO_Z = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def load_mesh(
    path: str | os.PathLike[str],
    *,
    z_up: bool = False,
    may_read: Callable[[Path], bool] = Path.is_file,
) -> list[RawMesh]:
    """Read every geometry of a mesh file.

    Args:
        path: STL, OBJ (all its shapes), COLLADA, glTF, PLY or OFF file.
        z_up: turn glTF (which is Y up) and Y-up COLLADA to Z up. False keeps the file's
            coordinates, which is what URDF means.
        may_read: whether another file that the mesh names is read: a material library of OBJ, a
            buffer or picture of glTF, a picture of PLY. Pictures that OBJ and COLLADA name are not
            read here, but named in the result.

    Raises:
        FileError: the file is missing, a pointer of Git LFS, malformed, of another format, or has
            no triangles.
    """
    file = Path(path)
    if not file.is_file():
        raise MissingFileError(f"No such mesh file: {str(file)!r}.")
    require_fetched(file)
    suffix = file.suffix.lower()
    if suffix not in MESH_SUFFIXES:
        raise FileError(
            f"{str(file)!r} is not a mesh file usdsim reads; allowed: {', '.join(MESH_SUFFIXES)}."
        )
    try:
        meshes = _load(file, suffix, z_up, may_read)
    except FileError:
        raise
    except Exception as error:  # Decoders raise whatever they stumble over.
        reason = f"{type(error).__name__}: {error}"
        raise FileError(f"Cannot read mesh {str(file)!r} ({reason}).") from error
    meshes = [mesh for mesh in meshes if len(mesh.faces)]
    if not meshes:
        raise FileError(f"Mesh {str(file)!r} has no triangles.")
    for mesh in meshes:
        if not np.isfinite(mesh.points).all():
            raise FileError(f"Mesh {str(file)!r} has points that are not finite ({mesh.name!r}).")
        if mesh.faces.min() < 0 or mesh.faces.max() >= len(mesh.points):
            raise FileError(
                f"Mesh {str(file)!r} has corners from {mesh.faces.min()} to {mesh.faces.max()}, "
                f"but {len(mesh.points)} points ({mesh.name!r})."
            )
    if z_up and suffix in (".gltf", ".glb"):
        meshes = [_transformed(mesh, _Y_TO_Z) for mesh in meshes]
    return meshes


def _load(file: Path, suffix: str, z_up: bool, may_read: Callable[[Path], bool]) -> list[RawMesh]:
    if suffix == ".dae":
        return load_collada(file, z_up=z_up)
    if suffix == ".obj":
        return load_wavefront(file, may_read)
    corners = binary_corners(file.read_bytes()) if suffix == ".stl" else None
    if corners is None:
        return _load_trimesh(file, may_read)
    points, faces = _merge(corners)
    return [RawMesh(name=file.stem, points=points, faces=faces)]


def _load_trimesh(file: Path, may_read: Callable[[Path], bool]) -> list[RawMesh]:
    import trimesh
    from trimesh.resolvers import FilePathResolver

    class Companions(FilePathResolver):
        """Files that the mesh names, of which only those that may be are read."""

        def get(self, name: str) -> bytes:
            for candidate in (file.parent / name, file.parent / unquote(name)):
                if candidate.is_file() and may_read(candidate):
                    return candidate.read_bytes()
            raise FileNotFoundError(f"{name!r} is missing, or must not be read")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        scene = trimesh.load_scene(file, process=False, resolver=Companions(str(file)))
    meshes, textures = [], PngTextures()
    for node in scene.graph.nodes_geometry:
        transform, key = scene.graph[node]
        geometry = scene.geometry[key]
        if not isinstance(geometry, trimesh.Trimesh) or not len(geometry.faces):
            continue
        meshes.append(_raw_mesh(file, str(node), geometry, np.asarray(transform), textures))
    return meshes


def _raw_mesh(
    file: Path,
    name: str,
    geometry: Any,
    transform: NDArray[np.float64],
    textures: PngTextures,
) -> RawMesh:
    points = np.array(geometry.vertices, dtype=np.float64)
    faces = np.array(geometry.faces, dtype=np.int32)
    normals = None
    if "vertex_normals" in geometry._cache:
        normals = np.array(geometry.vertex_normals, dtype=np.float64)
    linear = transform[:3, :3]
    if not np.array_equal(transform, np.eye(4)):
        points = points @ linear.T + transform[:3, 3]
        if np.linalg.det(linear) < 0.0:
            faces = faces[:, ::-1].copy()
        if normals is not None:
            normals = normals @ np.linalg.inv(linear)
            normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    if file.suffix.lower() == ".stl":
        # The format repeats every corner; equal ones are one point.
        points, faces = _merge(points[faces.ravel()].astype(np.float32))
        normals = None
    return RawMesh(
        name=file.stem if name.startswith("geometry_") or name == file.name else name,
        points=points,
        faces=faces,
        normals=normals,
        **_visual(geometry.visual, len(points), textures),
    )


def _merge(corners: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Points and triangles of corners: equal ones are one point, in order of first use."""
    first, place = number(corners + np.float32(0.0))  # of two zeros, none is the negative one
    return corners[first].astype(np.float64), place.reshape(-1, 3).astype(np.int32)


def _visual(visual: Any, count: int, textures: PngTextures) -> dict[str, Any]:
    found: dict[str, Any] = {}
    uvs = getattr(visual, "uv", None)
    if uvs is not None and np.shape(uvs) == (count, 2):
        found["uvs"] = np.array(uvs, dtype=np.float64)
    if getattr(visual, "kind", None) == "vertex" and len(visual.vertex_colors) == count:
        found["colors"] = np.array(visual.vertex_colors, dtype=np.float64) / 255.0
    material = getattr(visual, "material", None)
    if material is not None:
        found["material"] = _material(material, textures)
    return found


def _material(source: Any, textures: PngTextures) -> RawMaterial:
    """Material of a trimesh ``SimpleMaterial`` or ``PBRMaterial``."""
    image = getattr(source, "baseColorTexture", None) or getattr(source, "image", None)
    color = getattr(source, "baseColorFactor", None)
    emission = getattr(source, "emissiveFactor", None)
    return RawMaterial(
        name=str(getattr(source, "name", None) or ""),
        rgba=_rgba(color if color is not None else getattr(source, "diffuse", None)),
        emission=None if emission is None else np.array(emission, dtype=np.float64)[:3],
        roughness=_number(getattr(source, "roughnessFactor", None)),
        metallic=_number(getattr(source, "metallicFactor", None)),
        texture_png=textures.png(image),
    )


def _rgba(color: Any) -> NDArray[np.float64] | None:
    if color is None:
        return None
    values = np.asarray(color)
    scaled = values / 255.0 if values.dtype.kind in "ui" else values.astype(np.float64)
    return np.append(scaled[:3], scaled[3] if len(scaled) > 3 else 1.0)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _transformed(mesh: RawMesh, rotation: NDArray[np.float64]) -> RawMesh:
    return RawMesh(
        name=mesh.name,
        points=mesh.points @ rotation.T,
        faces=mesh.faces,
        uvs=mesh.uvs,
        normals=None if mesh.normals is None else mesh.normals @ rotation.T,
        colors=mesh.colors,
        material=mesh.material,
    )
