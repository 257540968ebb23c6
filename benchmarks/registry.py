"""What a benchmark is, and the list of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["BENCHMARKS", "GROUPS", "Benchmark", "Row", "Settings", "Skip", "benchmark"]


@dataclass(frozen=True)
class Settings:
    """What a run is asked for."""

    quick: bool
    """Fewer worlds and rounds: a check that everything runs, not a measurement."""
    corpus: Path | None
    """Folder of real robots with a ``manifest.json``; None: the shipped assets only."""
    device: str = "warp:cpu"
    """Where the benchmarks of devices run: ``cuda``, ``cuda:1``, ... or ``warp:cpu``."""
    envs: tuple[int, ...] = ()
    """Numbers of worlds of the benchmarks of devices; none: what suits the device."""
    interpreters: Mapping[str, str] = field(default_factory=dict)
    """Python of peers that cannot live in this process, by name of the peer."""

    def rounds(self, full: int) -> int:
        """Number of repetitions."""
        return min(full, 3) if self.quick else full


@dataclass(frozen=True)
class Row:
    """One measured figure."""

    case: str
    value: float
    unit: str
    target: float | None = None
    """The figure to reach."""
    at_least: bool = False
    """Whether the figure should be above its target rather than below."""
    detail: dict[str, Any] | None = None

    @property
    def reached(self) -> bool | None:
        """Whether the target is met; None without one."""
        if self.target is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target


@dataclass(frozen=True)
class Skip:
    """What was not measured, as something it needs is not on this machine."""

    case: str
    reason: str


Benchmark = Callable[[Settings], Iterable[Row | Skip]]

BENCHMARKS: dict[str, Benchmark] = {}
GROUPS: dict[str, list[str]] = {}
"""Names of benchmarks by the module or package that has them."""


def benchmark(function: Benchmark) -> Benchmark:
    """Add a function to the list, under its own name, and to the group of its module."""
    group = function.__module__.removeprefix("benchmarks.").partition(".")[0]
    BENCHMARKS[function.__name__] = function
    GROUPS.setdefault(group, []).append(function.__name__)
    return function
