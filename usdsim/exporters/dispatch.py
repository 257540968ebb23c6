"""Conversion between formats, in the direction that the destination's name says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pxr import Usd

from usdsim.converters import conversion
from usdsim.core.errors import InvalidValueError

from .result import Export

__all__ = ["EXPORT_SUFFIXES", "convert", "export"]

EXPORT_SUFFIXES = (".xml", ".mjcf", ".urdf")
"""File name endings of destinations that are exports."""


def convert(
    source: str | os.PathLike[str] | Usd.Stage,
    destination: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Path | Usd.Stage:
    """Convert an MJCF, URDF, xacro, mesh or USD file to USD, or anything of these to MJCF or URDF.

    Args:
        source: the file; an ``.xml`` file may be MJCF or URDF. For an export an open stage too.
        destination: stage file to write, or a folder for it; an ``.xml`` file for MJCF, a
            ``.urdf`` file for URDF; None converts to USD in memory.
        **options: fields of `MjcfConverterCfg`, `UrdfConverterCfg` or `MeshConverterCfg`, as the
            source is. Links joined by fixed joints stay separate unless
            ``merge_fixed_joints=True``. For MJCF and URDF also ``strict=True``: refuse what cannot
            be said in it.

    Returns:
        The file written, or the stage in memory.

    Raises:
        FileError: the source is missing or unreadable, or the result cannot be written.
        ConversionError: the source cannot be converted, with file, line and element; nothing is
            written.
        ParseError: the stage has no physics, or is physically invalid.
        InvalidValueError: an option is unknown or outside what is allowed.
    """
    # What is no file name is refused by the conversion itself.
    if isinstance(destination, str | os.PathLike) and _ending(destination) in EXPORT_SUFFIXES:
        return export(source, destination, **options).path
    if isinstance(source, Usd.Stage):
        raise InvalidValueError(
            "source", source, "a file name, unless the destination is an export"
        )
    return conversion.convert(source, destination, **options)


def export(
    source: str | os.PathLike[str] | Usd.Stage,
    destination: str | os.PathLike[str],
    **options: Any,
) -> Export:
    """Export to the format that the destination's name says; see `export_mjcf`, `export_urdf`."""
    # Each format brings imports of its own.
    if _ending(destination) == ".urdf":
        from .urdf import export_urdf

        return export_urdf(source, destination, **options)
    from .mjcf import export_mjcf

    return export_mjcf(source, destination, **options)


def _ending(path: str | os.PathLike[str]) -> str:
    return os.path.splitext(os.fspath(path))[1].lower()
