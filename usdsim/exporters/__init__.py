"""Export of stages to the formats of other simulators.

`convert` takes any file to any format: to USD as `usdsim.converters.convert` does, and to MJCF and
URDF from whatever can be simulated here. `export_mjcf` and `export_urdf` keep the report.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .dispatch import EXPORT_SUFFIXES as EXPORT_SUFFIXES
    from .dispatch import convert as convert
    from .mjcf import export_mjcf as export_mjcf
    from .result import Export as Export
    from .urdf import export_urdf as export_urdf

# Loaded on first use: conversion to USD needs no engine.
_LAZY = {
    "EXPORT_SUFFIXES": "dispatch",
    "Export": "result",
    "convert": "dispatch",
    "export_mjcf": "mjcf",
    "export_urdf": "urdf",
}

__all__ = ["EXPORT_SUFFIXES", "Export", "convert", "export_mjcf", "export_urdf"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
