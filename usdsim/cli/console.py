"""Console output: text for people, one JSON document for machines."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["Bar", "Console", "counted"]

T = TypeVar("T")


class Console:
    """Standard output for results, standard error for progress and errors.

    Args:
        json_output: print nothing but the document given to `result`.
    """

    def __init__(self, *, json_output: bool = False):
        self.json_output = json_output

    def line(self, text: str = "") -> None:
        """Write one line for people."""
        if not self.json_output:
            print(text, flush=True)

    def pairs(self, rows: Iterable[tuple[str, object]], *, indent: int = 0) -> None:
        """Write names and values in two columns."""
        rows = list(rows)
        width = max((len(name) for name, _ in rows), default=0) + 2
        for name, value in rows:
            self.line(f"{' ' * indent}{name:<{width}}{value}")

    def table(self, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Write columns as wide as their longest cell."""
        cells = [[str(cell) for cell in row] for row in (header, *rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for row in cells:
            line = "  ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True))
            self.line(line.rstrip())

    def result(self, document: dict[str, Any]) -> None:
        """Write the document for machines."""
        if self.json_output:
            print(json.dumps(_plain(document), indent=2), flush=True)

    def error(self, kind: str, message: str) -> None:
        """Report what went wrong."""
        if self.json_output:
            self.result({"error": {"type": kind, "message": message}})
        else:
            print(f"usdsim: error: {message}", file=sys.stderr, flush=True)

    def progress(self, items: Sequence[T], label: str) -> Iterator[T]:
        """Yield `items` and show how far they are; see `bar`."""
        with self.bar(len(items), label) as bar:
            for item in items:
                yield item
                bar.advance()

    @contextmanager
    def bar(self, total: int, label: str) -> Iterator[Bar]:
        """Show progress on standard error: a bar on a terminal, else a line now and then."""
        bar = Bar(total, label, terminal=sys.stderr.isatty())
        try:
            yield bar
        finally:
            bar.clear()


def counted(count: int, thing: str) -> str:
    """A number of things: ``1 world``, ``2 worlds``."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


class Bar:
    """Progress bar of a long step.

    Args:
        total: number of parts.
        label: what is going on.
        terminal: whether the line can be rewritten.
    """

    def __init__(self, total: int, label: str, *, terminal: bool):
        self._total, self._label, self._terminal = total, label, terminal
        self._done = 0
        self._started = self._shown = time.perf_counter()

    def advance(self) -> None:
        """Count one more part as done."""
        self._done += 1
        now = time.perf_counter()
        if now - self._shown > (0.1 if self._terminal else 5.0):
            self._shown = now
            self._show(now - self._started)

    def clear(self) -> None:
        """Take the bar off the terminal."""
        if self._terminal and self._shown != self._started:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _show(self, elapsed: float) -> None:
        part = self._done / self._total
        rate, left = self._done / elapsed, elapsed / part - elapsed
        text = f"{self._label} {part:4.0%}, {rate:.3g}/s, {left:.0f} s left"
        if self._terminal:
            bar = "=" * round(24 * part)
            print(f"\r[{bar:<24}] {text}\x1b[K", end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)


def _plain(value: Any) -> Any:
    """A value as JSON can hold it: arrays as lists, NaN and infinities as null."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value) if isinstance(value, Path) else repr(value)
