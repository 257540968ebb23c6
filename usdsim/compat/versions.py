"""Versions: what programs ask before they choose a way; there is no Kit here."""

from __future__ import annotations

import importlib
from functools import cache
from importlib.metadata import Distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

__all__ = [
    "LAB_VERSION",
    "SIM_VERSION",
    "LabDistribution",
    "Version",
    "compare_versions",
    "get_isaac_sim_version",
    "get_version",
    "has_kit",
]


class Version(NamedTuple):
    """Three numbers that can be compared."""

    major: int
    minor: int
    micro: int


LAB_VERSION = "3.0.0"
"""The version of Isaac Lab whose conventions hold here."""
SIM_VERSION = Version(6, 0, 0)


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
        return SIM_VERSION
    return importlib.import_module("packaging.version").Version(".".join(map(str, SIM_VERSION)))


def get_version() -> tuple[str, ...]:
    """That version as texts: all of it, prerelease, its three numbers, and three tags of builds."""
    numbers = [str(number) for number in SIM_VERSION]
    return (".".join(numbers), "", *numbers, "", "", "")


class LabDistribution(Distribution):
    """The installed package that programs ask for the version of Isaac Lab."""

    def read_text(self, filename: str) -> str | None:
        """Content of a file about the package; None: there is no such file."""
        known = f"Metadata-Version: 2.1\nName: isaaclab\nVersion: {LAB_VERSION}\n"
        return known if filename == "METADATA" else None

    def locate_file(self, path: Any) -> Any:
        """Path that a file of the package would have."""
        return Path(path)


def compare_versions(v1: str, v2: str) -> int:
    """-1, 0 or 1: whether a version such as ``1.10.0`` comes before another, is it, or after it."""
    first, second = (tuple(int(part) for part in text.split(".")) for text in (v1, v2))
    size = max(len(first), len(second))
    first, second = (parts + (0,) * (size - len(parts)) for parts in (first, second))
    return (first > second) - (first < second)
