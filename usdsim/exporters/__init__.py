"""Export of stages to the formats of other simulators.

`convert` takes any file to any format: to USD as `usdsim.converters.convert` does, and to MJCF and
URDF from whatever can be simulated here. `export_mjcf` and `export_urdf` keep the report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usdsim.core.lazy import lazy_names

if TYPE_CHECKING:
    from .dispatch import EXPORT_SUFFIXES as EXPORT_SUFFIXES
    from .dispatch import convert as convert
    from .mjcf import export_mjcf as export_mjcf
    from .result import Export as Export
    from .urdf import export_urdf as export_urdf

# Loaded on first use: conversion to USD needs no engine.
__getattr__, __dir__, __all__ = lazy_names(__name__)
