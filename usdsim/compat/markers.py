"""Visualization markers and the configurations of the usual ones."""

from __future__ import annotations

from usdsim.sim.markers import VisualizationMarkers, VisualizationMarkersCfg
from usdsim.spawners import CuboidCfg, CylinderCfg, PreviewSurfaceCfg, SphereCfg, UsdFileCfg

from .server.paths import ISAAC_NUCLEUS_DIR

__all__ = [
    "BLUE_ARROW_X_MARKER_CFG",
    "CONTACT_SENSOR_MARKER_CFG",
    "CUBOID_MARKER_CFG",
    "DEFORMABLE_TARGET_MARKER_CFG",
    "FRAME_MARKER_CFG",
    "GREEN_ARROW_X_MARKER_CFG",
    "POSITION_GOAL_MARKER_CFG",
    "RAY_CASTER_MARKER_CFG",
    "RED_ARROW_X_MARKER_CFG",
    "SPHERE_MARKER_CFG",
    "VISUO_TACTILE_SENSOR_MARKER_CFG",
    "VisualizationMarkers",
    "VisualizationMarkersCfg",
]

_SIGNS = f"{ISAAC_NUCLEUS_DIR}/Props/UIElements"
_DOT = SphereCfg(radius=0.02)
_LINE = CylinderCfg(
    radius=0.002,
    height=1.0,
    visual_material=PreviewSurfaceCfg(diffuse_color=(1.0, 1.0, 0.0), roughness=1.0),
)
FRAME_MARKER_CFG = VisualizationMarkersCfg(
    markers={
        "frame": UsdFileCfg(usd_path=f"{_SIGNS}/frame_prim.usd", scale=(0.5, 0.5, 0.5)),
        "connecting_line": _LINE,
    }
)
"""A frame, and a line between frames."""
RAY_CASTER_MARKER_CFG = VisualizationMarkersCfg(markers={"hit": _DOT})
"""Markers of the points rays hit."""
SPHERE_MARKER_CFG = VisualizationMarkersCfg(markers={"sphere": _DOT})
"""A sphere."""
CUBOID_MARKER_CFG = VisualizationMarkersCfg(markers={"cuboid": CuboidCfg(size=(0.1, 0.1, 0.1))})
"""A cuboid."""


def _arrow(color: tuple[float, float, float]) -> VisualizationMarkersCfg:
    """An arrow along x."""
    arrow = UsdFileCfg(
        usd_path=f"{_SIGNS}/arrow_x.usd",
        scale=(1.0, 0.1, 0.1),
        visual_material=PreviewSurfaceCfg(diffuse_color=color),
    )
    return VisualizationMarkersCfg(markers={"arrow": arrow})


def _ball(radius: float, color: tuple[float, float, float]) -> SphereCfg:
    return SphereCfg(radius=radius, visual_material=PreviewSurfaceCfg(diffuse_color=color))


CONTACT_SENSOR_MARKER_CFG = VisualizationMarkersCfg(
    markers={
        "contact": _ball(0.02, (1.0, 0.0, 0.0)),
        "no_contact": _ball(0.02, (0.0, 1.0, 0.0)),
    }
)
"""A body that touches something, or nothing."""
DEFORMABLE_TARGET_MARKER_CFG = VisualizationMarkersCfg(
    markers={"target": _ball(0.02, (1.0, 0.75, 0.8))}
)
"""Target of a held vertex."""
VISUO_TACTILE_SENSOR_MARKER_CFG = VisualizationMarkersCfg(
    markers={"tacsl_pts": _ball(0.0002, (0.0, 0.0, 1.0))}
)
"""Points of a tactile sensor."""
RED_ARROW_X_MARKER_CFG = _arrow((1.0, 0.0, 0.0))
"""A red arrow along x."""
BLUE_ARROW_X_MARKER_CFG = _arrow((0.0, 0.0, 1.0))
"""A blue one."""
GREEN_ARROW_X_MARKER_CFG = _arrow((0.0, 1.0, 0.0))
"""A green one."""
POSITION_GOAL_MARKER_CFG = VisualizationMarkersCfg(
    markers={
        "target_far": _ball(0.01, (1.0, 0.0, 0.0)),
        "target_near": _ball(0.01, (0.0, 1.0, 0.0)),
        "target_invisible": _ball(0.01, (0.0, 0.0, 1.0)),
    }
)
"""A goal that is far, near, or not there."""
