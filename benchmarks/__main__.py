"""Runs benchmarks and writes what they measured as JSON."""

from __future__ import annotations

import argparse
import json
import logging
import os
import platform
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import warp as wp

import usdsim
from usdsim.core.errors import UsdsimError
from usdsim.core.processors import usable_processors
from usdsim.engine.create import array_device, check_device

from . import (  # noqa: F401  They register themselves.
    actuators,
    assets,
    authoring,
    colliders,
    contacts,
    deformation,
    device,
    environments,
    exports,
    large,
    loading,
    many,
    peers,
    props,
    queries,
    seeing,
    sensing,
    soft,
    sources,
    startup,
    statics,
    stepping,
)
from .measure import ROOT
from .peers.interpreters import PEERS
from .registry import BENCHMARKS, GROUPS, Row, Settings, Skip

__all__ = ["main"]

_PACKAGES = (
    *("mujoco-core", "mujoco-warp", "usd-core", "warp-lang", "numpy", "trimesh"),
    "motrixsim",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 1 if a benchmark failed.

    Args:
        argv: the command line; None: that of this process.
    """
    parser = _parser()
    arguments = parser.parse_args(argv)
    names = [name for given in arguments.names for name in GROUPS.get(given, (given,))]
    unknown = sorted(set(names) - set(BENCHMARKS))
    if unknown:
        known = ", ".join((*GROUPS, *BENCHMARKS))
        parser.error(f"no benchmark {', '.join(unknown)}; there are {known}")
    try:
        device_name = _name_of(arguments.device)
    except UsdsimError as error:
        parser.error(str(error))
    # Loading is measured as it is the first time, except where a benchmark says otherwise.
    os.environ["USDSIM_CACHE_DIR"] = ""
    settings = Settings(
        arguments.quick,
        _corpus(arguments.corpus),
        arguments.device,
        tuple(arguments.envs),
        dict(arguments.peer),
    )
    machine = {**_machine(), "device": device_name}
    results: dict[str, Any] = {}
    document = {"machine": machine, "quick": settings.quick, "results": results}
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with _quiet():
        for _ in _measured(names or list(BENCHMARKS), settings, results):
            # Row by row: a run that is ended early has measured something, too.
            arguments.out.write_text(json.dumps(document, indent=2) + "\n")
    failed = any("error" in row for rows in results.values() for row in rows)
    print(f"written to {arguments.out}")
    return int(failed)


def _measured(names: list[str], settings: Settings, results: dict[str, Any]) -> Iterator[None]:
    """Measure benchmark after benchmark, with a yield after each row that came to the results."""
    for name in names:
        print(f"{name}: {(BENCHMARKS[name].__doc__ or '').splitlines()[0]}", flush=True)
        results[name] = rows = []
        try:
            for row in BENCHMARKS[name](settings):
                rows.append(_entry(row))
                print(_line(row), flush=True)
                yield
        except Exception as error:
            rows.append({"error": f"{type(error).__name__}: {error}"})
            print(f"  failed: {type(error).__name__}: {error}", flush=True)
            yield


@contextmanager
def _quiet() -> Iterator[None]:
    """No warnings: what a file lacks is no part of what is measured."""
    logger = logging.getLogger("usdsim")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    known = f"benchmarks, or groups of them: {', '.join(GROUPS)}; none: all"
    parser.add_argument("names", nargs="*", metavar="NAME", help=known)
    parser.add_argument("--quick", action="store_true", help="check that everything runs")
    parser.add_argument("--corpus", type=Path, help="folder of real robots (or USDSIM_CORPUS)")
    parser.add_argument(
        "--device", default="warp:cpu", help="of the group 'device': cuda, cuda:1, ... or warp:cpu"
    )
    parser.add_argument("--envs", type=int, nargs="+", default=[], help="numbers of worlds there")
    parser.add_argument(
        "--peer",
        type=_peer,
        action="append",
        default=[],
        metavar="NAME=PYTHON",
        help=f"interpreter that has a peer: {', '.join(PEERS)} (or USDSIM_PEER_<NAME>)",
    )
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "benchmarks.json")
    return parser


def _peer(text: str) -> tuple[str, str]:
    name, _, python = text.partition("=")
    if name not in PEERS or not python:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=PYTHON; {', '.join(PEERS)}")
    return name, python


def _name_of(name: str) -> str:
    check_device(name)
    return str(wp.get_device(array_device(name)).name)


def _entry(row: Row | Skip) -> dict[str, Any]:
    return asdict(row) if isinstance(row, Skip) else {**asdict(row), "reached": row.reached}


def _corpus(given: Path | None) -> Path | None:
    places = (given, os.environ.get("USDSIM_CORPUS"), ROOT.parent / "shared" / "corpus")
    for place in places:
        if place and (Path(place) / "manifest.json").is_file():
            return Path(place)
    return None


def _line(row: Row | Skip) -> str:
    if isinstance(row, Skip):
        return f"  {row.case:<52} skipped: {row.reason}"
    mark = {True: "reached", False: "MISSED", None: ""}[row.reached]
    sign = "at least" if row.at_least else "below"
    target = f"({sign} {row.target:g} {row.unit}: {mark})" if row.target is not None else ""
    return f"  {row.case:<52} {row.value:10.4g} {row.unit:<3} {target}".rstrip()


def _machine() -> dict[str, Any]:
    versions: dict[str, str | None] = {"usdsim": usdsim.__version__}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "platform": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cpus": usable_processors(),
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
