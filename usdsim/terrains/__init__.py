"""Terrains: generated ground with levels of difficulty, and where environments are on it."""

from __future__ import annotations

from . import height_field, mesh
from .cfg import FlatPatchSamplingCfg, SubTerrainBaseCfg, TerrainGeneratorCfg
from .generator import TerrainGenerator
from .height_field.cfg import *
from .height_field.conversion import convert_height_field_to_mesh, height_field_to_mesh
from .importer import TerrainImporter
from .importer_cfg import TerrainImporterCfg
from .mesh.cfg import *
from .patches import find_flat_patches
from .rough import ROUGH_TERRAINS_CFG
from .surfaces import TerrainMesh, heights_at

__all__ = [
    *height_field.cfg.__all__,
    *mesh.cfg.__all__,
    "ROUGH_TERRAINS_CFG",
    "FlatPatchSamplingCfg",
    "SubTerrainBaseCfg",
    "TerrainGenerator",
    "TerrainGeneratorCfg",
    "TerrainImporter",
    "TerrainImporterCfg",
    "TerrainMesh",
    "convert_height_field_to_mesh",
    "find_flat_patches",
    "height_field_to_mesh",
    "heights_at",
]
