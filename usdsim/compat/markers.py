"""Visualization markers and the configurations of the usual ones."""

from __future__ import annotations

from usdsim.sim.markers import VisualizationMarkers, VisualizationMarkersCfg
from usdsim.spawners import CuboidCfg, SphereCfg

__all__ = [
    "CUBOID_MARKER_CFG",
    "FRAME_MARKER_CFG",
    "RAY_CASTER_MARKER_CFG",
    "SPHERE_MARKER_CFG",
    "VisualizationMarkers",
    "VisualizationMarkersCfg",
]

_DOT = SphereCfg(radius=0.02)
FRAME_MARKER_CFG = VisualizationMarkersCfg(markers={"frame": CuboidCfg(size=(0.5, 0.5, 0.5))})
"""A frame."""
RAY_CASTER_MARKER_CFG = VisualizationMarkersCfg(markers={"hit": _DOT})
"""Where rays hit."""
SPHERE_MARKER_CFG = VisualizationMarkersCfg(markers={"sphere": _DOT})
"""A sphere."""
CUBOID_MARKER_CFG = VisualizationMarkersCfg(markers={"cuboid": CuboidCfg(size=(0.1, 0.1, 0.1))})
"""A cuboid."""
