"""Isaac Lab's own unit tests, run here: each file of a checkout in a process with a time limit.

``python -m benchmarks.peers.isaac_lab_tests CHECKOUT [PART ...]`` prints what passed and what did
not by file, and all together. A PART is any piece of a file's path.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.measure import ROOT

__all__ = ["Outcome", "main", "run_file", "test_files"]

_OUTCOMES = ("passed", "failed", "skipped", "not started")
_ON_PATH = ("isaaclab_tasks",)
"""Packages of a checkout that run on ours; usdsim takes the place of all others."""

_CHILD = """
import json, sys
sys.path[:0] = {ours!r}
import usdsim.compat
usdsim.compat.install()
import pytest, torch
sys.path.extend({theirs!r})

class Lines:
    def __init__(self):
        self.file = open({log!r}, "w")
    def write(self, *words):
        self.file.write(json.dumps(words) + chr(10))
        self.file.flush()
    def pytest_collection_finish(self, session):
        self.write("collected", len(session.items))
    def pytest_collectreport(self, report):
        if report.failed:
            self.write("broken", report.nodeid, str(report.longrepr)[-600:])
    def pytest_runtest_logreport(self, report):
        if report.failed or report.when == "call" or report.skipped:
            why = str(report.longrepr)[-600:] if report.failed else ""
            self.write(report.outcome, report.nodeid, why)

arguments = [{file!r}, "-q", "-p", "no:cacheprovider", "-o", "addopts=", "--rootdir", {root!r}]
if not torch.cuda.is_available():
    arguments += ["-k", "not cuda"]
sys.argv = [{file!r}]
sys.exit(pytest.main(arguments, plugins=[Lines()]))
"""


@dataclass
class Outcome:
    """Results of the tests of a file."""

    file: str
    """Path below the checkout."""
    seconds: float = 0.0
    """Time that its process took [s]."""
    counts: dict[str, int] = field(default_factory=dict)
    """Number of tests by outcome: passed, failed, skipped, and not started: what had no time, or
    did not begin because the process ended. A file that could not be read counts as one."""
    ended: str = ""
    """Reason of the end before the end; empty: there was none."""
    failures: dict[str, str] = field(default_factory=dict)
    """Ends of messages by test that failed, or by file that could not be read."""


def test_files(checkout: Path, parts: Sequence[str] = ()) -> list[Path]:
    """Files of tests below a checkout, sorted.

    Args:
        checkout: the folder with ``source``.
        parts: pieces of paths, of which a file has one; none: all files.

    Raises:
        FileNotFoundError: there are none.
    """
    found = sorted(checkout.glob("source/*/test/**/test_*.py"))
    files = [file for file in found if not parts or any(part in str(file) for part in parts)]
    if not files:
        what = f" with {' or '.join(parts)} in their paths" if parts else ""
        raise FileNotFoundError(f"no source/*/test/**/test_*.py below {checkout}{what}")
    return files


def run_file(checkout: Path, file: Path, limit: float) -> Outcome:
    """Run the tests of a file in a process of its own.

    Args:
        checkout: the folder with ``source``.
        file: the file.
        limit: time that it may take [s].
    """
    outcome = Outcome(str(file.relative_to(checkout)))
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        code = _CHILD.format(
            ours=[str(ROOT)],
            theirs=[str(checkout / "source" / name) for name in _ON_PATH],
            log=str(log),
            file=str(file),
            root=str(checkout),
        )
        started = time.perf_counter()
        try:
            run = subprocess.run(
                [sys.executable, "-c", code],
                cwd=folder,
                timeout=limit,
                capture_output=True,
                text=True,
                errors="replace",
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            )
        except subprocess.TimeoutExpired:
            outcome.ended = f"after {limit:g} s"
        else:
            # pytest's own: passed, failed, none collected or none chosen.
            if run.returncode not in (0, 1, 2, 5):
                outcome.ended = f"code {run.returncode}: {_last_line(run.stdout + run.stderr)}"
        outcome.seconds = time.perf_counter() - started
        _count(outcome, _lines(log))
    return outcome


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no output"


def _lines(log: Path) -> Iterator[list[str]]:
    """Reports of a process, as far as it got."""
    for line in log.read_text().splitlines() if log.is_file() else ():
        if line.endswith("]"):
            yield json.loads(line)


def _count(outcome: Outcome, lines: Iterator[list[str]]) -> None:
    collected, results = 0, {}
    for kind, *words in lines:
        if kind == "collected":
            collected = int(words[0])
        elif kind == "broken":
            outcome.failures[words[0]] = words[1]
            outcome.ended = outcome.ended or "it could not be read"
        elif results.get(words[0]) != "failed":
            results[words[0]] = kind
            if kind == "failed":
                outcome.failures[words[0]] = words[1]
    counts = Counter(results.values())
    broken = int(bool(outcome.ended) and not collected)
    counts["not started"] = max(collected - len(results), broken)
    outcome.counts = {name: counts[name] for name in _OUTCOMES}


def _row(outcome: Outcome) -> str:
    numbers = " ".join(f"{outcome.counts[name]:>7}" for name in _OUTCOMES)
    return f"{numbers} {outcome.seconds:>7.0f}  {outcome.file}  {outcome.ended}".rstrip()


def main(arguments: Sequence[str]) -> int:
    """Run what is asked for and print it; the exit code is 0 whatever passed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers.isaac_lab_tests", description=__doc__
    )
    parser.add_argument("checkout", type=Path, help="folder of Isaac Lab's repository")
    parser.add_argument("part", nargs="*", help="pieces of the paths of files to run; none: all")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for a file")
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    parser.add_argument("--out", type=Path, help="JSON file for the results, with messages")
    options = parser.parse_args(arguments)
    checkout = options.checkout.resolve()
    try:
        files = test_files(checkout, options.part)
    except FileNotFoundError as error:
        parser.error(str(error))
    print(" ".join(f"{name.split()[-1]:>7}" for name in _OUTCOMES), " seconds  file")
    outcomes = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for outcome in pool.map(lambda file: run_file(checkout, file, options.limit), files):
            print(_row(outcome), flush=True)
            outcomes.append(outcome)
    total = Counter[str]()
    for outcome in outcomes:
        total.update(outcome.counts)
    print(f"{len(files)} files: " + ", ".join(f"{total[name]} {name}" for name in _OUTCOMES))
    if options.out is not None:
        options.out.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
