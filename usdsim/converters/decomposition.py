"""Decomposition of mesh files into files of convex parts, by the optional package ``coacd``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import FileError, InvalidValueError
from usdsim.core.processors import side_by_side
from usdsim.core.transaction import replace_file
from usdsim.math.mesh_files.raw_mesh import RawMesh
from usdsim.math.mesh_files.reading import load_mesh
from usdsim.math.mesh_files.stl import binary_stl
from usdsim.math.meshes.operations import decompose as decompose_mesh

__all__ = ["DecomposeReport", "FileReport", "MeshReport", "decompose"]

Part: TypeAlias = "tuple[str, NDArray[Any], NDArray[Any]]"

_READ = (".obj", ".stl")
_BESIDE = "convex_parts"


@dataclass(frozen=True)
class MeshReport:
    """Decomposition of one mesh of a file."""

    name: str
    """Name in the file, or the file's."""
    part_count: int
    """Number of convex parts."""
    part_files: list[str] = field(default_factory=list)
    """Files with the parts, relative to the folder they are in."""
    skipped_reason: str = ""
    """Reason why there are no parts; empty: there are."""


@dataclass(frozen=True)
class FileReport:
    """Decomposition of one file."""

    path: str
    """The file that was read."""
    meshes: list[MeshReport] = field(default_factory=list)
    """Reports of the file's meshes."""
    fatal_error: str | None = None
    """Reason why nothing was made of it; None: something was."""


@dataclass(frozen=True)
class DecomposeReport:
    """Decomposition of files."""

    files: list[FileReport]
    """In the order of their names."""


def decompose(
    path: str | os.PathLike[str],
    *,
    threshold: float = 0.1,
    max_convex_hull: int = 64,
    output: str | os.PathLike[str] = _BESIDE,
    dry_run: bool = False,
) -> DecomposeReport:
    """Write each mesh of files as convex parts, a file for each that is read.

    Args:
        path: an OBJ or STL file, or a folder that is searched with all folders in it.
        threshold: concavity that a part may keep, relative to the mesh.
        max_convex_hull: number of parts at most.
        output: folder of the files ``<name>_convex.obj``, with the folders of what is read;
            ``"convex_parts"``: beside each file; of a single file also the name of an ``.obj`` or
            ``.stl`` file.
        dry_run: whether nothing is written.

    Returns:
        What was made; a file that cannot be read or written does not stop the others.

    Raises:
        FileError: there is no such file or folder.
        InvalidValueError: an argument is not allowed, or two files would have one result.
        UnsupportedError: the package is not installed.
    """
    source = Path(path)
    if not source.exists():
        raise FileError(f"Cannot decompose {str(path)!r}: there is no such file or folder.")
    files = [source]
    if source.is_dir():
        found = (file for file in source.rglob("*") if file.suffix.lower() in _READ)
        files = sorted(file for file in found if not file.stem.endswith("_convex"))
    elif source.suffix.lower() not in _READ:
        raise InvalidValueError("path", str(path), "an .obj or .stl file, or a folder")
    named = Path(output).suffix.lower() in _READ
    if named and source.is_dir():
        raise InvalidValueError("output", str(output), "a folder, as several files are read")
    if not 0.0 < threshold < np.inf:
        raise InvalidValueError("threshold", threshold, "above 0")
    if max_convex_hull < 1:
        raise InvalidValueError("max_convex_hull", max_convex_hull, "at least 1")
    limits = {"threshold": float(threshold), "max_hulls": int(max_convex_hull)}
    targets = [Path(output)] if named else _targets(source, files, output)
    return DecomposeReport(
        side_by_side(
            lambda pair: _decompose(*pair, limits, dry_run),
            list(zip(files, targets, strict=True)),
        )
    )


def _targets(source: Path, files: Sequence[Path], output: str | os.PathLike[str]) -> list[Path]:
    """Result of each file, each another one."""
    top = source if source.is_dir() else source.parent
    found: dict[Path, Path] = {}
    for file in files:
        beside = str(output) == _BESIDE
        folder = file.parent if beside else Path(output) / file.parent.relative_to(top)
        target = folder / f"{file.stem}_convex.obj"
        if target in found:
            raise InvalidValueError(
                "path", str(source), "files of different names",
                f"{found[target].name!r} and {file.name!r} would both become {str(target)!r}.",
            )  # fmt: skip
        found[target] = file
    return list(found)


def _decompose(file: Path, target: Path, limits: dict[str, Any], dry_run: bool) -> FileReport:
    try:
        meshes = load_mesh(file)
        parts = [_parts(mesh, mesh.name or file.stem, limits) for mesh in meshes]
        every = [part for own in parts for part in own]
        if every and not dry_run:
            _write(target, every)
    except FileError as error:
        return FileReport(str(file), fatal_error=str(error))
    reports = [
        MeshReport(
            mesh.name or file.stem,
            len(own),
            [target.name] if own else [],
            "" if own else "no convex part was found",
        )
        for mesh, own in zip(meshes, parts, strict=True)
    ]
    return FileReport(str(file), reports)


def _parts(mesh: RawMesh, name: str, limits: dict[str, Any]) -> list[Part]:
    found = decompose_mesh(mesh.points, mesh.faces, **limits)
    return [(f"{name}_{index}", *part) for index, part in enumerate(found)]


def _write(target: Path, parts: Sequence[Part]) -> None:
    replace_file(target, _stl(parts) if target.suffix.lower() == ".stl" else _obj(parts))


def _obj(parts: Sequence[Part]) -> bytes:
    lines, first = [], 1
    for name, points, faces in parts:
        lines.append(f"o {name}")
        lines.extend("v {!r} {!r} {!r}".format(*point) for point in points.tolist())
        lines.extend("f {} {} {}".format(*corners) for corners in (faces + first).tolist())
        first += len(points)
    return ("\n".join(lines) + "\n").encode()


def _stl(parts: Sequence[Part]) -> bytes:
    return binary_stl(np.concatenate([points[faces] for _, points, faces in parts]))
