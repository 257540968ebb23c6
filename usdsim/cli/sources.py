"""A stage from whatever file a command is given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .findings import FindingRow, rows_of

if TYPE_CHECKING:
    from pxr import Usd

__all__ = ["is_usd", "open_source"]

_USD = (".usd", ".usda", ".usdc", ".usdz")


def is_usd(path: str | Path) -> bool:
    """Whether a file is a USD stage, by its suffix."""
    return Path(path).suffix.lower() in _USD


def open_source(path: str | Path, rows: list[FindingRow] | None = None) -> Usd.Stage:
    """The stage in a USD file, or a source file converted in memory.

    Args:
        path: the file.
        rows: receives what a conversion has to say.

    Raises:
        FileError: the file is missing or of an unknown kind.
        ConversionError: the source file is wrong.
    """
    if is_usd(path):
        from usdsim.usd import open_stage

        return open_stage(path)
    from usdsim.converters import convert_file
    from usdsim.converters.conversion import default_cfg
    from usdsim.converters.sniff import source_kind

    result = convert_file(path, None, default_cfg(source_kind(Path(path))))
    if rows is not None:
        rows += rows_of(result.report.findings)
    return result.stage
