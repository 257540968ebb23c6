"""Terrains: generated ground with levels of difficulty, and where environments are on it."""

from __future__ import annotations

from .cfg import FlatPatchSamplingCfg, SubTerrainBaseCfg, TerrainGeneratorCfg
from .generator import TerrainGenerator
from .height_field import (
    HfDiscreteObstaclesTerrainCfg,
    HfInvertedPyramidSlopedTerrainCfg,
    HfInvertedPyramidStairsTerrainCfg,
    HfPyramidSlopedTerrainCfg,
    HfPyramidStairsTerrainCfg,
    HfRandomUniformTerrainCfg,
    HfSteppingStonesTerrainCfg,
    HfTerrainBaseCfg,
    HfWaveTerrainCfg,
    convert_height_field_to_mesh,
    height_field_to_mesh,
)
from .importer import TerrainImporter
from .importer_cfg import TerrainImporterCfg
from .mesh import (
    MeshBoxTerrainCfg,
    MeshFileTerrainCfg,
    MeshFloatingRingTerrainCfg,
    MeshGapTerrainCfg,
    MeshInvertedPyramidStairsTerrainCfg,
    MeshPitTerrainCfg,
    MeshPlaneTerrainCfg,
    MeshPyramidStairsTerrainCfg,
    MeshRailsTerrainCfg,
    MeshRandomGridTerrainCfg,
    MeshRepeatedBoxesTerrainCfg,
    MeshRepeatedCylindersTerrainCfg,
    MeshRepeatedObjectsTerrainCfg,
    MeshRepeatedPyramidsTerrainCfg,
    MeshStarTerrainCfg,
)
from .patches import find_flat_patches
from .rough import ROUGH_TERRAINS_CFG
from .surfaces import TerrainMesh, heights_at

__all__ = [
    "ROUGH_TERRAINS_CFG",
    "FlatPatchSamplingCfg",
    "HfDiscreteObstaclesTerrainCfg",
    "HfInvertedPyramidSlopedTerrainCfg",
    "HfInvertedPyramidStairsTerrainCfg",
    "HfPyramidSlopedTerrainCfg",
    "HfPyramidStairsTerrainCfg",
    "HfRandomUniformTerrainCfg",
    "HfSteppingStonesTerrainCfg",
    "HfTerrainBaseCfg",
    "HfWaveTerrainCfg",
    "MeshBoxTerrainCfg",
    "MeshFileTerrainCfg",
    "MeshFloatingRingTerrainCfg",
    "MeshGapTerrainCfg",
    "MeshInvertedPyramidStairsTerrainCfg",
    "MeshPitTerrainCfg",
    "MeshPlaneTerrainCfg",
    "MeshPyramidStairsTerrainCfg",
    "MeshRailsTerrainCfg",
    "MeshRandomGridTerrainCfg",
    "MeshRepeatedBoxesTerrainCfg",
    "MeshRepeatedCylindersTerrainCfg",
    "MeshRepeatedObjectsTerrainCfg",
    "MeshRepeatedPyramidsTerrainCfg",
    "MeshStarTerrainCfg",
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
