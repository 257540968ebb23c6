"""Real-time loop: physics at its own timestep, pictures at theirs."""

from __future__ import annotations

import time
from collections.abc import Callable

from usdsim.core.arguments import number

__all__ = ["render_loop"]

_LONGEST = 0.25
"""Real time that is caught up with at most per picture [s]: slow scenes run slowly, not never."""


def render_loop(
    phys_dt: float,
    render_fps: float,
    phys_step_func: Callable[[], object],
    render_func: Callable[[], object],
) -> None:
    """Step and draw in real time until a function raises; StopIteration ends it quietly.

    Args:
        phys_dt: timestep [s].
        render_fps: pictures per second.
        phys_step_func: makes one step.
        render_func: draws the current state.

    Raises:
        InvalidValueError: a timestep or rate that is not above 0.
    """
    step, period = number("phys_dt", phys_dt), 1.0 / number("render_fps", render_fps)
    behind, last = step, time.monotonic()
    try:
        while True:
            start = time.monotonic()
            behind = min(behind + start - last, max(_LONGEST, step))
            last = start
            while behind >= step:
                phys_step_func()
                behind -= step
            render_func()
            time.sleep(max(0.0, period - (time.monotonic() - start)))
    except StopIteration:
        return
