"""Reports of many conversions: a page for browsers, and the same rows as Parquet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from usdsim.core.extras import library
from usdsim.core.transaction import replace_file, replacing

from .report import BlockResult, JobReport

__all__ = ["write_pages"]

_STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em }
table { border-collapse: collapse; width: 100% } td, th { padding: .3em .6em; text-align: left }
tr { border-bottom: 1px solid #8884; vertical-align: top } img { width: 10em; display: block }
.failed, .crashed, .timeout { color: #c22 } li { color: #777 } ul { margin: 0; padding-left: 1em }
"""


@dataclass(frozen=True)
class _Row:
    """Outcome of one file."""

    source: str
    status: str
    message: str
    seconds: float
    destination: str
    picture: str
    findings: list[str]


def write_pages(folder: Path, sources: Sequence[str], report: JobReport) -> None:
    """Write ``report.html``, and ``report.parquet`` if pyarrow is installed.

    Raises:
        FileError: a file cannot be written.
    """
    rows = [_row(sources[block.block], block) for block in report.blocks]
    replace_file(folder / "report.html", _page(rows, folder))
    if find_spec("pyarrow") is None:
        return
    pyarrow, parquet = library("pyarrow"), library("pyarrow.parquet")
    with replacing(folder / "report.parquet") as staged:
        parquet.write_table(pyarrow.Table.from_pylist([vars(row) for row in rows]), staged)


def _row(source: str, block: BlockResult) -> _Row:
    result: dict[str, Any] = block.result
    return _Row(
        source=source,
        status=block.status,
        message=block.message,
        seconds=float(result.get("seconds", 0.0)),
        destination=result.get("destination", ""),
        picture=result.get("picture", ""),
        findings=[f"{f['severity']}: {f['message']}" for f in result.get("findings", ())],
    )


def _page(rows: Sequence[_Row], folder: Path) -> str:
    counts = ", ".join(f"{count} {status}" for status, count in Counter(
        row.status for row in rows).items())  # fmt: skip
    body = "\n".join(_cells(row, folder) for row in rows)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Conversions</title>'
        f"<style>{_STYLE}</style></head><body><h1>Conversions: {escape(counts)}</h1>\n"
        "<table><tr><th>file</th><th>status</th><th>seconds</th><th>findings</th><th></th></tr>\n"
        f"{body}\n</table></body></html>\n"
    )


def _cells(row: _Row, folder: Path) -> str:
    notes = "".join(f"<li>{escape(note)}</li>" for note in (row.message, *row.findings) if note)
    picture = ""
    if row.picture:
        place = Path(row.picture).relative_to(folder).as_posix()
        picture = f'<img src="{escape(place)}" alt="{escape(row.source)}">'
    return (
        f'<tr><td>{escape(row.source)}</td><td class="{row.status}">{row.status}</td>'
        f"<td>{row.seconds:.2f}</td><td><ul>{notes}</ul></td><td>{picture}</td></tr>"
    )
