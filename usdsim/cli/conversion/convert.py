"""Convert MJCF, URDF or mesh files to USD, one or many, and anything back to MJCF or URDF."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from usdsim.cli.arguments import positive_float, positive_int
from usdsim.cli.console import Console
from usdsim.cli.destinations import require_writable
from usdsim.cli.findings import by_severity, print_rows, rows_of
from usdsim.cli.many.batches import Batch, is_batch, open_batch
from usdsim.cli.sources import source_path
from usdsim.core.errors import FileError, InvalidValueError, UsdsimError
from usdsim.core.processors import usable_processors
from usdsim.core.transaction import replace_file

from .options import add_options, options_by_kind, options_for

__all__ = ["WARNED", "add_arguments", "run"]

WARNED = 3
"""Exit code of a conversion that has warnings and no errors."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "source", metavar="SRC",
        help=".xml, .urdf, .xacro, mesh or USD file; a folder, a pattern such as 'robots/*.urdf', "
        "or an archive (.zip, .tar.gz)",
    )  # fmt: skip
    parser.add_argument(
        "destination", metavar="DST", nargs="?",
        help=".usda, .usdc or .usd file, or a folder; .xml: MJCF, .urdf: URDF",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the results")
    parser.add_argument("--check", action="store_true", help="compare the result with its source")
    parser.add_argument("--watch", action="store_true", help="convert again when a file changes")
    parser.add_argument(
        "--jobs", type=positive_int, default=usable_processors(), metavar="N",
        help="files at a time; default: one per processor",
    )  # fmt: skip
    parser.add_argument(
        "--timeout", type=positive_float, default=300.0, metavar="S", help="per file of many"
    )
    parser.add_argument(
        "--memory", type=positive_float, metavar="MIB", help="most memory of each process of many"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="write no MJCF or URDF that cannot say all of the stage",
    )
    parser.add_argument(
        "--env", metavar="PATH",
        help="write this environment of a stage, such as /World/envs/env_3, to MJCF or URDF",
    )  # fmt: skip
    parser.add_argument("--report", type=Path, metavar="JSON", help="also write the report there")
    parser.add_argument("--all", action="store_true", help="list every finding")
    add_options(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Convert; 1 if a file failed or its check found differences, 3 if there are warnings."""
    require_writable(arguments.report)
    if is_batch(arguments.source):
        if arguments.watch:
            raise InvalidValueError("--watch", arguments.source, "one file")
        with open_batch(arguments.source) as batch:
            document, code = _many(batch, arguments, console)
    else:
        source = source_path(arguments.source)
        document, code = _file(source, arguments, console)
        if arguments.watch:
            _watch(source, arguments, console)
    if arguments.report:
        replace_file(arguments.report, json.dumps(document, indent=2) + "\n")
    console.result(document)
    return code


def _watch(source: Path, arguments: argparse.Namespace, console: Console) -> None:
    """Convert again at every change, until the user interrupts."""
    from .watching import changes

    console.line("watching   Ctrl-C ends")
    packages = options_by_kind(arguments)["urdf"].get("packages")
    try:
        for files in changes(source, packages):
            console.line(f"changed    {', '.join(files)}")
            try:
                _file(source, arguments, console)
            except UsdsimError as error:
                console.error(type(error).__name__, str(error))
    except KeyboardInterrupt:
        console.line("ended")


def _file(
    source: Path, arguments: argparse.Namespace, console: Console
) -> tuple[dict[str, Any], int]:
    from usdsim.converters.conversion import convert_file, default_cfg
    from usdsim.converters.sniff import source_kind
    from usdsim.exporters import EXPORT_SUFFIXES

    destination = _destination(source, arguments)
    if arguments.env is not None and destination.suffix.lower() not in EXPORT_SUFFIXES:
        raise InvalidValueError("--env", arguments.env, "an export: name a .xml or .urdf file")
    started = time.perf_counter()
    kind = source_kind(source)
    options = options_for(arguments, kind)
    if destination.suffix.lower() in EXPORT_SUFFIXES:
        from usdsim.exporters.dispatch import export

        report = export(
            source, destination, strict=arguments.strict, env=arguments.env, **options
        ).report
    else:
        report = convert_file(source, destination, default_cfg(kind, **options)).report
    seconds = time.perf_counter() - started
    rows = rows_of(report.findings)
    print_rows(console, rows, everything=arguments.all, limit=3)
    counted = ", ".join(f"{number} {kind}" for kind, number in report.counts.items())
    size = destination.stat().st_size / 1024
    console.pairs(
        [
            ("written", destination),
            ("size", f"{size:.0f} KiB in {seconds:.2f} s"),
            *([("converted", counted)] if counted else []),
        ]
    )
    differences = _check(source, destination, options, console) if arguments.check else None
    document = {
        "source": str(source),
        "destination": str(destination),
        "seconds": seconds,
        "counts": report.counts,
        "findings": [row._asdict() for row in rows],
        "differences": differences,
    }
    warned = WARNED if report.warnings else 0
    return document, 1 if differences or "error" in by_severity(rows) else warned


def _check(source: Path, destination: Path, options: dict[str, Any], console: Console) -> list[str]:
    """Compare the result with its source; what differs."""
    from usdsim.converters.conversion import default_cfg
    from usdsim.converters.sniff import source_kind
    from usdsim.exporters import EXPORT_SUFFIXES
    from usdsim.testing import check_conversion, check_export

    if destination.suffix.lower() in EXPORT_SUFFIXES:
        differences = check_export(source, destination)
    else:
        cfg = default_cfg(source_kind(source), **options)
        differences = check_conversion(source, destination, cfg=cfg)
    for difference in differences:
        console.line(f"differs    {difference}")
    if not differences:
        console.line("check      the result equals its source")
    return differences


def _many(
    batch: Batch, arguments: argparse.Namespace, console: Console
) -> tuple[dict[str, Any], int]:
    from usdsim.converters import convert_many
    from usdsim.converters.sniff import source_kind

    if arguments.out is None:
        raise FileError(f"{batch.label!r} are several files; say where they go with --out DIR.")
    options = options_by_kind(arguments)
    if batch.unpacked:
        for values in options.values():
            values.setdefault("asset_roots", [str(batch.folder)])
    with console.bar(len(batch.files), "converting") as bar:
        report = convert_many(
            batch.files,
            arguments.out,
            base=batch.folder,
            jobs=arguments.jobs,
            timeout=arguments.timeout,
            memory_limit=arguments.memory,
            suffix=".usda",
            options=options,
            progress=lambda result: bar.advance(),
        )
    document = json.loads(report.to_json())
    differing = warned = 0
    for entry in document["files"]:
        for finding in entry["findings"]:
            finding["rule"] = finding.pop("code")
        warned += "warning" in _severities(entry)
        if arguments.check and entry["status"] == "converted":
            console.line(batch.shown(entry["source"]))
            source = Path(entry["source"])
            entry["differences"] = _check(
                source, Path(entry["destination"]), options[source_kind(source)], console
            )
            differing += bool(entry["differences"])
        entry["source"] = batch.shown(entry["source"])
    if arguments.check:
        document["differing"] = differing
    _print_table(document, console)
    return document, 1 if report.failed or differing else WARNED if warned else 0


def _severities(entry: dict[str, Any]) -> dict[str, int]:
    severities = [finding["severity"] for finding in entry["findings"]]
    return {word: severities.count(word) for word in ("error", "warning") if word in severities}


def _print_table(document: dict[str, Any], console: Console) -> None:
    """One line per file, and why those failed that did."""
    rows = []
    for entry in document["files"]:
        counts = entry["counts"]
        numbers = (counts.get(kind, "") for kind in ("body", "joint"))
        warnings = _severities(entry).get("warning", "")
        rows.append(
            (entry["status"], f"{entry['seconds']:.2f} s", *numbers, warnings, entry["source"])
        )
    console.table(("status", "time", "bodies", "joints", "warnings", "file"), rows)
    done = len(document["files"]) - document["failed"]
    console.line(f"{done} of {len(document['files'])} files converted")
    for entry in document["files"]:
        if entry["status"] != "converted":
            console.line(f"{entry['source']}: {entry['message']}")


def _destination(source: Path, arguments: argparse.Namespace) -> Path:
    """The file to write: as given, or the source's name with ``.usda``, in the folder if given.

    A robot by name lies in a folder of the package that has it, where nothing of ours belongs.
    """
    given = Path(arguments.destination) if arguments.destination else arguments.out
    if arguments.destination and given.suffix and not given.is_dir():
        return given
    beside = source.parent if Path(arguments.source) == source else Path()
    return (given or beside) / f"{source.stem.removesuffix('.urdf')}.usda"
