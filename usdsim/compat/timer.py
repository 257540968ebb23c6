"""Timer of a block of code."""

from __future__ import annotations

import sys
import time
from typing import Any

__all__ = ["Timer"]


class Timer:
    """Measures the time of a ``with`` block and prints it.

    Args:
        msg: what is printed before the time; None: nothing is.
    """

    def __init__(self, msg: str | None = None, *_: Any, **__: Any):
        self._message = msg
        self._start = self._end = 0.0

    def start(self) -> None:
        """Begin to measure."""
        self._start, self._end = time.perf_counter(), 0.0

    def stop(self) -> None:
        """End the measurement."""
        self._end = time.perf_counter()

    @property
    def time_elapsed(self) -> float:
        """Time since `start` [s]."""
        return time.perf_counter() - self._start

    @property
    def total_run_time(self) -> float:
        """Time from `start` to `stop` [s]."""
        return self._end - self._start

    def __enter__(self) -> Timer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._message is not None:
            sys.stdout.write(f"{self._message}: {self.total_run_time:.6f} s\n")
