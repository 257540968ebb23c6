"""Watching source files: what they are made of, and when it changes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["changes", "stamp"]

_PERIOD = 0.3
"""Time between two looks at the files [s]."""


def stamp(source: Path, packages: dict[str, str] | None = None) -> dict[str, tuple[int, int]]:
    """Time of change and size of a source and of all files it refers to."""
    from usdsim.converters.inputs import referenced_files

    found = {}
    for file in (source, *referenced_files(source, packages)):
        try:
            status = file.stat()
        except OSError:
            continue
        found[str(file)] = (status.st_mtime_ns, status.st_size)
    return found


def changes(
    source: Path, packages: dict[str, str] | None = None, period: float = _PERIOD
) -> Iterator[list[str]]:
    """Yield the files that changed, each time some did and then rested for a look.

    Args:
        source: the file.
        packages: folders of the packages it refers to.
        period: time between two looks [s].
    """
    known = stamp(source, packages)
    while True:
        time.sleep(period)
        now, before = stamp(source, packages), known
        if now == known:
            continue
        while now != before:
            time.sleep(period)
            now, before = stamp(source, packages), now
        names = {*known, *now}
        yield sorted(name for name in names if known.get(name) != now.get(name))
        known = now
