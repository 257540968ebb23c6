"""Export of stages to the formats of other simulators.

`convert` takes any file to any format: to USD as `usdsim.converters.convert` does, and to MJCF from
whatever can be simulated here. `export_mjcf` keeps the report.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .dispatch import EXPORT_SUFFIXES as EXPORT_SUFFIXES
    from .dispatch import convert as convert
    from .mjcf import Export as Export
    from .mjcf import export_mjcf as export_mjcf

# Loaded on first use: conversion to USD needs no engine.
_LAZY = {
    "EXPORT_SUFFIXES": "dispatch",
    "Export": "mjcf",
    "convert": "dispatch",
    "export_mjcf": "mjcf",
}

__all__ = ["EXPORT_SUFFIXES", "Export", "convert", "export_mjcf"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
