"""Patterns of rays: where they start and where they point, in the frame of a sensor."""

from .cameras import PinholeCameraPatternCfg, pinhole_camera_pattern
from .grids import GridPatternCfg, grid_pattern
from .lidars import BpearlPatternCfg, LidarPatternCfg, bpearl_pattern, lidar_pattern
from .pattern_cfg import PatternBaseCfg

__all__ = [
    "BpearlPatternCfg",
    "GridPatternCfg",
    "LidarPatternCfg",
    "PatternBaseCfg",
    "PinholeCameraPatternCfg",
    "bpearl_pattern",
    "grid_pattern",
    "lidar_pattern",
    "pinhole_camera_pattern",
]
