"""A stage from whatever file a command is given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pxr import Usd

__all__ = ["is_usd", "open_source"]

_USD = (".usd", ".usda", ".usdc", ".usdz")


def is_usd(path: str | Path) -> bool:
    """Whether a file is a USD stage, by its suffix."""
    return Path(path).suffix.lower() in _USD


def open_source(path: str | Path) -> Usd.Stage:
    """The stage in a USD file, or a source file converted in memory.

    Raises:
        FileError: the file is missing or of an unknown kind.
        ConversionError: the source file is wrong.
    """
    if is_usd(path):
        from usdsim.usd import open_stage

        return open_stage(path)
    from pxr import Usd

    from usdsim.converters import convert

    stage = convert(path)
    return stage if isinstance(stage, Usd.Stage) else Usd.Stage.Open(str(stage))
