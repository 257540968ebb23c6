"""File type detection of sources."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal

from usdsim._resources import elsewhere
from usdsim.core.boundary import boundary, require_fetched
from usdsim.core.errors import ConversionError, FileError, MissingFileError
from usdsim.math.mesh_files.reading import MESH_SUFFIXES
from usdsim.usd.stage import USD_SUFFIXES

__all__ = ["SOURCE_SUFFIXES", "XML_SUFFIXES", "SourceKind", "source_kind"]

SourceKind = Literal["mjcf", "urdf", "mesh", "usd"]

XML_SUFFIXES = (".xml", ".mjcf", ".urdf", ".xacro")
"""File name endings of robots and scenes in XML."""
SOURCE_SUFFIXES = (*XML_SUFFIXES, *MESH_SUFFIXES, *USD_SUFFIXES)
"""File name endings `convert` takes."""

_SKIPPED = re.compile(rb"<\?.*?\?>|<!--.*?-->|<!DOCTYPE.*?>", re.DOTALL)
_ELEMENT = re.compile(rb"<\s*([A-Za-z_][\w:.-]*)")
_ROOTS: dict[bytes, SourceKind] = {b"mujoco": "mjcf", b"mujocoinclude": "mjcf", b"robot": "urdf"}


def source_kind(path: Path) -> SourceKind:
    """Kind of a file, by its name, and by its root element for XML.

    Raises:
        FileError: there is no such file, it is a pointer of Git LFS, or it is of no known kind.
        ConversionError: it is XML of no known kind.
    """
    suffix = path.suffix.lower()
    if os.path.isdir(path):
        raise FileError(f"{str(path)!r} is a folder; convert_many converts what is in folders.")
    if not os.path.isfile(path):
        raise MissingFileError(f"No such file: {str(path)!r}.{elsewhere(path)}")
    require_fetched(path)
    if suffix in (".urdf", ".xacro"):
        return "urdf"
    if suffix in USD_SUFFIXES:
        return "usd"
    if suffix in MESH_SUFFIXES:
        return "mesh"
    if suffix in (".xml", ".mjcf"):
        return _xml_kind(path)
    raise FileError(
        f"{str(path)!r} is not a file usdsim converts; allowed: {', '.join(SOURCE_SUFFIXES)}."
    )


def _xml_kind(path: Path) -> SourceKind:
    with boundary(f"Cannot read {str(path)!r}"):
        data = path.read_bytes()
    root = _ELEMENT.search(_SKIPPED.sub(b"", data))
    kind = _ROOTS.get(root[1]) if root else None
    if kind is None:
        found = f"<{root[1].decode()}>" if root else "no element"
        raise ConversionError(
            f"{path}:1: the root is {found}; MJCF files have <mujoco>, URDF files <robot>."
        )
    return kind
