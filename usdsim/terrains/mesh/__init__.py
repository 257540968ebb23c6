"""Mesh terrains: boxes and other solids."""

from __future__ import annotations

from .cfg import (
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

__all__ = [
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
]
