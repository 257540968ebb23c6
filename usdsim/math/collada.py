"""Reading COLLADA (.dae) meshes: geometry, node transforms, colours, textures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import FileError

from .polygons import triangle_corners
from .raw_mesh import RawMaterial, RawMesh
from .rotations import quat_from_axis_angle, quat_to_matrix

__all__ = ["load_collada"]

Array = NDArray[np.float64]
Element = ElementTree.Element

_UP = {
    "X_UP": np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]),
    "Y_UP": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "Z_UP": np.eye(3),
}
_POLYGONS = ("triangles", "polylist", "polygons")
_MAX_DEPTH = 256


def load_collada(file: Path, *, z_up: bool = False) -> list[RawMesh]:
    """Read a COLLADA file, in metres.

    Args:
        file: the file.
        z_up: turn the file's up axis to Z; False keeps its coordinates.

    Raises:
        FileError: the file is not COLLADA.
    """
    try:
        root = ElementTree.parse(file).getroot()
    except ElementTree.ParseError as error:
        raise FileError(f"Cannot read mesh {str(file)!r}: {error}.") from error
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    if root.tag != "COLLADA":
        raise FileError(f"{str(file)!r} is not COLLADA: its root element is <{root.tag}>.")
    return _Document(file, root).meshes(z_up)


class _Document:
    def __init__(self, file: Path, root: Element):
        self._file = file
        self._root = root
        self._ids = {e.attrib["id"]: e for e in root.iter() if "id" in e.attrib}
        self._arrays: dict[str, Array] = {}

    def meshes(self, z_up: bool) -> list[RawMesh]:
        """Every polygon group of every instanced geometry."""
        unit = self._root.find("asset/unit")
        scale = float(unit.get("meter", 1.0)) if unit is not None else 1.0
        base = np.diag([scale, scale, scale, 1.0])
        if z_up:
            axis = (self._root.findtext("asset/up_axis") or "Y_UP").strip()
            base[:3, :3] = scale * _UP.get(axis, np.eye(3))
        instance = self._root.find("scene/instance_visual_scene")
        scene = self._target(instance) if instance is not None else None
        if scene is None:
            scene = self._root.find("library_visual_scenes/visual_scene")
        found: list[RawMesh] = []
        if scene is None:
            for geometry in self._root.iterfind("library_geometries/geometry"):
                found += self._geometry(geometry, base, {}, None)
            return found
        for node in scene.iterfind("node"):
            found += self._node(node, base, 0)
        return found

    def _node(self, node: Element, outer: Array, depth: int) -> Iterator[RawMesh]:
        if depth > _MAX_DEPTH:
            raise FileError(f"{str(self._file)!r} nests or repeats nodes without end.")
        matrix = outer
        for child in node:
            matrix = matrix @ _transform(child)
        for child in node:
            if child.tag == "node":
                yield from self._node(child, matrix, depth + 1)
            elif child.tag == "instance_node" and (target := self._target(child)) is not None:
                yield from self._node(target, matrix, depth + 1)
            elif child.tag == "instance_geometry" and (target := self._target(child)) is not None:
                bound = {
                    use.get("symbol", ""): use.get("target", "").lstrip("#")
                    for use in child.iter("instance_material")
                }
                yield from self._geometry(target, matrix, bound, node.get("name"))

    def _geometry(
        self, geometry: Element, matrix: Array, bound: dict[str, str], name: str | None
    ) -> Iterator[RawMesh]:
        mesh = geometry.find("mesh")
        for group in mesh if mesh is not None else ():
            if group.tag in _POLYGONS:
                symbol = group.get("material", "")
                material = self._material(bound.get(symbol, symbol))
                label = name or geometry.get("name") or geometry.get("id") or self._file.stem
                found = self._polygons(group, matrix, label, material)
                if found is not None:
                    yield found

    def _polygons(
        self, group: Element, matrix: Array, name: str, material: RawMaterial
    ) -> RawMesh | None:
        inputs = self._inputs(group)
        stride = 1 + max((offset for offset, _ in inputs.values()), default=0)
        lists = [_integers(p.text) for p in group.iterfind("p")]
        if "POSITION" not in inputs or not lists:
            return None
        corners = np.concatenate(lists).reshape(-1, stride)
        if group.tag == "polygons":
            counts = np.array([len(entry) // stride for entry in lists])
        elif group.tag == "polylist":
            counts = _integers(group.findtext("vcount"))
        else:
            counts = np.full(len(corners) // 3, 3)
        used = sorted({offset for offset, _ in inputs.values()})
        unique, index = np.unique(corners[:, used], axis=0, return_inverse=True)
        data = {
            semantic: values[unique[:, used.index(offset)]]
            for semantic, (offset, values) in inputs.items()
        }
        linear = matrix[:3, :3]
        faces = index.ravel().astype(np.int32)[triangle_corners(counts)]
        if np.linalg.det(linear) < 0.0:
            faces = faces[:, ::-1].copy()
        normals = data.get("NORMAL")
        if normals is not None:
            normals = normals[:, :3] @ np.linalg.inv(linear)
            normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        uvs = data.get("TEXCOORD")
        return RawMesh(
            name=name,
            points=data["POSITION"][:, :3] @ linear.T + matrix[:3, 3],
            faces=faces,
            normals=normals,
            uvs=None if uvs is None else uvs[:, :2],
            material=material,
        )

    def _inputs(self, group: Element) -> dict[str, tuple[int, Array]]:
        """Offset into a corner's indices, and the values, by semantic; the first of each."""
        found: dict[str, tuple[int, Array]] = {}
        for entry in group.iterfind("input"):
            offset = int(entry.get("offset", 0))
            target = self._target(entry, "source")
            if target is None:
                continue
            if target.tag == "vertices":
                for inner in target.iterfind("input"):
                    source = self._target(inner, "source")
                    if source is not None:
                        found.setdefault(inner.get("semantic", ""), (offset, self._values(source)))
            else:
                found.setdefault(entry.get("semantic", ""), (offset, self._values(target)))
        return found

    def _values(self, source: Element) -> Array:
        key = source.get("id", "")
        if key not in self._arrays:
            accessor = source.find("technique_common/accessor")
            stride = int(accessor.get("stride", 3)) if accessor is not None else 3
            numbers = (source.findtext("float_array") or "").split()
            self._arrays[key] = np.array(numbers, dtype=np.float64).reshape(-1, stride)
        return self._arrays[key]

    def _material(self, key: str) -> RawMaterial:
        material = self._ids.get(key)
        effect = material.find("instance_effect") if material is not None else None
        shader = self._target(effect) if effect is not None else None
        if material is None or shader is None:
            return RawMaterial()
        rgba = texture = emission = None
        color = shader.find(".//diffuse/color")
        if color is not None and color.text:
            rgba = np.array(color.text.split(), dtype=np.float64)
            rgba = np.append(rgba[:3], rgba[3] if len(rgba) > 3 else 1.0)
        glow = shader.find(".//emission/color")
        if glow is not None and glow.text:
            emission = np.array(glow.text.split()[:3], dtype=np.float64)
        image = shader.find(".//diffuse/texture")
        if image is not None:
            texture = self._image(shader, image.get("texture", ""))
        return RawMaterial(
            name=material.get("name") or key, rgba=rgba, emission=emission, texture=texture
        )

    def _image(self, shader: Element, key: str) -> Path | None:
        """Follow sampler and surface parameters to the image file."""
        for _ in range(4):
            image = self._ids.get(key)
            if image is not None and image.tag == "image":
                name = unquote((image.findtext("init_from") or "").strip()).removeprefix("file://")
                candidate = self._file.parent / name
                return candidate if name and candidate.is_file() else None
            for parameter in shader.iter("newparam"):
                if parameter.get("sid") == key:
                    key = (
                        parameter.findtext("sampler2D/source")
                        or parameter.findtext("surface/init_from")
                        or ""
                    ).strip()
                    break
        return None

    def _target(self, element: Element, attribute: str = "url") -> Element | None:
        return self._ids.get(element.get(attribute, "").lstrip("#"))


def _transform(element: Element) -> Array:
    """The matrix of one transform element; the identity for any other."""
    result = np.eye(4)
    if element.tag not in ("matrix", "translate", "rotate", "scale"):
        return result
    values: Any = np.array((element.text or "").split(), dtype=np.float64)
    if element.tag == "matrix":
        return values.reshape(4, 4)
    if element.tag == "translate":
        result[:3, 3] = values
    elif element.tag == "scale":
        result[:3, :3] = np.diag(values)
    else:
        axis = values[:3] / max(float(np.linalg.norm(values[:3])), 1e-300)
        result[:3, :3] = quat_to_matrix(quat_from_axis_angle(axis, math.radians(values[3])))
    return result


def _integers(text: str | None) -> NDArray[np.int64]:
    return np.array((text or "").split(), dtype=np.int64)
