"""Triangle meshes of terrain: boxes, planes, prisms, and the height of a surface at points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import ShapeError
from usdsim.engine.device import init
from usdsim.math.meshes.bounds import bounds
from usdsim.math.meshes.primitives import BOX_CORNERS, BOX_FACES
from usdsim.math.rotations import quat_apply

from .kernels import fall

__all__ = [
    "MeshLike",
    "TerrainMesh",
    "as_terrain_mesh",
    "border",
    "box",
    "box_about",
    "box_between",
    "heights_at",
    "joined",
    "plane",
    "prism",
]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_HALF_CORNERS = 0.5 * BOX_CORNERS
_FACES = BOX_FACES.astype(np.int64)


class MeshLike(Protocol):
    """Anything with vertices and triangles, such as a ``trimesh.Trimesh``."""

    @property
    def vertices(self) -> Any:
        """Points [m], shape (n, 3)."""

    @property
    def faces(self) -> Any:
        """Corners of triangles, anticlockwise seen from outside, shape (m, 3)."""


@dataclass(frozen=True, eq=False)
class TerrainMesh:
    """A triangle mesh."""

    vertices: Array
    """Points [m], shape (n, 3)."""
    faces: Ints
    """Corners of triangles, anticlockwise seen from outside, shape (m, 3)."""

    @property
    def bounds(self) -> Array:
        """Smallest and largest coordinates [m], shape (2, 3)."""
        return bounds(self.vertices)

    def copy(self) -> TerrainMesh:
        """The same mesh with arrays of its own."""
        return TerrainMesh(self.vertices.copy(), self.faces.copy())

    def moved(self, offset: ArrayLike) -> TerrainMesh:
        """The mesh at another place; `offset` [m], shape (3,)."""
        return TerrainMesh(self.vertices + np.asarray(offset, np.float64), self.faces)


def as_terrain_mesh(mesh: MeshLike) -> TerrainMesh:
    """A mesh of any library.

    Raises:
        ShapeError: vertices are not (n, 3), or faces not (m, 3).
    """
    vertices = np.asarray(mesh.vertices, np.float64)
    faces = np.asarray(mesh.faces, np.int64)
    for name, values in (("vertices", vertices), ("faces", faces)):
        if values.ndim != 2 or values.shape[1] != 3:
            raise ShapeError(f"{name} of a terrain mesh", values.shape, "(n, 3)")
    return TerrainMesh(vertices, faces)


def joined(meshes: Iterable[MeshLike]) -> TerrainMesh:
    """All meshes as one; parts keep points of their own."""
    parts = [as_terrain_mesh(mesh) for mesh in meshes]
    if not parts:
        return TerrainMesh(np.zeros((0, 3)), np.zeros((0, 3), np.int64))
    starts = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
    faces = [part.faces + start for part, start in zip(parts, starts, strict=True)]
    return TerrainMesh(np.vstack([part.vertices for part in parts]), np.vstack(faces))


def box(size: ArrayLike, center: ArrayLike, quat: ArrayLike | None = None) -> TerrainMesh:
    """A box.

    Args:
        size: lengths of its sides [m], shape (3,).
        center: its middle [m], shape (3,).
        quat: its orientation, xyzw; None: along the axes.
    """
    points = _HALF_CORNERS * np.asarray(size, np.float64)
    if quat is not None:
        points = quat_apply(np.asarray(quat, np.float64), points)
    return TerrainMesh(points + np.asarray(center, np.float64), _FACES)


def box_between(
    low: Sequence[float], high: Sequence[float], bottom: float, top: float
) -> list[TerrainMesh]:
    """A box over a rectangle from `low` to `high`, shape (2,) [m]; none if that is empty."""
    size = np.array([high[0] - low[0], high[1] - low[1], top - bottom])
    if (size <= 1e-9).any():
        return []
    return [box(size, 0.5 * np.array([high[0] + low[0], high[1] + low[1], top + bottom]))]


def box_about(
    center: Sequence[float], size: Sequence[float], bottom: float, top: float
) -> list[TerrainMesh]:
    """A box over a rectangle of a size about a point, shape (2,) [m]; none if that is empty."""
    low, high = ([c + s * n for c, n in zip(center, size, strict=True)] for s in (-0.5, 0.5))
    return box_between(low, high, bottom, top)


def border(
    center: Sequence[float],
    outer: Sequence[float],
    inner: Sequence[float],
    bottom: float,
    top: float,
) -> list[TerrainMesh]:
    """Four boxes between two rectangles about a point.

    Args:
        center: the point [m], shape (2,).
        outer: lengths of the large rectangle [m], shape (2,).
        inner: lengths of the small one [m], shape (2,).
        bottom: height of the lower side [m].
        top: height of the upper side [m].
    """
    (x, y), (ox, oy), (ix, iy) = center, (0.5 * n for n in outer), (0.5 * n for n in inner)
    spans = (
        ((x - ox, y + iy), (x + ox, y + oy)),
        ((x - ox, y - oy), (x + ox, y - iy)),
        ((x + ix, y - iy), (x + ox, y + iy)),
        ((x - ox, y - iy), (x - ix, y + iy)),
    )
    return [part for low, high in spans for part in box_between(low, high, bottom, top)]


def plane(size: Sequence[float], height: float = 0.0) -> TerrainMesh:
    """A level rectangle from (0, 0) to `size` [m], at a height [m]."""
    points = np.array(
        [[0, 0, height], [size[0], 0, height], [0, size[1], height], [*size[:2], height]], float
    )
    return TerrainMesh(points, np.array([[0, 1, 2], [1, 3, 2]]))


def prism(
    radius: float,
    height: float,
    sides: int,
    center: ArrayLike,
    quat: ArrayLike | None = None,
    *,
    tip: bool = False,
) -> TerrainMesh:
    """A regular prism along z, or a pyramid.

    Args:
        radius: of the corners of its base [m].
        height: its length [m].
        sides: corners of its base.
        center: middle of its base, for a pyramid, or of its axis [m], shape (3,).
        quat: its orientation, xyzw; None: upright.
        tip: whether it is a pyramid.
    """
    angle = 2.0 * np.pi * np.arange(sides) / sides
    low = 0.0 if tip else -0.5 * height
    ring = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(sides, low)], axis=1)
    top = np.array([[0.0, 0.0, height]]) if tip else ring + np.array([0.0, 0.0, height])
    points = np.vstack([ring, top])
    this, next_ = np.arange(sides), (np.arange(sides) + 1) % sides
    fan = np.arange(1, sides - 1)
    bottom = np.stack([np.zeros_like(fan), fan + 1, fan], axis=1)
    if tip:
        faces = [bottom, np.stack([this, next_, np.full(sides, sides)], axis=1)]
    else:
        faces = [
            bottom,
            np.stack([this, next_, next_ + sides], axis=1),
            np.stack([this, next_ + sides, this + sides], axis=1),
            bottom[:, ::-1] + sides,
        ]
    if quat is not None:
        points = quat_apply(np.asarray(quat, np.float64), points)
    return TerrainMesh(points + np.asarray(center, np.float64), np.vstack(faces))


def heights_at(mesh: MeshLike, points: ArrayLike) -> NDArray[np.float32]:
    """Height of the highest triangle at horizontal places.

    Args:
        mesh: the triangles.
        points: places along x and y [m], shape (n, 2).

    Returns:
        Heights [m], shape (n,); NaN where there is no triangle.
    """
    init()
    solid = as_terrain_mesh(mesh)
    low, high = float(solid.vertices[:, 2].min()) - 1.0, float(solid.vertices[:, 2].max()) + 1.0
    start = np.full((len(np.asarray(points)), 3), high, np.float32)
    start[:, :2] = points
    triangles = wp.Mesh(
        points=wp.array(solid.vertices.astype(np.float32), dtype=wp.vec3f, device="cpu"),
        indices=wp.array(solid.faces.astype(np.int32).ravel(), dtype=wp.int32, device="cpu"),
    )
    found = wp.full(len(start), np.nan, dtype=wp.float32, device="cpu")
    inputs = [triangles.id, wp.array(start, dtype=wp.vec3f, device="cpu"), high - low]
    wp.launch(fall, dim=len(start), inputs=inputs, outputs=[found], device="cpu")
    return np.asarray(found.numpy())
