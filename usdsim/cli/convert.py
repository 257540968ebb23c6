"""Convert MJCF, URDF or mesh files to USD, one or a folder, and anything back to MJCF or URDF."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from usdsim.core.errors import FileError
from usdsim.core.transaction import replacing

from .arguments import positive_float, positive_int
from .console import Console
from .destinations import require_writable
from .findings import print_rows, rows_of

__all__ = ["add_arguments", "run"]

_KINDS = ("mjcf", "urdf", "mesh", "usd")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("source", metavar="SRC", help=".xml, .urdf, .xacro, mesh file, or a folder")
    parser.add_argument(
        "destination",
        metavar="DST",
        nargs="?",
        help=".usda, .usdc or .usd file; .xml: MJCF, .urdf: URDF",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the result")
    parser.add_argument("--check", action="store_true", help="compare the result with its source")
    parser.add_argument("--jobs", type=positive_int, default=1, metavar="N", help="files at a time")
    parser.add_argument(
        "--timeout", type=positive_float, default=300.0, metavar="S", help="per file of a folder"
    )
    parser.add_argument(
        "--assets", action="append", metavar="DIR",
        help="read meshes, textures and includes from there too, in place of the file's package",
    )  # fmt: skip
    parser.add_argument(
        "--strict",
        action="store_true",
        help="write no MJCF or URDF that cannot say all of the stage",
    )
    parser.add_argument("--report", type=Path, metavar="JSON", help="also write the report there")
    parser.add_argument("--all", action="store_true", help="list every finding")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Convert; 1 if a file failed or its check found differences."""
    require_writable(arguments.report)
    source = Path(arguments.source)
    if source.is_dir():
        document, code = _folder(source, arguments, console)
    else:
        document, code = _file(source, arguments, console)
    if arguments.report:
        arguments.report.parent.mkdir(parents=True, exist_ok=True)
        with replacing(arguments.report) as staged:
            staged.write_text(json.dumps(document, indent=2) + "\n")
    console.result(document)
    return code


def _file(
    source: Path, arguments: argparse.Namespace, console: Console
) -> tuple[dict[str, Any], int]:
    from usdsim.converters.conversion import convert_file, default_cfg
    from usdsim.converters.sniff import source_kind
    from usdsim.exporters import EXPORT_SUFFIXES

    destination = _destination(source, arguments)
    started = time.perf_counter()
    options = {"asset_roots": arguments.assets} if arguments.assets else {}
    if destination.suffix.lower() in EXPORT_SUFFIXES:
        from usdsim.exporters.dispatch import export

        report = export(source, destination, strict=arguments.strict, **options).report
    else:
        report = convert_file(
            source, destination, default_cfg(source_kind(source), **options)
        ).report
    seconds = time.perf_counter() - started
    rows = rows_of(report.findings)
    shown = rows if arguments.all else [row for row in rows if row.severity != "info"]
    print_rows(console, shown, limit=None if arguments.all else 3)
    counted = ", ".join(f"{number} {kind}" for kind, number in report.counts.items())
    size = destination.stat().st_size / 1024
    console.pairs(
        [
            ("written", destination),
            ("size", f"{size:.0f} KiB in {seconds:.2f} s"),
            *([("converted", counted)] if counted else []),
        ]
    )
    differences = _check(source, destination, console) if arguments.check else None
    document = {
        "source": str(source),
        "destination": str(destination),
        "seconds": seconds,
        "counts": report.counts,
        "findings": [row._asdict() for row in rows],
        "differences": differences,
    }
    return document, int(bool(differences))


def _check(source: Path, destination: Path, console: Console) -> list[str]:
    """Compare the result with its source; what differs."""
    from usdsim.exporters import EXPORT_SUFFIXES
    from usdsim.testing import check_conversion, check_export

    exported = destination.suffix.lower() in EXPORT_SUFFIXES
    differences = (check_export if exported else check_conversion)(source, destination)
    for difference in differences:
        console.line(f"differs    {difference}")
    if not differences:
        console.line("check      the result equals its source")
    return differences


def _folder(
    folder: Path, arguments: argparse.Namespace, console: Console
) -> tuple[dict[str, Any], int]:
    from usdsim.converters import convert_many
    from usdsim.converters.batch import sources_in

    if arguments.out is None:
        raise FileError(f"'{folder}' is a folder; say where the results go with --out DIR.")
    with console.bar(len(sources_in(folder)), "converting") as bar:
        report = convert_many(
            folder,
            arguments.out,
            jobs=arguments.jobs,
            timeout=arguments.timeout,
            suffix=".usda",
            options={kind: {"asset_roots": arguments.assets} for kind in _KINDS},
            progress=lambda result: bar.advance(),
        )
    console.line(report.summary())
    document = json.loads(report.to_json())
    differing = 0
    if arguments.check:
        for entry in document["files"]:
            if entry["status"] == "converted":
                console.line(entry["source"])
                entry["differences"] = _check(
                    Path(entry["source"]), Path(entry["destination"]), console
                )
                differing += bool(entry["differences"])
        document["differing"] = differing
    return document, int(bool(report.failed or differing))


def _destination(source: Path, arguments: argparse.Namespace) -> Path:
    """The file to write: as given, or the source's name with ``.usda``, in ``--out`` if given."""
    if arguments.destination:
        return Path(arguments.destination)
    return (arguments.out or source.parent) / f"{source.stem}.usda"
