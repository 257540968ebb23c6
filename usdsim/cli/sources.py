"""Command sources: a stage from whatever file a command is given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from usdsim._resources import elsewhere
from usdsim.core.errors import FileError

from .findings import FindingRow, rows_of

if TYPE_CHECKING:
    from pxr import Usd

__all__ = ["is_usd", "open_source", "source_path"]

_USD = (".usd", ".usda", ".usdc", ".usdz")


def is_usd(path: str | Path) -> bool:
    """Whether a file is a USD stage, by its suffix."""
    return Path(path).suffix.lower() in _USD


def source_path(text: str | Path) -> Path:
    """The file that a command is given: a path, or a robot's name, ``rd:go2_description``.

    Raises:
        FileError: it is a folder, or not there.
        UnsupportedError: robots by name are not installed.
        UnknownNameError: there is no robot of that name.
    """
    from usdsim.converters.descriptions import find_description, is_description

    path = find_description(str(text)) if is_description(str(text)) else Path(text)
    if path.is_dir():
        raise FileError(f"{str(text)!r} is a folder; name a file in it.")
    if not path.exists():
        raise FileError(f"No such file: {str(text)!r}.{elsewhere(path)}")
    return path


def open_source(path: str | Path, rows: list[FindingRow] | None = None) -> Usd.Stage:
    """The stage in a USD file, or a source file converted in memory.

    Args:
        path: the file.
        rows: receives what a conversion has to say.

    Raises:
        FileError: the file is missing or of an unknown kind.
        ConversionError: the source file is wrong.
    """
    path = source_path(path)
    if is_usd(path):
        from usdsim.usd import open_stage

        return open_stage(path)
    from usdsim.converters import convert_file
    from usdsim.converters.conversion import default_cfg
    from usdsim.converters.sniff import source_kind

    result = convert_file(path, None, default_cfg(source_kind(path)))
    if rows is not None:
        rows += rows_of(result.report.findings)
    return result.stage
