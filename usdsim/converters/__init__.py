"""Conversion of MJCF, URDF, xacro and mesh files to USD.

`convert` turns one file into a stage; `MjcfConverter`, `UrdfConverter` and `MeshConverter` do the
same lazily, keyed by content and configuration.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .base import AssetConverterBase as AssetConverterBase
    from .base import MeshConverter as MeshConverter
    from .base import MjcfConverter as MjcfConverter
    from .base import UrdfConverter as UrdfConverter
    from .batch import BatchReport as BatchReport
    from .batch import convert_many as convert_many
    from .cfg import AssetConverterBaseCfg as AssetConverterBaseCfg
    from .cfg import JointDriveCfg as JointDriveCfg
    from .cfg import MeshConverterCfg as MeshConverterCfg
    from .cfg import MjcfConverterCfg as MjcfConverterCfg
    from .cfg import NaturalFrequencyGainsCfg as NaturalFrequencyGainsCfg
    from .cfg import PDGainsCfg as PDGainsCfg
    from .cfg import UrdfConverterCfg as UrdfConverterCfg
    from .conversion import Conversion as Conversion
    from .conversion import convert as convert
    from .conversion import convert_file as convert_file
    from .report import ConversionFinding as ConversionFinding
    from .report import ConversionReport as ConversionReport
    from .spawn import MjcfFileCfg as MjcfFileCfg
    from .spawn import UrdfFileCfg as UrdfFileCfg

# Loaded on first use: the emit helpers below this package must not pull in every reader.
_LAZY = {
    "AssetConverterBase": "base",
    "AssetConverterBaseCfg": "cfg",
    "BatchReport": "batch",
    "Conversion": "conversion",
    "ConversionFinding": "report",
    "ConversionReport": "report",
    "JointDriveCfg": "cfg",
    "MeshConverter": "base",
    "MeshConverterCfg": "cfg",
    "MjcfConverter": "base",
    "MjcfConverterCfg": "cfg",
    "MjcfFileCfg": "spawn",
    "NaturalFrequencyGainsCfg": "cfg",
    "PDGainsCfg": "cfg",
    "UrdfConverter": "base",
    "UrdfConverterCfg": "cfg",
    "UrdfFileCfg": "spawn",
    "convert": "conversion",
    "convert_file": "conversion",
    "convert_many": "batch",
}

__all__ = [
    "AssetConverterBase",
    "AssetConverterBaseCfg",
    "BatchReport",
    "Conversion",
    "ConversionFinding",
    "ConversionReport",
    "JointDriveCfg",
    "MeshConverter",
    "MeshConverterCfg",
    "MjcfConverter",
    "MjcfConverterCfg",
    "MjcfFileCfg",
    "NaturalFrequencyGainsCfg",
    "PDGainsCfg",
    "UrdfConverter",
    "UrdfConverterCfg",
    "UrdfFileCfg",
    "convert",
    "convert_file",
    "convert_many",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
