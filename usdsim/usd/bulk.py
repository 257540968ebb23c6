"""Bulk work on stages: garbage collection pauses while much is made that stays.

The collector of cycles walks over the youngest objects whenever there are some hundreds, and over
all of them now and then. A stage of thousands of prims makes many times as many that all stay.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["uncollected"]


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the collector, unless it does not run; as a decorator, while a function runs."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
