"""Terrain configurations: pieces, and how they are put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING
from typing import Any, Literal

from usdsim.core.arguments import choice, number, whole
from usdsim.core.declared import DeclaredConfiguration
from usdsim.core.errors import InvalidValueError

from .surfaces import MeshLike

__all__ = ["FlatPatchSamplingCfg", "SubTerrainBaseCfg", "TerrainFunction", "TerrainGeneratorCfg"]

TerrainFunction = Callable[[float, Any], tuple[Sequence[MeshLike], Any]]
"""Function of a difficulty and the configuration of a piece to its meshes and its origin."""


class FlatPatchSamplingCfg(DeclaredConfiguration):
    """Level places of a piece, looked for at random."""

    num_patches: int = MISSING  # type: ignore[assignment]
    """Number of patches to be found."""
    patch_radius: float | Sequence[float] = MISSING  # type: ignore[assignment]
    """Radius of a place, or of several circles in it [m]."""
    x_range: tuple[float, float] = (-1e6, 1e6)
    """Range to search, relative to the piece's origin, within the piece [m]."""
    y_range: tuple[float, float] = (-1e6, 1e6)
    """See `x_range`."""
    z_range: tuple[float, float] = (-1e6, 1e6)
    """Heights that are allowed, relative to the piece's origin [m]."""
    max_height_diff: float = MISSING  # type: ignore[assignment]
    """Largest difference of heights in a place [m]."""


class SubTerrainBaseCfg(DeclaredConfiguration):
    """A piece of terrain over the rectangle from (0, 0) to `size`."""

    function: TerrainFunction = MISSING  # type: ignore[assignment]
    """Makes the piece: from a difficulty between 0 and 1 and this configuration to meshes and the
    origin, where robots start [m], shape (3,)."""
    proportion: float = 1.0
    """Part of the pieces that are of this kind, relative to other kinds."""
    size: tuple[float, float] = (10.0, 10.0)
    """Lengths along x and y [m]; the generator sets its own."""
    flat_patch_sampling: dict[str, FlatPatchSamplingCfg] | None = None
    """Level places to look for, by name; None: none."""
    seed: int = 0
    """Seed of what is random; the generator gives every piece another one."""

    def at(self, span: Sequence[float], difficulty: float) -> float:
        """The value between the two of a span at a difficulty."""
        return float(span[0]) + difficulty * (float(span[1]) - float(span[0]))

    @property
    def center(self) -> tuple[float, float]:
        """Middle of the piece [m], shape (2,)."""
        return 0.5 * self.size[0], 0.5 * self.size[1]


class TerrainGeneratorCfg(DeclaredConfiguration):
    """Pieces of terrain in rows, along x, and columns, along y."""

    class_type: Any = None
    """Class that puts them together; None: `TerrainGenerator`."""
    seed: int | None = None
    """Seed of kinds, difficulties and pieces; None: 0."""
    curriculum: bool = False
    """Whether pieces of a column are of one kind and get harder from row to row; otherwise kinds
    and difficulties are random."""
    size: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Lengths of a piece along x and y [m]."""
    border_width: float = 0.0
    """Width of the level border around all pieces [m]."""
    border_height: float = 1.0
    """Depth of the border [m]; negative: up."""
    num_rows: int = 1
    """Number of rows."""
    num_cols: int = 1
    """Number of columns."""
    color_scheme: Literal["height", "random", "none"] = "none"
    """Colours of vertices: by height, at random, or none."""
    horizontal_scale: float = 0.1
    """Distance of the points of height fields [m]."""
    vertical_scale: float = 0.005
    """Steps of the heights of height fields [m]."""
    slope_threshold: float | None = 0.75
    """Has no effect: height fields collide as such, and a step of theirs is as steep as one cell
    allows. Steps of the ``Mesh`` kinds are vertical."""
    convert_to_heightfield: bool = False
    """Whether every piece collides as a height field with points `horizontal_scale` apart. Steps
    are then as steep as one cell allows, and what is below something else is lost; the cost of
    contacts does not depend on the number of boxes any more."""
    sub_terrains: dict[str, SubTerrainBaseCfg] = MISSING  # type: ignore[assignment]
    """Kinds of pieces by name."""
    difficulty_range: tuple[float, float] = (0.0, 1.0)
    """Least and greatest difficulty."""
    use_cache: bool = False
    """Has no effect: a piece takes milliseconds."""
    cache_dir: str = ""
    """Has no effect; see `use_cache`."""

    def validate(self) -> None:
        """Check the values.

        Raises:
            InvalidValueError: one is missing, or outside what is allowed.
        """
        super().validate()
        for name in ("num_rows", "num_cols"):
            whole(f"TerrainGeneratorCfg.{name}", getattr(self, name), 1)
        for name in ("horizontal_scale", "vertical_scale"):
            number(f"TerrainGeneratorCfg.{name}", getattr(self, name), unit="m")
        for length in self.size:
            number("TerrainGeneratorCfg.size", length, unit="m")
        if not self.sub_terrains:
            raise InvalidValueError(
                "TerrainGeneratorCfg.sub_terrains", self.sub_terrains, "at least one kind of piece"
            )
        schemes = ("height", "random", "none")
        choice("TerrainGeneratorCfg.color_scheme", self.color_scheme, schemes)
        for name, piece in self.sub_terrains.items():
            number(f"proportion of piece {name!r}", piece.proportion, above=False)
        if not sum(piece.proportion for piece in self.sub_terrains.values()) > 0.0:
            raise InvalidValueError("proportions of all pieces", 0.0, "one above 0")
