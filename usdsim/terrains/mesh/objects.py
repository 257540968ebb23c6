"""Terrains of repeated objects: boxes, cylinders, pyramids, and meshes from files."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.math.mesh_files.reading import load_mesh
from usdsim.math.rotations import quat_from_euler
from usdsim.terrains.surfaces import (
    TerrainMesh,
    box,
    box_about,
    heights_at,
    joined,
    plane,
    prism,
)

if TYPE_CHECKING:
    from .cfg import MeshFileTerrainCfg, MeshRepeatedObjectsTerrainCfg

__all__ = [
    "make_box",
    "make_cone",
    "make_cylinder",
    "mesh_file_terrain",
    "repeated_objects_terrain",
]

Array = NDArray[np.float64]

CLEARANCE = 0.1
"""Width about the platform that stays free of middles of objects, in parts of its width."""
MOST_ROUNDS = 1000


def _turn(rng: np.random.Generator, angle: float, degrees: bool) -> Array:
    """Any heading, and a tilt about x and y of at most an angle; xyzw."""
    most = math.radians(angle) if degrees else angle
    tilt = rng.uniform(-most, most, 2)
    return quat_from_euler([*tilt, rng.uniform(-math.pi, math.pi)])


def make_box(
    length: float,
    width: float,
    height: float,
    center: Array,
    max_yx_angle: float = 0.0,
    degrees: bool = True,
    *,
    rng: np.random.Generator,
) -> TerrainMesh:
    """A box of any heading.

    Args:
        length: along its x axis [m].
        width: along its y axis [m].
        height: along its z axis [m].
        center: its middle [m], shape (3,).
        max_yx_angle: greatest tilt.
        degrees: whether that is in degrees, or in radians.
        rng: draws heading and tilt.
    """
    return box((length, width, height), center, _turn(rng, max_yx_angle, degrees))


def make_cylinder(
    radius: float,
    height: float,
    center: Array,
    max_yx_angle: float = 0.0,
    degrees: bool = True,
    *,
    rng: np.random.Generator,
) -> TerrainMesh:
    """A prism with four or five sides; see `make_box`."""
    turn = _turn(rng, max_yx_angle, degrees)
    return prism(radius, height, int(rng.integers(4, 6)), center, turn)


def make_cone(
    radius: float,
    height: float,
    center: Array,
    max_yx_angle: float = 0.0,
    degrees: bool = True,
    *,
    rng: np.random.Generator,
) -> TerrainMesh:
    """A pyramid with four or five sides, whose base is at `center`; see `make_box`."""
    turn = _turn(rng, max_yx_angle, degrees)
    return prism(radius, height, int(rng.integers(4, 6)), center, turn, tip=True)


_OBJECTS: dict[str, Callable[..., TerrainMesh]] = {
    "box": make_box,
    "cylinder": make_cylinder,
    "cone": make_cone,
}


def _sizes(cfg: MeshRepeatedObjectsTerrainCfg, difficulty: float) -> dict[str, Any]:
    """Arguments of the function of an object, besides its height and place."""
    start, end = cfg.object_params_start, cfg.object_params_end
    known: dict[str, Any] = {}
    for name in ("radius", "max_yx_angle"):
        if hasattr(start, name):
            known[name] = cfg.at((getattr(start, name), getattr(end, name)), difficulty)
    if hasattr(start, "size"):
        known["length"], known["width"] = (
            cfg.at(pair, difficulty) for pair in zip(start.size, end.size, strict=True)
        )
    if hasattr(start, "degrees"):
        known["degrees"] = start.degrees
    return known


def repeated_objects_terrain(
    difficulty: float, cfg: MeshRepeatedObjectsTerrainCfg
) -> tuple[list[TerrainMesh], Array]:
    """Objects of one kind at random places on level ground, with a free platform in the middle.

    Raises:
        InvalidValueError: the kind is not known, or the platform leaves no room.
    """
    kind: Any = cfg.object_type
    make = _OBJECTS.get(kind) if isinstance(kind, str) else kind
    if not callable(make):
        raise InvalidValueError("object_type", kind, f"{', '.join(_OBJECTS)} or a function")
    rng = np.random.default_rng(cfg.seed)
    start, end = cfg.object_params_start, cfg.object_params_end
    count = int(cfg.at((start.num_objects, end.num_objects), difficulty))
    height = cfg.at((start.height, end.height), difficulty)
    known = _sizes(cfg, difficulty)
    if make in _OBJECTS.values():
        known["rng"] = rng
    parts: list[Any] = [plane(cfg.size)]
    for place in _places(cfg, count, rng):
        tall = height * rng.uniform(*cfg.rel_height_noise) + rng.uniform(*cfg.abs_height_noise)
        if tall > 0.0:
            parts.append(make(center=np.array([*place, 0.0]), height=tall, **known))
    level = 0.5 * (cfg.platform_height if cfg.platform_height >= 0.0 else height)
    parts += box_about(cfg.center, [cfg.platform_width] * 2, 0.0, level)
    return parts, np.array([*cfg.center, level])


def _places(cfg: Any, count: int, rng: np.random.Generator) -> Array:
    """Places off the platform [m], shape (count, 2)."""
    reach = (0.5 + CLEARANCE) * cfg.platform_width
    found = np.zeros((0, 2))
    for _ in range(MOST_ROUNDS):
        drawn = rng.uniform((0.0, 0.0), cfg.size, (count, 2))
        free = (np.abs(drawn - cfg.center) > reach).any(axis=1)
        found = np.vstack([found, drawn[free]])
        if len(found) >= count:
            return found[:count]
    raise InvalidValueError(
        "platform_width", cfg.platform_width, f"a width that leaves room on {cfg.size}"
    )


def mesh_file_terrain(
    difficulty: float, cfg: MeshFileTerrainCfg
) -> tuple[list[TerrainMesh], Array]:
    """A mesh from a file, z up and in metres, put in the middle; the difficulty has no effect."""
    parts = load_mesh(cfg.mesh_path, z_up=True)
    mesh = joined(TerrainMesh(part.points, part.faces.astype(np.int64)) for part in parts)
    middle = 0.5 * mesh.bounds.sum(axis=0)
    mesh = mesh.moved([*(np.array(cfg.center) - middle[:2]), 0.0])
    height = float(heights_at(mesh, [cfg.center])[0])
    return [mesh], np.array([*cfg.center, 0.0 if math.isnan(height) else height])
