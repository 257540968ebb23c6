"""Command sources: a stage from whatever file a command is given."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from usdsim._resources import elsewhere
from usdsim.core.errors import FileError, MissingFileError

from .arguments import STAGE_SUFFIXES
from .conversion.options import options_for
from .findings import FindingRow, rows_of

if TYPE_CHECKING:
    from pxr import Usd

__all__ = ["is_usd", "open_source", "source_path"]


def is_usd(path: str | Path) -> bool:
    """Whether a file is a USD stage, by its suffix."""
    return Path(path).suffix.lower() in (*STAGE_SUFFIXES, ".usdz")


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
        raise MissingFileError(f"No such file: {str(text)!r}.{elsewhere(path)}")
    return path


def open_source(arguments: argparse.Namespace, rows: list[FindingRow] | None = None) -> Usd.Stage:
    """The stage in the USD file of a command, or its source file converted in memory.

    Args:
        arguments: of the command, with ``file`` and the options of `add_reading_options`.
        rows: receives what a conversion has to say.

    Raises:
        FileError: the file is missing or of an unknown kind.
        ConversionError: the source file is wrong.
    """
    path = source_path(arguments.file)
    from usdsim.converters import convert_file
    from usdsim.converters.conversion import default_cfg
    from usdsim.converters.sniff import source_kind

    kind = source_kind(path)
    result = convert_file(path, None, default_cfg(kind, **options_for(arguments, kind)))
    if rows is not None:
        rows += rows_of(result.report.findings)
    return result.stage
