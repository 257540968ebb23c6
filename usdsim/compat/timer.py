"""Timer of a block of code, with statistics of all blocks of a name."""

from __future__ import annotations

import math
import sys
import time
from typing import Any, ClassVar

from usdsim.core.errors import InvalidValueError, UsdsimError

__all__ = ["Timer", "TimerError"]

_UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


class TimerError(UsdsimError):
    """A timer of a name has measured nothing, or one is stopped that was not started."""


class Timer:
    """Measures the time of a ``with`` block, prints it, and keeps it under a name.

    Args:
        msg: what is printed before the time; None: nothing is.
        name: key of `timing_info` under which measurements are gathered; None: they are not.
        enable: whether this timer measures.
        format: format of printed numbers.
        time_unit: unit of printed numbers: ``s``, ``ms``, ``us`` or ``ns``.

    Raises:
        InvalidValueError: there is no such unit.
    """

    timing_info: ClassVar[dict[str, dict[str, Any]]] = {}
    """By name: last measurement, mean and standard deviation [s] and number of measurements."""
    enable: ClassVar[bool] = True
    """Whether any timer measures."""
    enable_display_output: ClassVar[bool] = True
    """Whether any timer prints."""

    def __init__(
        self,
        msg: str | None = None,
        name: str | None = None,
        enable: bool = True,
        format: str = "{:.6f}",
        time_unit: str = "s",
    ):
        if time_unit not in _UNITS:
            raise InvalidValueError("Invalid time_unit: it", time_unit, ", ".join(_UNITS))
        self._message, self._name, self._measures = msg, name, enable and Timer.enable
        self._format, self._unit = format, time_unit
        self._start: float | None = None
        self._total = 0.0

    def start(self) -> None:
        """Begin to measure.

        Raises:
            TimerError: it measures already.
        """
        if self._start is not None:
            raise TimerError("The timer runs already. Call stop() first.")
        self._start = time.perf_counter() if self._measures else None

    def stop(self) -> None:
        """End the measurement.

        Raises:
            TimerError: it was not started.
        """
        if not self._measures:
            return
        if self._start is None:
            raise TimerError("The timer does not run. Call start() first.")
        self._total, self._start = time.perf_counter() - self._start, None
        if self._name is not None:
            _gather(Timer.timing_info.setdefault(self._name, {}), self._total)

    @property
    def time_elapsed(self) -> float:
        """Time since `start`, or of the whole measurement after `stop` [s]."""
        return self._total if self._start is None else time.perf_counter() - self._start

    @property
    def total_run_time(self) -> float:
        """Time from `start` to `stop` [s]."""
        return self._total

    @staticmethod
    def get_timer_info(name: str) -> float:
        """Last measurement under a name [s].

        Raises:
            TimerError: there is none.
        """
        return float(Timer.get_timer_statistics(name)["last"])

    @staticmethod
    def get_timer_statistics(name: str) -> dict[str, Any]:
        """Last measurement, mean and standard deviation [s] and number of those under a name.

        Raises:
            TimerError: there is none.
        """
        if name not in Timer.timing_info:
            raise TimerError(f"No timer {name!r} has measured. Names: {sorted(Timer.timing_info)}.")
        return {key: Timer.timing_info[name][key] for key in ("mean", "std", "n", "last")}

    @staticmethod
    def reset(name: str | None = None) -> None:
        """Forget the measurements under a name, or all of them."""
        if name is None:
            Timer.timing_info.clear()
        else:
            Timer.timing_info.pop(name, None)

    def __str__(self) -> str:
        return f"{self._format.format(self.time_elapsed * _UNITS[self._unit])} {self._unit}"

    def __enter__(self) -> Timer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._message is not None and self._measures and Timer.enable_display_output:
            sys.stdout.write(f"{self._message}: {self}\n")


def _gather(info: dict[str, Any], value: float) -> None:
    """Add a measurement: mean and squared deviations by Welford's recurrence."""
    count, mean, squares = info.get("n", 0) + 1, info.get("mean", 0.0), info.get("m2", 0.0)
    step = value - mean
    mean += step / count
    squares += step * (value - mean)
    info.update(last=value, mean=mean, m2=squares, n=count, std=math.sqrt(squares / count))
