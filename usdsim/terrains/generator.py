"""Terrain generator: pieces of many kinds, in rows and columns, with a border."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.errors import ShapeError
from usdsim.views.usable import UsableArray, usable

from .cfg import SubTerrainBaseCfg, TerrainGeneratorCfg
from .height_field.cfg import HfTerrainBaseCfg
from .height_field.conversion import convert_height_field_to_mesh, grid_nodes
from .patches import find_flat_patches
from .surfaces import TerrainMesh, as_terrain_mesh, border, heights_at, joined

__all__ = ["TerrainGenerator"]

Array = NDArray[np.float64]


class TerrainGenerator:
    """Pieces of terrain, centred on z = 0: rows along x, columns along y.

    With a curriculum, row r of n has difficulty (r + u) / n, u random in [0, 1), within the range
    of difficulties, and every kind gets as many columns as its proportion says. Otherwise kind and
    difficulty of every piece are random. Everything random follows from the seed.

    Args:
        cfg: the configuration; it stays as it is.
        device: where level places are; other arrays are NumPy's.

    Attributes:
        cfg: the configuration.
        terrain_meshes: a mesh of each piece, row by row, and of the border, if there is one.
        terrain_origins: where robots start on each piece [m], shape (num_rows, num_cols, 3).
        terrain_kinds: names of the pieces' kinds, shape (num_rows, num_cols).
        difficulties: of the pieces, shape (num_rows, num_cols).

    Raises:
        InvalidValueError: a value is missing, or outside what is allowed.
        ShapeError: what the function of a piece returned is no mesh.
        StageError: level places were not found.
    """

    def __init__(self, cfg: TerrainGeneratorCfg, device: str = "cpu"):
        cfg.validate()
        self.cfg = cfg
        shape = (cfg.num_rows, cfg.num_cols)
        self._rng = np.random.default_rng(0 if cfg.seed is None else cfg.seed)
        self.terrain_meshes: list[TerrainMesh] = []
        self.terrain_origins: Array = np.zeros((*shape, 3))
        self._device, self._patches = device, dict[str, Array]()
        self.terrain_kinds, self.difficulties = self._plan(shape)
        corner = -0.5 * np.array([cfg.num_rows * cfg.size[0], cfg.num_cols * cfg.size[1]])
        for row, column in np.ndindex(*shape):
            place = np.array([*(corner + np.array([row, column]) * cfg.size), 0.0])
            self._add(row, column, place)
        if cfg.border_width > 0.0:
            self.terrain_meshes.append(self._border(-2.0 * corner))

    @cached_property
    def flat_patches(self) -> dict[str, UsableArray]:
        """Level places by name [m], float32, each of shape (num_rows, num_cols, n, 3)."""
        return {
            name: usable(wp.array(places, dtype=wp.float32, device=self._device))
            for name, places in self._patches.items()
        }

    @cached_property
    def terrain_mesh(self) -> TerrainMesh:
        """All pieces and the border as one mesh."""
        return joined(self.terrain_meshes)

    def colors(self, mesh: TerrainMesh) -> NDArray[np.float32] | None:
        """Linear RGB of the vertices of a mesh by the scheme, shape (n, 3); None: no colours."""
        if self.cfg.color_scheme == "none":
            return None
        if self.cfg.color_scheme == "random":
            return self._rng.random((len(mesh.vertices), 3), np.float32)
        heights = [part.vertices[:, 2] for part in self.terrain_meshes]
        low, high = (float(f([f(h) for h in heights])) for f in (np.min, np.max))
        share = (mesh.vertices[:, 2] - low) / max(high - low, 1e-9)
        return np.stack([share, 0.6 - np.abs(share - 0.5), 1.0 - share], axis=1).astype(np.float32)

    def _plan(self, shape: tuple[int, int]) -> tuple[NDArray[np.object_], Array]:
        """Kinds and difficulties of all pieces."""
        names = np.array(list(self.cfg.sub_terrains), dtype=object)
        parts = np.array([piece.proportion for piece in self.cfg.sub_terrains.values()])
        parts = parts / parts.sum()
        low, high = self.cfg.difficulty_range
        if not self.cfg.curriculum:
            kinds = self._rng.choice(len(names), size=shape, p=parts)
            return names[kinds], self._rng.uniform(low, high, shape)
        share = (np.arange(shape[1]) + 0.5) / shape[1]
        kinds = np.minimum(np.searchsorted(np.cumsum(parts), share), len(names) - 1)
        level = (np.arange(shape[0])[:, None] + self._rng.random(shape)) / shape[0]
        return np.broadcast_to(names[kinds], shape).copy(), low + (high - low) * level

    def _piece(self, kind: str) -> SubTerrainBaseCfg:
        """The configuration of a new piece of a kind."""
        cfg = self.cfg
        changes: dict[str, Any] = {"size": tuple(cfg.size), "seed": int(self._rng.integers(2**31))}
        if isinstance(cfg.sub_terrains[kind], HfTerrainBaseCfg):
            changes |= {
                "horizontal_scale": cfg.horizontal_scale,
                "vertical_scale": cfg.vertical_scale,
                "slope_threshold": None,  # With walls it would be no height field any more.
            }
        return cfg.sub_terrains[kind].replace(**changes)

    def _add(self, row: int, column: int, place: Array) -> None:
        """Make a piece, look for level places on it, and put it where it belongs."""
        kind = self.terrain_kinds[row, column]
        piece = self._piece(kind)
        parts, start = piece.function(float(self.difficulties[row, column]), piece)
        origin = np.asarray(start, np.float64)
        if origin.shape != (3,):
            raise ShapeError(f"origin of a piece of kind {kind!r}", origin.shape, "(3,)")
        made: Any = [parts] if hasattr(parts, "vertices") else parts
        mesh = joined(as_terrain_mesh(part) for part in made)
        if self.cfg.convert_to_heightfield:
            mesh = self._as_grid(mesh)
        for name, patch in (piece.flat_patch_sampling or {}).items():
            shape = (self.cfg.num_rows, self.cfg.num_cols, patch.num_patches, 3)
            patches = self._patches.setdefault(name, np.zeros(shape))
            rng = np.random.default_rng(piece.seed)
            patches[row, column] = find_flat_patches(mesh, patch, origin, rng) + origin + place
        self.terrain_meshes.append(mesh.moved(place))
        self.terrain_origins[row, column] = origin + place

    def _as_grid(self, mesh: TerrainMesh) -> TerrainMesh:
        """A mesh as heights over a grid; without ground, at its lowest point."""
        cells = [max(1, grid_nodes(n, self.cfg.horizontal_scale)) for n in self.cfg.size]
        # A hair inside, where no ray misses the outermost triangles.
        x, y = (
            np.clip(np.linspace(0.0, n, c + 1), 1e-5, n - 1e-5)
            for n, c in zip(self.cfg.size, cells, strict=True)
        )
        nodes = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
        heights = heights_at(mesh, nodes).astype(np.float64)
        heights = np.where(np.isnan(heights), mesh.vertices[:, 2].min(), heights)
        points, faces = convert_height_field_to_mesh(heights.reshape(len(x), len(y)), 1.0, 1.0)
        points[:, :2] *= np.array(self.cfg.size) / cells
        return TerrainMesh(points, faces)

    def _border(self, inner: Array) -> TerrainMesh:
        outer = inner + 2.0 * self.cfg.border_width
        bottom, top = sorted((-self.cfg.border_height, 0.0))
        return joined(border((0.0, 0.0), tuple(outer), tuple(inner), bottom, top))
