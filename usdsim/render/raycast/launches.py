"""Threads for kernels on the CPU, where Warp runs a launch on one."""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import warp as wp

from usdsim.core.processors import default_threads
from usdsim.engine import device as devices

__all__ = ["launch_rows"]

_PIECES = 4
"""Pieces of work per thread, so that none waits long for another."""


@functools.cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="usdsim-render")


if hasattr(os, "register_at_fork"):
    # A forked child has the pools without their threads, and would wait for these.
    os.register_at_fork(after_in_child=_pool.cache_clear)


def launch_rows(
    kernel: Any,
    rows: int,
    columns: int,
    scene: wp.array,
    after: Sequence[Any],
    device: str,
    threads: int = 0,
) -> None:
    """Launch a kernel over rows and columns, in pieces on all threads of a CPU.

    Args:
        kernel: takes the scene, the first row of its piece, and `after`.
        rows: of the whole.
        columns: of the whole.
        scene: a `TracedScene`.
        after: arguments after the first row.
        device: where.
        threads: how many; 0: as many as `default_threads` says.
    """
    if not rows or not columns:
        return
    count = (threads or default_threads()) if devices.is_shared(device) else 1
    pieces = min(rows, count * _PIECES) if count > 1 else 1
    bounds = [rows * k // pieces for k in range(pieces + 1)]
    recorded = [
        wp.launch(
            kernel,
            (end - start, columns),
            inputs=[scene, start, *after],
            device=device,
            record_cmd=True,
        )
        for start, end in itertools.pairwise(bounds)
    ]
    if count == 1:
        for launch in recorded:
            launch.launch()
    else:
        # Warp's kernels do not hold Python's lock.
        list(_pool(count).map(lambda launch: launch.launch(), recorded))
