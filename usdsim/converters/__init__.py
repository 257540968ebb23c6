"""Conversion of MJCF, URDF, xacro and mesh files to USD.

`convert` turns one file into a stage; `MjcfConverter`, `UrdfConverter` and `MeshConverter` do the
same lazily, keyed by content and configuration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usdsim.core.lazy import lazy_names

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

# The emit helpers below this package must not pull in every reader.
__getattr__, __dir__, __all__ = lazy_names(__name__)
