"""Timing that survives a busy machine: alternating runs, medians, child processes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "ROOT",
    "Comparison",
    "Contender",
    "alternate",
    "environment_variable",
    "in_child",
    "median_time",
]

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Contender:
    """One side of a comparison."""

    prepare: Callable[[], object]
    """Called before each timed run, outside its time."""
    run: Callable[[], object]
    """What is timed."""
    clock: Callable[[], float] = time.perf_counter
    """That of the processor, where what runs in this process alone differs by a few percent."""

    def seconds(self) -> float:
        """Duration of one run [s]."""
        self.prepare()
        return _seconds(self.run, self.clock)


def _seconds(
    function: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> float:
    started = clock()
    function()
    return clock() - started


def median_time(function: Callable[[], object], rounds: int) -> float:
    """Median duration of a call after one that does not count [s]."""
    function()
    return statistics.median(_seconds(function) for _ in range(rounds))


@dataclass(frozen=True)
class Comparison:
    """Durations of two contenders, one pair per round."""

    pairs: tuple[tuple[float, float], ...]

    @property
    def first(self) -> float:
        """Median duration of the first [s]."""
        return statistics.median(a for a, _ in self.pairs)

    @property
    def second(self) -> float:
        """Median duration of the second [s]."""
        return statistics.median(b for _, b in self.pairs)

    @property
    def ratio(self) -> float:
        """Median of second / first in the same round: above 1, the first is faster."""
        return statistics.median(b / a for a, b in self.pairs)

    @property
    def added(self) -> float:
        """Median of what the first takes longer than the second in the same round [s]."""
        return statistics.median(a - b for a, b in self.pairs)


def alternate(first: Contender, second: Contender, rounds: int) -> Comparison:
    """Run two contenders in turn.

    The order changes every round, so that neither profits from the other's warm caches.
    """
    first.seconds()
    second.seconds()
    pairs = []
    for number in range(rounds):
        if number % 2:
            b, a = second.seconds(), first.seconds()
        else:
            a, b = first.seconds(), second.seconds()
        pairs.append((a, b))
    return Comparison(tuple(pairs))


@contextmanager
def environment_variable(name: str, value: str) -> Iterator[None]:
    """A variable of this process and those it starts, and afterwards what it was before."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def in_child(code: str, environment: Mapping[str, str] | None = None) -> float:
    """Run Python code in a new process and return the number it prints last.

    Raises:
        RuntimeError: the code failed.
    """
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
    )
    if result.returncode:
        raise RuntimeError(result.stderr.strip())
    return float(result.stdout.split()[-1])
