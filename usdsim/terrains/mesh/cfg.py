"""Configurations of terrains of boxes and other solids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any

from usdsim.core.declared import DeclaredConfiguration
from usdsim.terrains.cfg import SubTerrainBaseCfg, TerrainFunction
from usdsim.terrains.surfaces import MeshLike

from . import objects, terrains

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


class MeshPlaneTerrainCfg(SubTerrainBaseCfg):
    """Level ground."""

    function: TerrainFunction = terrains.flat_terrain


class _Platform(SubTerrainBaseCfg):
    platform_width: float = 1.0
    """Width of the square platform in the middle [m]."""


class MeshPyramidStairsTerrainCfg(_Platform):
    """Stairs up to a platform."""

    function: TerrainFunction = terrains.pyramid_stairs_terrain
    border_width: float = 0.0
    """Width of the level border [m]."""
    step_height_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Height of a step at difficulty 0 and 1 [m]."""
    step_width: float = MISSING  # type: ignore[assignment]
    """Width of a step [m]."""
    holes: bool = False
    """Whether stairs are as wide as the platform, with nothing beside them, and no border."""


class MeshInvertedPyramidStairsTerrainCfg(MeshPyramidStairsTerrainCfg):
    """Stairs down to a platform."""

    function: TerrainFunction = terrains.inverted_pyramid_stairs_terrain


class MeshRandomGridTerrainCfg(_Platform):
    """Square columns of random heights."""

    function: TerrainFunction = terrains.random_grid_terrain
    grid_width: float = MISSING  # type: ignore[assignment]
    """Width of a column [m]."""
    grid_height_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Heights of columns above or below 0, at difficulty 0 and 1 [m]."""
    holes: bool = False
    """Whether there are columns only in line with the platform."""


class MeshRailsTerrainCfg(_Platform):
    """Two square rails about the platform."""

    function: TerrainFunction = terrains.rails_terrain
    rail_thickness_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Thickness of the inner and the outer rail [m]."""
    rail_height_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Height at difficulty 0 and 1 [m]."""


class MeshPitTerrainCfg(_Platform):
    """A pit with the platform at its bottom."""

    function: TerrainFunction = terrains.pit_terrain
    pit_depth_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Depth at difficulty 0 and 1 [m]."""
    double_pit: bool = False
    """Whether there is a step half way, and as much depth below it."""


class MeshBoxTerrainCfg(_Platform):
    """A box with the platform on top."""

    function: TerrainFunction = terrains.box_terrain
    box_height_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Height at difficulty 0 and 1 [m]."""
    double_box: bool = False
    """Whether there is a step half way, and as much height above it."""


class MeshGapTerrainCfg(_Platform):
    """A platform with a gap all around."""

    function: TerrainFunction = terrains.gap_terrain
    gap_width_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Width at difficulty 0 and 1 [m]."""


class MeshFloatingRingTerrainCfg(_Platform):
    """A square ring above level ground."""

    function: TerrainFunction = terrains.floating_ring_terrain
    ring_width_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Width at difficulty 0 and 1 [m]."""
    ring_height_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Height of its lower side at difficulty 1 and 0 [m]."""
    ring_thickness: float = MISSING  # type: ignore[assignment]
    """Height of the ring itself [m]."""


class MeshStarTerrainCfg(_Platform):
    """Bars across a lower ground, and a round platform."""

    function: TerrainFunction = terrains.star_terrain
    num_bars: int = MISSING  # type: ignore[assignment]
    """Number of bars, 2 or more."""
    bar_width_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Width at difficulty 1 and 0 [m]."""
    bar_height_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Height above the ground at difficulty 0 and 1 [m]."""


class MeshFileTerrainCfg(SubTerrainBaseCfg):
    """A mesh from a file."""

    function: TerrainFunction = objects.mesh_file_terrain
    mesh_path: str = MISSING  # type: ignore[assignment]
    """The file, with z up and in metres."""


class MeshRepeatedObjectsTerrainCfg(_Platform):
    """Objects of one kind at random places."""

    class ObjectCfg(DeclaredConfiguration):
        """Number and size of the objects."""

        num_objects: int = MISSING  # type: ignore[assignment]
        """Number of objects."""
        height: float = MISSING  # type: ignore[assignment]
        """Height [m]."""

    function: TerrainFunction = objects.repeated_objects_terrain
    object_type: str | Callable[..., MeshLike] = MISSING  # type: ignore[assignment]
    """``box``, ``cylinder`` or ``cone``, or a function that takes ``center``, ``height`` and the
    attributes of `object_params_start` that are radius, size (as length and width) and angle."""
    object_params_start: Any = MISSING
    """The objects at difficulty 0."""
    object_params_end: Any = MISSING
    """The objects at difficulty 1."""
    max_height_noise: float | None = None
    """Short for `abs_height_noise` of as much down and up [m]; None: that counts."""
    abs_height_noise: tuple[float, float] = (0.0, 0.0)
    """Least and greatest height that is added at random [m]."""
    rel_height_noise: tuple[float, float] = (1.0, 1.0)
    """Least and greatest factor of heights, at random."""
    platform_height: float = -1.0
    """Twice the height of the platform [m]; negative: it is half as high as the objects."""

    def __post_init__(self) -> None:
        """Resolve the short form of noise."""
        if self.max_height_noise is not None:
            self.abs_height_noise = (-self.max_height_noise, self.max_height_noise)


class _Tilted(MeshRepeatedObjectsTerrainCfg.ObjectCfg):
    max_yx_angle: float = 0.0
    """Greatest tilt about x and y."""
    degrees: bool = True
    """Whether that is in degrees, or in radians."""


class _RoundCfg(_Tilted):
    radius: float = MISSING  # type: ignore[assignment]
    """Radius [m]."""


class MeshRepeatedPyramidsTerrainCfg(MeshRepeatedObjectsTerrainCfg):
    """Pyramids at random places."""

    class ObjectCfg(_RoundCfg):
        """Number and size of the pyramids."""

    object_type: str | Callable[..., MeshLike] = "cone"


class MeshRepeatedBoxesTerrainCfg(MeshRepeatedObjectsTerrainCfg):
    """Boxes at random places."""

    class ObjectCfg(_Tilted):
        """Number and size of the boxes."""

        size: tuple[float, float] = MISSING  # type: ignore[assignment]
        """Lengths along their x and y axes [m]."""

    object_type: str | Callable[..., MeshLike] = "box"


class MeshRepeatedCylindersTerrainCfg(MeshRepeatedObjectsTerrainCfg):
    """Prisms of four or five sides at random places."""

    class ObjectCfg(_RoundCfg):
        """Number and size of the prisms."""

    object_type: str | Callable[..., MeshLike] = "cylinder"
