"""Reading Wavefront (.obj) meshes and their materials."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import FileError

from .polygons import triangle_corners
from .raw_mesh import RawMaterial, RawMesh

__all__ = ["load_wavefront"]

Array = NDArray[np.float64]


@dataclass
class _Group:
    """Faces of one object with one material."""

    name: str
    material: str
    corners: dict[tuple[int, ...], int] = field(default_factory=dict)
    counts: list[int] = field(default_factory=list)
    indices: list[int] = field(default_factory=list)


def load_wavefront(file: Path) -> list[RawMesh]:
    """Read all objects of a Wavefront file, split by material, in file order.

    Args:
        file: the file; material libraries and textures that are missing are left out.

    Raises:
        FileError: a line cannot be understood.
    """
    values: dict[str, list[list[float]]] = {"v": [], "vt": [], "vn": []}
    groups: dict[tuple[str, str], _Group] = {}
    materials: dict[str, RawMaterial] = {}
    name, material = file.stem, ""
    for number, key, rest in _lines(file):
        try:
            if key in values:
                values[key].append([float(word) for word in rest.split()])
            elif key == "f":
                group = groups.setdefault((name, material), _Group(name, material))
                _add_face(group, rest.split(), values)
            elif key in ("o", "g"):
                name = rest or file.stem
            elif key == "usemtl":
                material = rest
            elif key == "mtllib":
                for library in (rest, *rest.split()):
                    materials |= _materials(file.parent / library)
        except (ValueError, IndexError) as error:
            raise FileError(f"Cannot read mesh {str(file)!r}, line {number}: {error}.") from error
    columns = {key: _table(file, key, rows) for key, rows in values.items()}
    return [_mesh(group, columns, materials.get(group.material)) for group in groups.values()]


def _lines(file: Path) -> Iterator[tuple[int, str, str]]:
    """Line number, keyword and the rest of each line; a backslash continues one."""
    held = ""
    text = file.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        line = held + line.rstrip()
        held = ""
        if line.endswith("\\"):
            held = line[:-1] + " "
            continue
        key, _, rest = line.strip().partition(" ")
        if key and not key.startswith("#"):
            yield number, key, rest.partition(" #")[0].strip()


def _add_face(group: _Group, words: list[str], values: dict[str, list[list[float]]]) -> None:
    if len(words) < 3:
        raise ValueError(f"a face has {len(words)} corners; allowed: three or more")
    for word in words:
        # Position, texture coordinate, normal: counted from 1, or back from the latest; 0: none.
        corner = []
        for key, part in zip(("v", "vt", "vn"), word.split("/"), strict=False):
            index = int(part) if part else 0
            have = len(values[key])
            if abs(index) > have:
                raise ValueError(f"corner {word!r} refers to {key} {index} of {have}")
            corner.append(index + have + 1 if index < 0 else index)
        if corner[0] == 0:
            raise ValueError(f"corner {word!r} has no position")
        group.indices.append(group.corners.setdefault(tuple(corner), len(group.corners)))
    group.counts.append(len(words))


def _table(file: Path, key: str, rows: list[list[float]]) -> Array:
    """Rows of numbers, as wide as the shortest."""
    width = min((len(row) for row in rows), default=0)
    needed = {"v": 3, "vt": 1, "vn": 3}[key]
    if rows and width < needed:
        raise FileError(f"Cannot read mesh {str(file)!r}: a {key!r} line has {width} numbers.")
    return np.array([row[:width] for row in rows], dtype=np.float64).reshape(len(rows), width)


def _mesh(group: _Group, columns: dict[str, Array], material: RawMaterial | None) -> RawMesh:
    width = min(len(corner) for corner in group.corners)
    corners = np.array([corner[:width] for corner in group.corners], dtype=np.int64)
    points = columns["v"][corners[:, 0] - 1]
    uvs = normals = None
    if width > 1 and corners[:, 1].all() and columns["vt"].shape[1] > 1:
        uvs = columns["vt"][corners[:, 1] - 1, :2]
    if width > 2 and corners[:, 2].all():
        normals = columns["vn"][corners[:, 2] - 1, :3]
        normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    colors = None
    if points.shape[1] == 6:
        colors = np.column_stack([points[:, 3:6], np.ones(len(points))])
    return RawMesh(
        name=group.name,
        points=points[:, :3].copy(),
        faces=np.array(group.indices, dtype=np.int32)[triangle_corners(group.counts)],
        uvs=uvs,
        normals=normals,
        colors=colors,
        material=material or RawMaterial(name=group.material),
    )


def _materials(library: Path) -> dict[str, RawMaterial]:
    if not library.is_file():
        return {}
    entries: dict[str, dict[str, str]] = {}
    current: dict[str, str] = {}
    for _, key, rest in _lines(library):
        if key == "newmtl":
            current = entries.setdefault(rest, {})
        else:
            current[key.lower()] = rest
    return {name: _material(library, name, entry) for name, entry in entries.items()}


def _material(library: Path, name: str, entry: dict[str, str]) -> RawMaterial:
    """From the keywords of one material, lower case."""
    rgba = None
    if "kd" in entry:
        opacity = 1.0
        if "d" in entry:
            opacity = float(entry["d"].split()[-1])
        elif "tr" in entry:
            opacity = 1.0 - float(entry["tr"].split()[-1])
        rgba = np.array([*map(float, entry["kd"].split()[:3]), opacity])
    emission = np.array(entry["ke"].split()[:3], dtype=np.float64) if "ke" in entry else None
    texture = None
    # Options such as "-s 1 1 1" stand before the name, which may contain spaces.
    named = entry.get("map_kd", "").replace("\\", "/")
    for candidate in (named, named.split(" ")[-1]):
        if candidate and (library.parent / candidate).is_file():
            texture = library.parent / candidate
            break
    return RawMaterial(
        name=name,
        rgba=rgba,
        emission=emission,
        roughness=float(entry["pr"]) if "pr" in entry else None,
        metallic=float(entry["pm"]) if "pm" in entry else None,
        texture=texture,
    )
