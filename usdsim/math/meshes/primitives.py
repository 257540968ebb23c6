"""Primitive shapes as triangles, anticlockwise seen from outside."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BOX_CORNERS",
    "BOX_FACES",
    "TURNS",
    "capsule",
    "cone",
    "cuboid",
    "cylinder",
    "sphere",
    "square",
]

Array = NDArray[np.float64]
Faces = NDArray[np.int32]

TURNS = {"X": [2, 0, 1], "Y": [1, 2, 0], "Z": [0, 1, 2]}
"""Coordinates of a shape along z that are x, y and z of one along an axis."""
BOX_CORNERS: Array = np.array(
    [[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
)
"""Corners of a box of half extents 1, shape (8, 3)."""
BOX_FACES: Faces = np.array(
    [
        *((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)),
        *((2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)),
    ],
    np.int32,
)
"""Triangles of a box by its corners, shape (12, 3)."""
_SEGMENTS = 32
_RINGS = 16


def _revolve(radii: Array, heights: Array, segments: int = _SEGMENTS) -> tuple[Array, Faces]:
    """A closed surface from a profile: poles at both ends, rings between them."""
    angles = np.linspace(0.0, 2.0 * np.pi, segments, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    inner = [
        np.column_stack([ring * r, np.full(segments, z)])
        for r, z in zip(radii[1:-1], heights[1:-1], strict=True)
    ]
    points = np.concatenate([[[0.0, 0.0, heights[0]]], *inner, [[0.0, 0.0, heights[-1]]]])
    i = np.arange(segments)
    j = (i + 1) % segments
    last = len(points) - 1
    faces = [np.stack([np.zeros_like(i), 1 + j, 1 + i], axis=-1)]
    for k in range(len(inner) - 1):
        a, b = 1 + k * segments, 1 + (k + 1) * segments
        faces.append(np.stack([a + i, a + j, b + j], axis=-1))
        faces.append(np.stack([a + i, b + j, b + i], axis=-1))
    top = 1 + (len(inner) - 1) * segments
    faces.append(np.stack([top + i, top + j, np.full_like(i, last)], axis=-1))
    return points, np.concatenate(faces).astype(np.int32)


def sphere(radius: float, rings: int = _RINGS) -> tuple[Array, Faces]:
    """A sphere about the origin, of twice as many segments as rings."""
    latitude = np.linspace(-0.5 * np.pi, 0.5 * np.pi, rings + 1)
    return _revolve(radius * np.cos(latitude), radius * np.sin(latitude), 2 * rings)


def capsule(radius: float, height: float) -> tuple[Array, Faces]:
    """A capsule along z; `height` is without the caps."""
    latitude = np.linspace(0.0, 0.5 * np.pi, _RINGS // 2 + 1)
    radii, rise = radius * np.cos(latitude), 0.5 * height + radius * np.sin(latitude)
    return _revolve(np.concatenate([radii[::-1], radii]), np.concatenate([-rise[::-1], rise]))


def cylinder(radius: float, height: float) -> tuple[Array, Faces]:
    """A cylinder along z."""
    radii = np.array([0.0, radius, radius, 0.0])
    return _revolve(radii, 0.5 * height * np.array([-1.0, -1.0, 1.0, 1.0]))


def cone(radius: float, height: float) -> tuple[Array, Faces]:
    """A cone along z with its apex up."""
    return _revolve(np.array([0.0, radius, 0.0]), 0.5 * height * np.array([-1.0, -1.0, 1.0]))


def cuboid(size: Array) -> tuple[Array, Faces]:
    """A box about the origin."""
    return 0.5 * BOX_CORNERS * size, BOX_FACES.copy()


def square(size: Array, resolution: tuple[int, int]) -> tuple[Array, Faces]:
    """A flat grid in the x-y plane that faces up."""
    nx, ny = resolution
    x = np.linspace(-0.5, 0.5, nx + 1) * size[0]
    y = np.linspace(-0.5, 0.5, ny + 1) * size[1]
    grid = np.stack(np.meshgrid(x, y, [0.0], indexing="ij"), axis=-1).reshape(-1, 3)
    i, j = (v.ravel() for v in np.meshgrid(np.arange(nx), np.arange(ny), indexing="ij"))
    a, b = i * (ny + 1) + j, (i + 1) * (ny + 1) + j
    # Diagonals alternate: cloth whose diagonals are parallel is stiffer across them than along.
    quads = np.stack([a, b, b + 1, a + 1], axis=-1)
    odd = (i + j) % 2 == 1
    quads[odd] = np.roll(quads[odd], 1, axis=1)
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return grid, faces.astype(np.int32)
