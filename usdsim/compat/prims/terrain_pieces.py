"""Pieces of terrain as meshes of ``trimesh``, which programs put together and change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, wraps
from importlib import import_module
from typing import Any

import numpy as np
import trimesh
import warp as wp
from numpy.typing import ArrayLike

from usdsim.terrains import FlatPatchSamplingCfg, TerrainMesh
from usdsim.terrains import find_flat_patches as find_level_places
from usdsim.terrains.mesh import objects, terrains
from usdsim.terrains.surfaces import MeshLike, border, plane

_OBJECTS = ("make_box", "make_cone", "make_cylinder")
_PIECES = ("repeated_objects_terrain", *terrains.__all__)

__all__ = [
    "color_meshes_by_height",
    "find_flat_patches",
    "make_border",
    "make_plane",
    *_OBJECTS,
    *_PIECES,
]


def as_trimesh(made: Any) -> Any:
    """A mesh, or those of a piece and its origin, as meshes of ``trimesh``.

    Args:
        made: what functions of pieces return, or one mesh.
    """
    if isinstance(made, list | tuple):
        return type(made)(as_trimesh(part) for part in made)
    if not isinstance(made, TerrainMesh):
        return made
    return trimesh.Trimesh(made.vertices, made.faces, process=False)


def in_trimesh(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose meshes are those of ``trimesh``; see `as_trimesh`."""

    @wraps(function)
    def make(*args: Any, **kwargs: Any) -> Any:
        return as_trimesh(function(*args, **kwargs))

    return make


@in_trimesh
def make_border(
    size: Sequence[float],
    inner_size: Sequence[float],
    height: float,
    position: Sequence[float],
) -> list[TerrainMesh]:
    """Four boxes around a rectangular hole.

    Args:
        size: lengths of all along x and y [m].
        inner_size: lengths of the hole [m].
        height: of the boxes along z [m].
        position: the middle [m], shape (3,).
    """
    x, y, z = position
    return border((x, y), size, inner_size, z - 0.5 * height, z + 0.5 * height)


@in_trimesh
def make_plane(size: Sequence[float], height: float, center_zero: bool = True) -> TerrainMesh:
    """A horizontal rectangle of two triangles.

    Args:
        size: lengths along x and y [m].
        height: its z [m].
        center_zero: whether its centre rather than its corner is in the origin.
    """
    made = plane(size, height)
    offset = [-0.5 * size[0], -0.5 * size[1], 0.0] if center_zero else [0.0, 0.0, 0.0]
    return made.moved(offset)


def color_meshes_by_height(
    meshes: Sequence[MeshLike], color: Sequence[int] = (172, 216, 230), color_map: str = "viridis"
) -> Any:
    """Join meshes of ``trimesh`` to one whose vertices have colours by their height.

    Args:
        meshes: the meshes.
        color: red, green and blue where all heights are the same, from 0 to 255.
        color_map: colours from the lowest to the highest: ``viridis``, ``magma``, ``inferno`` or
            ``plasma``.
    """
    joined = trimesh.util.concatenate(as_trimesh(list(meshes)))
    heights = joined.vertices[:, 2]
    colors = np.array([*color, 255], np.uint8)
    if np.ptp(heights) > 0.0:
        colors = trimesh.visual.color.interpolate(heights, color_map=color_map)
    joined.visual.vertex_colors = colors
    return joined


def find_flat_patches(
    wp_mesh: wp.Mesh,
    num_patches: int,
    patch_radius: float | Sequence[float],
    origin: ArrayLike,
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    z_range: tuple[float, float],
    max_height_diff: float,
) -> Any:
    """Level places on a mesh; see `usdsim.terrains.find_flat_patches`. NumPy's seed is theirs.

    Args:
        wp_mesh: the surface.
        num_patches: number of places.
        patch_radius: radius of a place, or of several circles in it [m].
        origin: point that ranges and places are relative to [m], shape (3,).
        x_range: range to search [m].
        y_range: see `x_range`.
        z_range: heights that are allowed [m].
        max_height_diff: largest difference of heights in a place [m].

    Returns:
        A torch tensor of places [m], shape (num_patches, 3).

    Raises:
        StageError: there are not as many.
    """
    cfg = FlatPatchSamplingCfg(
        num_patches=num_patches, patch_radius=patch_radius, x_range=x_range, y_range=y_range,
        z_range=z_range, max_height_diff=max_height_diff,
    )  # fmt: skip
    mesh = TerrainMesh(
        wp_mesh.points.numpy().astype(np.float64),
        wp_mesh.indices.numpy().reshape(-1, 3).astype(np.int64),
    )
    places = find_level_places(mesh, cfg, np.asarray(origin, np.float64), _drawn())
    torch = import_module("torch")
    return torch.as_tensor(places, dtype=torch.float32, device=wp.device_to_torch(wp_mesh.device))


def _drawn() -> np.random.Generator:
    """Random numbers that follow from NumPy's global seed."""
    return np.random.default_rng(np.random.randint(2**31))  # noqa: NPY002


@cache
def _object(name: str) -> Callable[..., Any]:
    function = getattr(objects, name)

    @wraps(function)
    def make(*args: Any, **kwargs: Any) -> Any:
        return as_trimesh(function(*args, rng=_drawn(), **kwargs))

    return make


@cache
def _piece(name: str) -> Callable[..., Any]:
    return in_trimesh(getattr(terrains, name, None) or getattr(objects, name))


def __getattr__(name: str) -> Any:
    if name in _OBJECTS:
        return _object(name)
    if name in _PIECES:
        return _piece(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
