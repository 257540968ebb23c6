"""Threads and precision: what holds for the whole process."""

from __future__ import annotations

from collections.abc import Sequence

from usdsim.core.errors import StageError, UnsupportedError

from .scalars import whole

__all__ = ["default_threads", "init_thread_pool", "real_dtype"]

_threads: int | None = None


def init_thread_pool(num_threads: int | None = None, core_ids: Sequence[int] | None = None) -> None:
    """Set once how many threads a `SceneData` has that is not given a number.

    Args:
        num_threads: 1 or more; 0 or None: one per CPU that the process may use.
        core_ids: not available: which CPUs a process may use is set from outside.

    Raises:
        StageError: it was set before.
        UnsupportedError: with `core_ids`.
    """
    global _threads
    if core_ids is not None:
        raise UnsupportedError(
            "core_ids cannot be set here. Start the process on the CPUs it is to use: "
            "os.sched_setaffinity(0, ids) before usdsim is imported, or taskset."
        )
    if _threads is not None:
        raise StageError(
            f"The number of threads was already set to {_threads}. "
            "Give SceneData(..., threads=n) where one data is to have another number."
        )
    _threads = whole("num_threads", num_threads or 0)


def default_threads() -> int:
    """Number of threads that `init_thread_pool` set; 0: one per CPU that the process may use."""
    return _threads or 0


def real_dtype() -> str:
    """Name of the NumPy type of the arrays that are read: ``"float32"``."""
    return "float32"
