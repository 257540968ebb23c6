"""Processors: how many this process may use, and how many threads work gets by default."""

from __future__ import annotations

import os

__all__ = ["default_threads", "set_default_threads", "share_processors", "usable_processors"]

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
