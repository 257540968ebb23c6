"""Reading Wavefront (.obj) meshes and their materials."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import FileError
from usdsim.math.meshes.polygons import triangle_corners

from .number_lines import (
    LINE,
    SPACE,
    chosen_lines,
    count_per_line,
    evened,
    line_starts,
    parse_numbers,
    parse_table,
)
from .raw_mesh import RawMaterial, RawMesh

__all__ = ["load_wavefront"]

Array = NDArray[np.float64]


_BLOCK = re.compile(r"^(?:vt|vn|v|f) [^\n]*(?:\n(?:vt|vn|v|f) [^\n]*)*", re.MULTILINE)
"""Lines of numbers that follow one another: nearly all of a file."""
_SLASH, _FACE = b"/f"
_SECOND = {"v": SPACE, "vt": ord("t"), "vn": ord("n")}
"""Second letter of a line of a block, by its keyword."""
_SHORTEST = len("v 0\n")


@dataclass
class _FaceGroup:
    """Faces of one object with one material."""

    name: str
    material: str
    corners: list[NDArray[np.int64]] = field(default_factory=list)
    """Position, texture coordinate and normal, counted from 1; 0: none, -1: not written."""
    counts: list[NDArray[np.int64]] = field(default_factory=list)
    """Corners of each face."""


def load_wavefront(file: Path, may_read: Callable[[Path], bool] = Path.is_file) -> list[RawMesh]:
    """Read all objects of a Wavefront file, split by material, in file order.

    Args:
        file: the file; material libraries and textures that are missing are left out.
        may_read: whether a material library that exists is read.

    Raises:
        FileError: a line cannot be understood.
    """
    return _LineReader(file, may_read).meshes()


class _LineReader:
    """Reader of lines: those of numbers in blocks, all others one by one."""

    def __init__(self, file: Path, may_read: Callable[[Path], bool]):
        self._file, self._may_read = file, may_read
        self._values: dict[str, list[Array]] = {"v": [], "vt": [], "vn": []}
        self._have = {"v": 0, "vt": 0, "vn": 0}
        self._groups: dict[tuple[str, str], _FaceGroup] = {}
        self._materials: dict[str, RawMaterial] = {}
        self._name, self._material = file.stem, ""

    def meshes(self) -> list[RawMesh]:
        """Read the file."""
        text = self._file.read_text(encoding="utf-8", errors="replace")
        end = line = 0
        # A backslash continues a line, which only reading line by line sees.
        for block in _BLOCK.finditer(text) if "\\\n" not in text else ():
            between = text[end : block.start()]
            self._read_lines(between, line)
            line += between.count("\n")
            if not self._read_block(block[0]):
                self._read_lines(block[0], line)
            line += block[0].count("\n")
            end = block.end()
        self._read_lines(text[end:], line)
        columns = {key: self._table(key) for key in self._values}
        return [
            _mesh(group, columns, self._materials.get(group.material))
            for group in self._groups.values()
            if group.counts
        ]

    def _read_block(self, text: str) -> bool:
        """Read lines of numbers in any order, if all of a kind are of one form and allowed."""
        if "#" in text:
            return False
        signs = np.frombuffer(evened(text), np.uint8)
        starts = line_starts(signs)
        lengths = np.diff(starts, append=len(signs))
        if lengths.min() < _SHORTEST:
            return False
        is_face = signs[starts] == _FACE
        have, values = {}, {}
        for key, second in _SECOND.items():
            chosen = ~is_face & (signs[starts + 1] == second)
            have[key] = self._have[key] + np.cumsum(chosen)
            if chosen.any():
                table = parse_table(chosen_lines(signs, starts, lengths, chosen, len(key) + 1))
                if table is None:
                    return False
                values[key] = table
        if is_face.any():
            rows = chosen_lines(signs, starts, lengths, is_face, 2)
            if not self._read_faces(rows, [count[is_face] for count in have.values()]):
                return False
        for key, table in values.items():
            self._values[key].append(table)
            self._have[key] += len(table)
        return True

    def _read_faces(self, data: bytes, have: list[NDArray[np.int64]]) -> bool:
        """Read faces.

        Args:
            data: their lines without the keyword.
            have: how many of each kind of numbers precede each line.
        """
        signs = np.frombuffer(data, np.uint8)
        starts = np.flatnonzero((signs == SPACE) | (signs == LINE))[:-1] + 1
        slashes = np.add.reduceat(signs == _SLASH, np.concatenate([[0], starts]), dtype=np.int64)
        width, counts = int(slashes[0]) + 1, count_per_line(data, SPACE) + 1
        data = data.replace(b"//", b"/0/").replace(b"/", b" ")
        numbers = parse_numbers(data, np.int64)
        if numbers is None or (slashes != width - 1).any() or numbers.size != width * len(slashes):
            return False
        corners = np.full((len(slashes), 3), -1, np.int64)
        if width > 3 or (counts < 3).any():
            return False
        for column, before in zip(range(width), have, strict=False):
            index, before = numbers.reshape(-1, width)[:, column], np.repeat(before, counts)
            if (np.abs(index) > before).any():
                return False
            corners[:, column] = np.where(index < 0, index + before + 1, index)
        if (corners[:, 0] == 0).any():
            return False
        self._add(corners, counts)
        return True

    def _read_lines(self, text: str, before: int) -> None:
        """Read any lines.

        Raises:
            FileError: one cannot be understood; says which.
        """
        for number, key, rest in _lines(text, before):
            try:
                if key in self._values:
                    self._values[key].append(np.array([[float(word) for word in rest.split()]]))
                    self._have[key] += 1
                elif key == "f":
                    words = rest.split()
                    if len(words) < 3:
                        raise ValueError(f"a face has {len(words)} corners; allowed: three or more")
                    corners = np.array([self._corner(word) for word in words], np.int64)
                    self._add(corners, np.array([len(words)]))
                elif key in ("o", "g"):
                    self._name = rest or self._file.stem
                elif key == "usemtl":
                    self._material = rest
                elif key == "mtllib":
                    self._read_materials(rest)
            except (ValueError, IndexError) as error:
                raise FileError(
                    f"Cannot read mesh {str(self._file)!r}, line {number}: {error}."
                ) from error

    def _read_materials(self, names: str) -> None:
        """Read material libraries: one whose name has spaces in it, or several."""
        for name in dict.fromkeys((names, *names.split())):
            library = self._file.parent / name
            if library.is_file() and self._may_read(library):
                self._materials |= _materials(library)

    def _corner(self, word: str) -> list[int]:
        """Position, texture coordinate, normal: counted from 1, or back from the latest."""
        corner = [-1, -1, -1]
        for column, (key, part) in enumerate(zip(self._have, word.split("/"), strict=False)):
            index, have = int(part) if part else 0, self._have[key]
            if abs(index) > have:
                raise ValueError(f"corner {word!r} refers to {key} {index} of {have}")
            corner[column] = index + have + 1 if index < 0 else index
        if corner[0] == 0:
            raise ValueError(f"corner {word!r} has no position")
        return corner

    def _add(self, corners: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        at = self._name, self._material
        group = self._groups.setdefault(at, _FaceGroup(*at))
        group.corners.append(corners)
        group.counts.append(counts)

    def _table(self, key: str) -> Array:
        """Rows of numbers, as wide as the shortest."""
        parts = self._values[key]
        width = min((part.shape[1] for part in parts), default=0)
        needed = {"v": 3, "vt": 1, "vn": 3}[key]
        if parts and width < needed:
            raise FileError(
                f"Cannot read mesh {str(self._file)!r}: a {key!r} line has {width} numbers."
            )
        return np.concatenate([np.zeros((0, width)), *(part[:, :width] for part in parts)])


def _lines(text: str, before: int = 0) -> Iterator[tuple[int, str, str]]:
    """Line number, keyword and the rest of each line; a backslash continues one."""
    held = ""
    for number, line in enumerate(text.splitlines(), before + 1):
        line = held + line.rstrip()
        held = ""
        if line.endswith("\\"):
            held = line[:-1] + " "
            continue
        key, _, rest = line.strip().partition(" ")
        if key and not key.startswith("#"):
            yield number, key, rest.partition(" #")[0].strip()


def _welded(corners: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Different corners in the order they come in, and which of them each one is."""
    highest = corners.max(axis=0) + 2
    if float(highest[0]) * float(highest[1]) * float(highest[2]) < 2.0**62:
        position, uv, normal = (corners + 1).T
        keys = (position * highest[1] + uv) * highest[2] + normal
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    else:
        _, first, which = np.unique(corners, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return corners[first[order]], place[which.reshape(-1)]


def _mesh(group: _FaceGroup, columns: dict[str, Array], material: RawMaterial | None) -> RawMesh:
    written = np.concatenate(group.corners)
    width = 1 + int((written[:, 1:] >= 0).all(axis=0).cumprod().sum())
    corners, indices = _welded(written)
    counts = np.concatenate(group.counts)
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
        faces=indices.astype(np.int32)[triangle_corners(counts)],
        uvs=uvs,
        normals=normals,
        colors=colors,
        material=material or RawMaterial(name=group.material),
    )


def _materials(library: Path) -> dict[str, RawMaterial]:
    entries: dict[str, dict[str, str]] = {}
    current: dict[str, str] = {}
    for _, key, rest in _lines(library.read_text(encoding="utf-8", errors="replace")):
        if key == "newmtl":
            current = entries.setdefault(rest, {})
        else:
            current[key.lower()] = rest
    return {name: _material(library, name, entry) for name, entry in entries.items()}


def _material(library: Path, name: str, entry: dict[str, str]) -> RawMaterial:
    """Material of the keywords of one entry, lower case."""
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
