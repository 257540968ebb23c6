"""Sources of stand-ins: files in the system's temporary folder, and what they convert to."""

from __future__ import annotations

from pathlib import Path

from usdsim.converters import MjcfConverter, MjcfConverterCfg
from usdsim.core.transaction import replace_file

__all__ = ["write_mjcf", "write_source"]


def write_source(file: Path, text: str) -> str:
    """Write a file, unless it says the same already; returns its name."""
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        replace_file(file, text)
    return str(file)


def write_mjcf(file: Path, text: str) -> str:
    """Write a robot as MJCF and convert it; returns the name of the converted file.

    Args:
        file: path, whose suffix becomes ``.xml``.
        text: the robot.
    """
    source = write_source(file.with_suffix(".xml"), text)
    return MjcfConverter(MjcfConverterCfg(asset_path=source)).usd_path
