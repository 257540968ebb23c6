"""Versions: what programs ask before they choose a way; there is no Kit here."""

from __future__ import annotations

import importlib
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

__all__ = ["Version", "compare_versions", "get_isaac_sim_version", "has_kit"]


class Version(NamedTuple):
    """Three numbers that can be compared."""

    major: int
    minor: int
    micro: int


def has_kit() -> bool:
    """Whether there is an application of Omniverse: never."""
    return False


@cache
def get_isaac_sim_version() -> Any:
    """The version of Isaac Sim whose programs run: its latest.

    Returns:
        A `packaging.version.Version`, which programs compare it with, where there is that package;
        otherwise a `Version`.
    """
    if find_spec("packaging") is None:
        return Version(6, 0, 0)
    return importlib.import_module("packaging.version").Version("6.0.0")


def compare_versions(v1: str, v2: str) -> int:
    """-1, 0 or 1: whether a version such as ``1.10.0`` comes before another, is it, or after it."""
    first, second = (tuple(int(part) for part in text.split(".")) for text in (v1, v2))
    size = max(len(first), len(second))
    first, second = (parts + (0,) * (size - len(parts)) for parts in (first, second))
    return (first > second) - (first < second)
