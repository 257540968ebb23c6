"""Writes the tables of benchmark results, from the JSON files of runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pages import table, write

import benchmarks.__main__  # noqa: F401  It registers all benchmarks.
from benchmarks.registry import BENCHMARKS, GROUPS

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("contacts", "deformation")
"""Results that pages of their own include."""


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    if "error" in row:
        return row["error"], "", "", "failed"
    if "reason" in row:
        return row["case"], row["reason"], "", "skipped"
    target = ""
    if row["target"] is not None:
        target = f"{'at least' if row['at_least'] else 'below'} {row['target']:g} {row['unit']}"
    mark = {True: "reached", False: "missed", None: ""}[row["reached"]]
    return row["case"], f"{row['value']:.4g} {row['unit']}", target, mark


def _run(path: Path) -> str:
    """The tables of one file."""
    document = json.loads(path.read_text(encoding="utf-8"))
    machine = document["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in _versions(document).items())
    parts = [
        f"## {path.stem.replace('_', ' ').capitalize()}\n",
        f"{machine['cpus']} cores of {machine['processor']}, {machine['platform']}, Python "
        f"{machine['python']}, {machine['time'][:10]}. {versions}.\n",
    ]
    for name, rows in document["results"].items():
        parts.append(f"### {name}\n")
        if name in GROUPS["device"]:
            parts.append(f"On {machine['device']}.\n")
        parts.append(table(("case", "measured", "to reach", ""), map(_row, rows)))
    return "\n".join(parts)


def _versions(document: dict[str, Any]) -> dict[str, str]:
    """Of this process, and those of peers that ran in others and are not the same."""
    found = {name: number for name, number in document["machine"]["versions"].items() if number}
    for rows in document["results"].values():
        for row in rows:
            for name, number in ((row.get("detail") or {}).get("versions") or {}).items():
                if found.get(name, number) != number:
                    found[f"{name} of peers"] = number
                else:
                    found[name] = number
    return found


def _peers() -> str:
    """Versions that the kept results of peers are of, and where they ran."""
    document = json.loads((ROOT / "benchmarks" / "results" / "peers.json").read_text("utf-8"))
    machine = document["machine"]
    names = {"mujoco-usd-converter", "urdf-usd-converter", "newton", "motrixsim"}
    rows = [(name, number) for name, number in sorted(_versions(document).items())]
    rows.sort(key=lambda row: row[0] not in names)
    where = (
        f"{machine['cpus']} cores of {machine['processor']}, {machine['platform']}, Python "
        f"{machine['python']}, {machine['time'][:10]}.\n\n"
    )
    return where + table(("package", "version that was measured"), rows)


def write_benchmarks(folder: Path) -> None:
    """Write what the benchmark page includes into `folder`."""
    runs = sorted((ROOT / "benchmarks" / "results").glob("*.json"))
    runs = [path for path in runs if path.stem not in PAGES]
    groups = {name: group for group, names in GROUPS.items() for name in names}
    measures = [
        (f"`{name}`", f"`{groups[name]}`", (function.__doc__ or "").partition("\n")[0])
        for name, function in BENCHMARKS.items()
    ]
    pages = {
        "results.txt": "\n".join(map(_run, runs)),
        **{f"{n}.txt": _run(ROOT / "benchmarks" / "results" / f"{n}.json") for n in PAGES},
        "names.txt": table(("name", "group", "measures"), measures),
        "peers.txt": _peers(),
    }
    write(folder, pages)
