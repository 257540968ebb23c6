"""Writes the tables of benchmark results, from the JSON files of runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pages import table, write

import benchmarks.__main__  # noqa: F401  It registers all benchmarks.
from benchmarks.registry import BENCHMARKS

ROOT = Path(__file__).resolve().parent.parent


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    if "error" in row:
        return row["error"], "", "", "failed"
    target = ""
    if row["target"] is not None:
        target = f"{'at least' if row['at_least'] else 'below'} {row['target']:g} {row['unit']}"
    mark = {True: "reached", False: "missed", None: ""}[row["reached"]]
    return row["case"], f"{row['value']:.4g} {row['unit']}", target, mark


def _run(path: Path) -> str:
    """The tables of one file, of `python -m benchmarks` or of `python -m benchmarks.gpu`."""
    document = json.loads(path.read_text(encoding="utf-8"))
    if "device" in document:
        return _device_run(path, document)
    machine = document["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    parts = [
        f"## {path.stem.replace('_', ' ').capitalize()}\n",
        f"{machine['cpus']} cores of {machine['processor']}, {machine['platform']}, Python "
        f"{machine['python']}, {machine['time'][:10]}. {versions}.\n",
    ]
    for name, rows in document["results"].items():
        parts.append(f"### {name}\n")
        parts.append(table(("case", "measured", "to reach", ""), map(_row, rows)))
    return "\n".join(parts)


def _device_run(path: Path, document: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in document["versions"].items())
    names = list(document["results"][0]["env_steps_per_s"])
    rows = [
        (run["envs"], *(f"{run['env_steps_per_s'][name]:,.0f}" for name in names))
        for run in document["results"]
    ]
    return "\n".join(
        [
            f"## {path.stem.replace('_', ' ').capitalize()}\n",
            f"{document['device']}, {document['model']}. {versions}. Steps of one world per "
            "second.\n",
            table(("worlds", *(name.replace("_", " ") for name in names)), rows),
        ]
    )


def write_benchmarks(folder: Path) -> None:
    """Write what the benchmark page includes into `folder`."""
    runs = sorted((ROOT / "benchmarks" / "results").glob("*.json"))
    measures = [(f"`{n}`", (f.__doc__ or "").partition("\n")[0]) for n, f in BENCHMARKS.items()]
    pages = {
        "results.txt": "\n".join(map(_run, runs)),
        "names.txt": table(("name", "measures"), measures),
    }
    write(folder, pages)
