"""Runs benchmarks and writes what they measured as JSON."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from . import (  # noqa: F401  They register themselves.
    actuators,
    assets,
    authoring,
    loading,
    peers,
    queries,
    startup,
    stepping,
)
from .measure import ROOT
from .registry import BENCHMARKS, Row, Settings

__all__ = ["main"]

_PACKAGES = ("usdsim", "mujoco-core", "usd-core", "warp-lang", "numpy", "trimesh")


def main() -> int:
    """Run what the command line asks for; 1 if a benchmark failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--quick", action="store_true", help="check that everything runs")
    parser.add_argument("--corpus", type=Path, help="folder of real robots (or USDSIM_CORPUS)")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "benchmarks.json")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(BENCHMARKS))
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    settings = Settings(arguments.quick, _corpus(arguments.corpus))
    results: dict[str, Any] = {}
    failed = False
    for name in arguments.names or BENCHMARKS:
        print(f"{name}: {(BENCHMARKS[name].__doc__ or '').splitlines()[0]}", flush=True)
        results[name] = rows = []
        try:
            for row in BENCHMARKS[name](settings):
                rows.append({**asdict(row), "reached": row.reached})
                print(_line(row), flush=True)
        except Exception as error:
            failed = True
            rows.append({"error": f"{type(error).__name__}: {error}"})
            print(f"  failed: {type(error).__name__}: {error}", flush=True)
    document = {"machine": _machine(), "quick": settings.quick, "results": results}
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(document, indent=2) + "\n")
    print(f"written to {arguments.out}")
    return int(failed)


def _corpus(given: Path | None) -> Path | None:
    places = (given, os.environ.get("USDSIM_CORPUS"), ROOT.parent / "shared" / "corpus")
    for place in places:
        if place and (Path(place) / "manifest.json").is_file():
            return Path(place)
    return None


def _line(row: Row) -> str:
    mark = {True: "reached", False: "MISSED", None: ""}[row.reached]
    sign = "at least" if row.at_least else "below"
    target = f"({sign} {row.target:g} {row.unit}: {mark})" if row.target is not None else ""
    return f"  {row.case:<52} {row.value:10.4g} {row.unit:<3} {target}".rstrip()


def _machine() -> dict[str, Any]:
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "platform": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "versions": versions,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor()


if __name__ == "__main__":
    sys.exit(main())
