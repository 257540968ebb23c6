"""Rough terrain: stairs, boxes, rough ground and slopes, from easy to hard."""

from __future__ import annotations

from .cfg import TerrainGeneratorCfg
from .height_field import (
    HfInvertedPyramidSlopedTerrainCfg,
    HfPyramidSlopedTerrainCfg,
    HfRandomUniformTerrainCfg,
)
from .mesh import (
    MeshInvertedPyramidStairsTerrainCfg,
    MeshPyramidStairsTerrainCfg,
    MeshRandomGridTerrainCfg,
)

__all__ = ["ROUGH_TERRAINS_CFG"]

_STAIRS = {
    "proportion": 0.2,
    "step_height_range": (0.05, 0.23),
    "step_width": 0.3,
    "platform_width": 3.0,
    "border_width": 1.0,
}
_SLOPE = {"slope_range": (0.0, 0.4), "platform_width": 2.0, "border_width": 0.25}

ROUGH_TERRAINS_CFG = TerrainGeneratorCfg(
    size=(8.0, 8.0),
    border_width=20.0,
    num_rows=10,
    num_cols=20,
    sub_terrains={
        "pyramid_stairs": MeshPyramidStairsTerrainCfg(**_STAIRS),
        "pyramid_stairs_inv": MeshInvertedPyramidStairsTerrainCfg(**_STAIRS),
        "boxes": MeshRandomGridTerrainCfg(
            proportion=0.2, grid_width=0.45, grid_height_range=(0.05, 0.2), platform_width=2.0
        ),
        "random_rough": HfRandomUniformTerrainCfg(
            proportion=0.2, noise_range=(0.02, 0.10), noise_step=0.02, border_width=0.25
        ),
        "hf_pyramid_slope": HfPyramidSlopedTerrainCfg(proportion=0.1, **_SLOPE),
        "hf_pyramid_slope_inv": HfInvertedPyramidSlopedTerrainCfg(proportion=0.1, **_SLOPE),
    },
)
"""200 pieces of 8 m by 8 m for walking robots, in random order unless ``curriculum`` is set."""
