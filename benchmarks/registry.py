"""What a benchmark is, and the list of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["BENCHMARKS", "Row", "Settings", "benchmark"]


@dataclass(frozen=True)
class Settings:
    """What a run is asked for."""

    quick: bool
    """Fewer worlds and rounds: a check that everything runs, not a measurement."""
    corpus: Path | None
    """Folder of real robots with a ``manifest.json``; None: the shipped assets only."""

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


BENCHMARKS: dict[str, Callable[[Settings], Iterable[Row]]] = {}


def benchmark(
    function: Callable[[Settings], Iterable[Row]],
) -> Callable[[Settings], Iterable[Row]]:
    """Add a function to the list, under its own name."""
    BENCHMARKS[function.__name__] = function
    return function
