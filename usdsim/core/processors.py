"""Processors: how many this process may use, and how many threads work gets by default."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = [
    "default_threads",
    "set_default_threads",
    "share_processors",
    "side_by_side",
    "usable_processors",
]

Item = TypeVar("Item")
Result = TypeVar("Result")

_threads = 0


def usable_processors() -> int:
    """Number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share_processors(workers: int) -> int:
    """Number of threads for each of some worker processes, so that together they fill the machine.

    Args:
        workers: number of processes that work at once; at least one.
    """
    return max(1, usable_processors() // workers)


def default_threads() -> int:
    """Number of threads where nobody asks for a number: that set, else one per processor."""
    return _threads or usable_processors()


def set_default_threads(count: int) -> None:
    """Set how many threads work gets where nobody asks for a number.

    Args:
        count: the number; 0: one per processor that this process may use.
    """
    global _threads
    _threads = count


def side_by_side(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Results of work on each item, in order, by as many threads as work gets by default.

    For work that libraries do outside the interpreter. What it raises is raised here, and items
    that were not begun by then are left alone.

    Args:
        work: what is done with an item; it must not change what others use.
        items: what it is done with.
    """
    count = min(len(items), default_threads())
    if count < 2:
        return [work(item) for item in items]
    pool = ThreadPoolExecutor(count)
    try:
        return list(pool.map(work, items))
    finally:
        pool.shutdown(cancel_futures=True)
