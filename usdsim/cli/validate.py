"""Check a stage or robot file: composition, OpenUSD's own rules, physics, and the engine.

The file must compose. Then OpenUSD's own validators, usdsim's rules, the parser and, if that
accepts the physics, the engine say what they find.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from usdsim.core.boundary import boundary
from usdsim.core.errors import InvalidValueError

from .console import Console, counted
from .conversion.options import add_reading_options
from .findings import FindingRow, by_severity, print_rows, rows_of
from .sources import is_usd, open_source

if TYPE_CHECKING:
    from pxr import Usd

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="USD stage, MJCF or URDF file")
    parser.add_argument("--strict", action="store_true", help="warnings fail too")
    parser.add_argument("--all", action="store_true", help="list notes and every prim")
    parser.add_argument("--fix", action="store_true", help="repair what is safe, in the file")
    add_reading_options(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print what is wrong; 1 if anything fails."""
    if arguments.fix and not is_usd(arguments.file):
        raise InvalidValueError("--fix", arguments.file, "a USD stage", "Convert the file first.")
    stage = open_source(arguments)
    rules = _rules(stage, arguments.fix)
    rows = list(dict.fromkeys([*rules, *_physics(stage)]))
    counts = by_severity(rows)
    failed = bool(counts.get("error") or (arguments.strict and counts.get("warning")))
    print_rows(console, rows, everything=arguments.all, limit=5)
    total = ", ".join(counted(number, severity) for severity, number in counts.items())
    console.line(f"{arguments.file}: {'failed' if failed else 'ok'} ({total or 'no findings'})")
    console.result(
        {
            "file": arguments.file,
            "valid": not failed,
            "counts": counts,
            "findings": [row._asdict() for row in rows],
        }
    )
    return int(failed)


def _rules(stage: Usd.Stage, fix: bool) -> list[FindingRow]:
    """Findings of OpenUSD's and of usdsim's own rules; repairs become notes."""
    from usdsim.schemas.validation import openusd_findings, validate_stage

    found = [*openusd_findings(stage), *validate_stage(stage, fix=fix, openusd=False)]
    rows = rows_of(found)
    for i, finding in enumerate(found):
        if finding.fixed:
            rows[i] = rows[i]._replace(severity="info", message=f"Repaired: {finding.message}")
    if any(finding.fixed for finding in found):
        with boundary(f"Cannot write {stage.GetRootLayer().identifier!r}"):
            stage.Save()
    return rows


def _physics(stage: Usd.Stage) -> list[FindingRow]:
    """Findings of the parser and, if the physics is valid, of the engine."""
    from usdsim.core.errors import UsdsimError
    from usdsim.engine import compile_scene
    from usdsim.parser import parse_stage

    try:
        result = parse_stage(stage)
    except UsdsimError as error:
        if findings := getattr(error, "findings", ()):
            return rows_of(findings)
        return [FindingRow("error", "physics", stage.GetRootLayer().GetDisplayName(), str(error))]
    rows = rows_of(result.report.findings)
    try:
        compile_scene(result.scene)
    except UsdsimError as error:
        rows.append(FindingRow("error", "engine", result.scene.source, str(error)))
    return rows
