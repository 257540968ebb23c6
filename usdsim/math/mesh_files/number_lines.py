"""Lines of numbers in text files of meshes, read many at once."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LINE",
    "SPACE",
    "chosen_lines",
    "count_per_line",
    "evened",
    "line_starts",
    "parse_numbers",
    "parse_table",
]

Array = NDArray[np.float64]

SPACE, LINE = b" \n"


def parse_numbers(data: bytes, dtype: Any) -> NDArray[Any] | None:
    """All numbers of a text; None: something in it is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return np.fromstring(data, dtype=dtype, sep=" ")
        except (DeprecationWarning, ValueError):
            return None


def line_starts(signs: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Positions of the first signs of the lines of a text; the last one ends too."""
    return np.concatenate([[0], np.flatnonzero(signs == LINE)[:-1] + 1])


def count_per_line(data: bytes, sign: int) -> NDArray[np.int64]:
    """Count a sign in each line; the last one ends too."""
    signs = np.frombuffer(data, np.uint8)
    return np.add.reduceat(signs == sign, line_starts(signs), dtype=np.int64)


def evened(text: str) -> bytes:
    """Lines with one space between words and none at their ends; the last one ends too."""
    data = text.encode() + b"\n"
    for other in (b"\t", b"\r"):
        data = data.replace(other, b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n")


def chosen_lines(
    signs: NDArray[np.uint8],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    chosen: NDArray[np.bool_],
    prefix: int,
) -> bytes:
    """Chosen lines of a text without the first letters of each."""
    kept = np.repeat(chosen, lengths)
    for letter in range(prefix):
        kept[starts[chosen] + letter] = False
    return signs[kept].tobytes()


def parse_table(data: bytes) -> Array | None:
    """Lines of as many numbers each; None: they are not."""
    numbers, spaces = parse_numbers(data, np.float64), count_per_line(data, SPACE)
    if numbers is None or (spaces != spaces[0]).any():
        return None
    width = int(spaces[0]) + 1
    return numbers.reshape(-1, width) if numbers.size == width * len(spaces) else None
