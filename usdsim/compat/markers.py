"""Visualization markers: accepted, and drawn by nobody, as there is no window to draw in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from usdsim.core.configuration import Configuration
from usdsim.spawners import CuboidCfg, SphereCfg

__all__ = [
    "CUBOID_MARKER_CFG",
    "FRAME_MARKER_CFG",
    "RAY_CASTER_MARKER_CFG",
    "SPHERE_MARKER_CFG",
    "VisualizationMarkers",
    "VisualizationMarkersCfg",
]


@dataclass(kw_only=True)
class VisualizationMarkersCfg(Configuration):
    """Shapes that mark poses."""

    prim_path: str = "/Visuals/markers"
    """Where they would be on the stage."""
    markers: dict[str, Any] = field(default_factory=dict)
    """Spawner configurations of the shapes by name."""


class VisualizationMarkers:
    """Takes poses of markers, and remembers how many there are.

    Args:
        cfg: the shapes.

    Attributes:
        cfg: the shapes.
        count: number of markers of the last `visualize`.
    """

    def __init__(self, cfg: VisualizationMarkersCfg):
        self.cfg = cfg
        self.count = 0
        self._visible = True

    @property
    def num_prototypes(self) -> int:
        """Number of shapes."""
        return len(self.cfg.markers)

    def set_visibility(self, visible: bool) -> None:
        """Choose what `is_visible` says."""
        self._visible = visible

    def is_visible(self) -> bool:
        """What `set_visibility` was told last."""
        return self._visible

    def visualize(
        self,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        marker_indices: Any = None,
    ) -> None:
        """Take poses: positions [m], unit quaternions, factors and indices of the shapes."""
        given = (translations, orientations, scales, marker_indices)
        self.count = next((len(value) for value in given if value is not None), self.count)


_DOT = SphereCfg(radius=0.02)
FRAME_MARKER_CFG = VisualizationMarkersCfg(markers={"frame": CuboidCfg(size=(0.5, 0.5, 0.5))})
"""A frame."""
RAY_CASTER_MARKER_CFG = VisualizationMarkersCfg(markers={"hit": _DOT})
"""Where rays hit."""
SPHERE_MARKER_CFG = VisualizationMarkersCfg(markers={"sphere": _DOT})
"""A sphere."""
CUBOID_MARKER_CFG = VisualizationMarkersCfg(markers={"cuboid": CuboidCfg(size=(0.1, 0.1, 0.1))})
"""A cuboid."""
