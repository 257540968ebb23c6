"""Input files: all that a source file is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from usdsim.converters.urdf.reading.resolve import FileResolver
from usdsim.converters.urdf.reading.xmltree import Node, parse_xml
from usdsim.core.errors import ConversionError

from .sniff import XML_SUFFIXES

__all__ = ["referenced_files"]

_NAMES = (
    "file",
    "filename",
    "fileright",
    "fileleft",
    "fileup",
    "filedown",
    "filefront",
    "fileback",
)


def referenced_files(source: Path, packages: Mapping[str, str] | None = None) -> list[Path]:
    """Existing files named by an XML source, and by the files it includes, in a stable order.

    Args:
        source: MJCF, URDF or other file; only XML names others.
        packages: folders of URDF packages.
    """
    if source.suffix.lower() not in XML_SUFFIXES:
        return []
    found: dict[Path, None] = {}
    _collect(source, source, FileResolver(source, packages), found)
    found.pop(source, None)
    return sorted(found)


def _collect(file: Path, source: Path, resolver: FileResolver, found: dict[Path, None]) -> None:
    try:
        root = parse_xml(file.read_bytes(), str(file))
    except (OSError, ConversionError):
        return
    folders = _asset_folders(root)
    for node in root.walk():
        for name in _NAMES:
            value = node.attributes.get(name)
            if not value:
                continue
            path = _locate(value, source, folders, resolver)
            if path is None or path in found:
                continue
            found[path] = None
            if path.suffix.lower() in (".xml", ".xacro"):
                _collect(path, source, resolver, found)


def _asset_folders(root: Node) -> list[str]:
    """Folders an MJCF file keeps its assets in."""
    compiler = (node for node in root.walk() if node.tag == "compiler")
    keys = ("meshdir", "texturedir", "assetdir")
    return [node.attributes[key] for node in compiler for key in keys if key in node.attributes]


def _locate(value: str, source: Path, folders: list[str], resolver: FileResolver) -> Path | None:
    for candidate in _candidates(value, source, folders):
        if candidate.is_file():
            return candidate.resolve()
    path = resolver.find(value)
    return None if path is None else path.resolve()


def _candidates(value: str, source: Path, folders: list[str]) -> Iterator[Path]:
    for folder in folders:
        yield source.parent / folder / value
        yield source.parent / folder / Path(value).name
    yield source.parent / value
