"""Writing generated pages: tables, and files that change only when their text does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

__all__ = ["cell", "table", "write"]


def cell(text: object) -> str:
    """Text that may stand in a cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("{", "\\{")


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(cell, line)) + " |" for line in lines) + "\n"


def write(folder: Path, pages: Mapping[str, str], stale: str = "") -> None:
    """Write pages by file name, leaving equal files alone.

    Args:
        folder: where.
        pages: text by file name.
        stale: pattern of files that are removed unless they are among the pages.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in set(folder.glob(stale)) if stale else ():
        if path.name not in pages:
            path.unlink()
