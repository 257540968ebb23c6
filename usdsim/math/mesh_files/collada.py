"""Reading COLLADA (.dae) meshes: geometry, node transforms, colours, textures."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import FileError
from usdsim.math.meshes.welding import weld

from .raw_mesh import RawMaterial, RawMesh

__all__ = ["load_collada"]

Part = tuple[Any, dict[str, Any], NDArray[np.float64], str]
"""Geometry, materials by symbol, matrix, name."""

_UP = {
    "X_UP": np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]),
    "Y_UP": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "Z_UP": np.eye(3),
}


def load_collada(file: Path, *, z_up: bool = False) -> list[RawMesh]:
    """Read a COLLADA file, in metres.

    Args:
        file: the file.
        z_up: turn the file's up axis to Z; False keeps its coordinates.

    Raises:
        FileError: the file is not COLLADA, or some of its geometry cannot be read.
    """
    document = _document(file)
    base = np.diag([document.assetInfo.unitmeter or 1.0] * 3 + [1.0])
    if z_up:
        base[:3, :3] @= _UP[document.assetInfo.upaxis or "Y_UP"]
    scene = document.scene or next(iter(document.scenes), None)
    if scene is None:
        parts: Iterator[Part] = ((part, {}, base, "") for part in document.geometries)
    else:
        parts = (part for node in scene.nodes for part in _parts(node, base, ""))
    return [mesh for part in parts for mesh in _meshes(file, document, *part)]


def _document(file: Path) -> Any:
    """The parsed file; looks that cannot be resolved are left out, lost geometry is an error."""
    import collada
    from collada import common

    known = [common.DaeUnsupportedError, common.DaeBrokenRefError, common.DaeIncompleteError]
    try:
        document = collada.Collada(str(file), ignore=known)
        root = document.xmlnode.getroot()
        if root.tag.rpartition("}")[2] != "COLLADA":
            raise FileError(f"{str(file)!r} is not COLLADA: its root element is <{root.tag}>.")
        changed = root.tag == "COLLADA"
        if changed:
            root.set("xmlns", "http://www.collada.org/2005/11/COLLADASchema")
        # The library drops a geometry together with a material that it cannot find.
        for binding in list(root.iter(document.tag("technique_common"))):
            for use in binding.findall(document.tag("instance_material")):
                if document.materials.get(use.get("target", "").lstrip("#")) is None:
                    binding.remove(use)
                    changed = True
        if changed:
            document = collada.Collada(io.BytesIO(ElementTree.tostring(root)), ignore=known)
    except (common.DaeError, ValueError, TypeError, AttributeError) as error:
        raise FileError(f"Cannot read mesh {str(file)!r}: {error}.") from error
    for name, loaded in (("mesh", document.geometries), ("visual_scene", document.scenes)):
        if len(list(document.xmlnode.iter(document.tag(name)))) > len(loaded):
            reasons = "; ".join(str(error) for error in document.errors)
            raise FileError(f"Cannot read every <{name}> of {str(file)!r}: {reasons}.")
    for use in document.xmlnode.iter(document.tag("instance_geometry")):
        link = use.get("url", "")
        if document.geometries.get(link.removeprefix("#")) is None:
            logging.getLogger(__name__).warning(
                "%r places geometry %r, which is missing or no mesh; it is left out.",
                str(file),
                link,
            )
    return document


def _parts(node: Any, outer: NDArray[np.float64], name: str) -> Iterator[Part]:
    """Every geometry below a node."""
    if hasattr(node, "geometry"):
        yield node.geometry, {use.symbol: use.target for use in node.materials}, outer, name
    elif hasattr(node, "matrix"):
        inner = getattr(node, "node", node)
        for child in inner.children:
            yield from _parts(child, outer @ inner.matrix, inner.xmlnode.get("name", ""))


def _meshes(
    file: Path,
    document: Any,
    geometry: Any,
    bound: dict[str, Any],
    matrix: NDArray[np.float64],
    name: str,
) -> Iterator[RawMesh]:
    """The triangles of every polygon group."""
    linear = matrix[:3, :3]
    for group in geometry.primitives:
        triangles = group.triangleset() if hasattr(group, "triangleset") else group
        if not hasattr(triangles, "ntriangles") or not len(triangles):
            continue
        inputs = {
            key: triangles.sources[key][0]
            for key in ("VERTEX", "NORMAL", "TEXCOORD")
            if triangles.sources.get(key)
        }
        corners = triangles.index.reshape(-1, triangles.nindices)
        if corners.min() < 0:
            raise FileError(f"{str(file)!r} has a negative index in geometry {geometry.id!r}.")
        used = corners[:, [entry[0] for entry in inputs.values()]]
        first, index = weld(used)
        data = {
            key: entry[4].data[used[first, i]].astype(np.float64)
            for i, (key, entry) in enumerate(inputs.items())
        }
        faces = index.reshape(-1, 3).astype(np.int32)
        normals = data.get("NORMAL")
        if normals is not None:
            normals = normals @ np.linalg.inv(linear)
            normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        uvs = data.get("TEXCOORD")
        material = bound.get(triangles.material) or document.materials.get(triangles.material)
        yield RawMesh(
            name=name or geometry.name or geometry.id or file.stem,
            points=data["VERTEX"] @ linear.T + matrix[:3, 3],
            faces=faces[:, ::-1].copy() if np.linalg.det(linear) < 0.0 else faces,
            normals=normals,
            uvs=None if uvs is None else uvs[:, :2],
            material=RawMaterial() if material is None else _material(file, material),
        )


def _material(file: Path, material: Any) -> RawMaterial:
    diffuse, emission = material.effect.diffuse, material.effect.emission
    texture = None
    if hasattr(diffuse, "sampler"):
        name = unquote(diffuse.sampler.surface.image.path.strip()).removeprefix("file://")
        texture = file.parent / name
    return RawMaterial(
        name=material.name or material.id,
        rgba=np.array((*diffuse[:3], (*diffuse, 1.0)[3])) if isinstance(diffuse, tuple) else None,
        emission=np.array(emission[:3]) if isinstance(emission, tuple) else None,
        texture=texture if texture and texture.is_file() else None,
    )
