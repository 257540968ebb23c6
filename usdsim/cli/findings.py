"""Findings of the parser, the converters and OpenUSD's validators in one form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from usdsim.core.findings import AnyFinding

from .console import Console

__all__ = ["FindingRow", "by_severity", "print_rows", "rows_of"]

_ORDER = ("error", "warning", "info")


class FindingRow(NamedTuple):
    """One finding."""

    severity: str
    rule: str
    where: str
    message: str


def rows_of(findings: Iterable[AnyFinding]) -> list[FindingRow]:
    """Findings of a parser or conversion report as rows."""
    return [FindingRow(f.severity, f.code, f.where, f.message) for f in findings]


def by_severity(rows: Iterable[FindingRow]) -> dict[str, int]:
    """Number of rows per severity, errors first; severities without rows are left out."""
    rows = list(rows)
    counts = {severity: sum(row.severity == severity for row in rows) for severity in _ORDER}
    return {severity: count for severity, count in counts.items() if count}


def print_rows(
    console: Console, rows: Sequence[FindingRow], *, everything: bool, limit: int
) -> int:
    """Write findings, most severe first, alike ones together; the number of those left out.

    Args:
        console: where to.
        rows: the findings.
        everything: whether notes are shown, too, and every prim.
        limit: prims shown per rule and message otherwise.
    """
    shown = [row for row in rows if everything or row.severity != "info"]
    groups: dict[tuple[str, str, str], list[str]] = {}
    for row in sorted(shown, key=lambda row: _ORDER.index(row.severity)):
        groups.setdefault((row.severity, row.rule, row.message), []).append(row.where)
    for (severity, rule, message), places in groups.items():
        console.line(f"{severity}: {message} [{rule}]")
        listed = places if everything else places[:limit]
        for place in listed:
            console.line(f"    {place}")
        if len(listed) < len(places):
            console.line(f"    ... and {len(places) - limit} more")
    return len(rows) - len(shown)
