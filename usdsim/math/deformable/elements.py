"""Triangles and tetrahedra that deform: their measure, borders, masses and embedded points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "border_faces",
    "embed_points",
    "embedded_positions",
    "lumped_masses",
    "measures",
    "shared_borders",
]

Array = NDArray[np.float64]
Indices = NDArray[np.int32]

_FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])
"""Faces of a tetrahedron of positive volume, seen counter-clockwise from outside."""
_CHUNK = 500_000
"""Pairs of point and element looked at together; bounds the memory of a search."""


def measures(points: Array, elements: Indices) -> Array:
    """Signed volumes of tetrahedra, areas of triangles, or lengths of segments.

    Args:
        points: [m], shape (n, 3).
        elements: corners, shape (m, 4), (m, 3) or (m, 2).

    Returns:
        [m^3], [m^2] or [m], shape (m,).
    """
    sides = points[elements[:, 1:]] - points[elements[:, :1]]
    if elements.shape[1] == 2:
        return np.asarray(np.linalg.norm(sides[:, 0], axis=1))
    normal = np.cross(sides[:, 0], sides[:, 1])
    if elements.shape[1] == 3:
        return np.asarray(0.5 * np.linalg.norm(normal, axis=1))
    return np.asarray(np.einsum("mi,mi->m", normal, sides[:, 2]) / 6.0)


def lumped_masses(elements: Indices, sizes: Array, count: int, mass: float) -> Array:
    """Masses of vertices when every element gives each of its corners an equal part.

    Args:
        elements: corners, shape (m, 4) or (m, 3).
        sizes: volume or area of each element, shape (m,).
        count: number of vertices.
        mass: of all together [kg].

    Returns:
        [kg], shape (count,).
    """
    corners = elements.shape[1]
    total = np.zeros(count)
    np.add.at(total, elements.ravel(), np.repeat(np.abs(sizes), corners) / corners)
    return total * (mass / total.sum())


def shared_borders(elements: Indices) -> NDArray[np.int64]:
    """Count the elements that share each border: a face of tetrahedra, an edge of triangles.

    Args:
        elements: corners, shape (m, 4) or (m, 3).

    Returns:
        One number per border of each element, shape (m, corners); border i lies opposite corner i.
    """
    corners = elements.shape[1]
    others = np.array([[j for j in range(corners) if j != i] for i in range(corners)])
    borders = np.sort(elements[:, others], axis=2).reshape(-1, corners - 1)
    _, index, counts = np.unique(borders, axis=0, return_inverse=True, return_counts=True)
    return np.asarray(counts[index.ravel()].reshape(-1, corners))


def border_faces(tetrahedra: Indices) -> Indices:
    """Outer triangles of tetrahedra of positive volume, counter-clockwise seen from outside.

    Args:
        tetrahedra: corners, shape (m, 4).

    Returns:
        Corners, shape (f, 3).
    """
    faces = tetrahedra[:, _FACES]
    return np.ascontiguousarray(faces[shared_borders(tetrahedra) == 1], dtype=np.int32)


def embed_points(
    points: Array, elements: Indices, queries: Array
) -> tuple[NDArray[np.int32], Array, Array]:
    """Embed points in a deformable mesh, so that they can follow it.

    A point belongs to the element it is in, or else to the one it is closest to, and is then
    extrapolated. Beside surfaces it keeps its distance along the element's normal.

    Args:
        points: vertices of the mesh [m], shape (n, 3).
        elements: corners, shape (m, 4) or (m, 3).
        queries: points to embed [m], shape (k, 3).

    Returns:
        Vertices, shape (k, corners); their weights, same shape; heights [m], shape (k,).
    """
    corners = elements.shape[1]
    inverse = _inverse_sides(points, elements)
    first = _nearest_centres(points, elements, queries)
    centres, which = np.unique(first, return_inverse=True)
    near = _around(elements, len(points), centres)
    best = np.zeros(len(queries), np.int64)
    step = max(1, _CHUNK // near.shape[1])
    for start in range(0, len(queries), step):
        part = slice(start, start + step)
        around = near[which.ravel()[part]]
        best[part] = _closest(points, elements, inverse, queries[part], around)
    chosen = elements[best]
    offset = queries - points[chosen[:, 0]]
    local = np.einsum("kij,kj->ki", inverse[best], offset)
    weights = np.concatenate([1.0 - local.sum(1, keepdims=True), local], axis=1)
    heights = np.zeros(len(queries))
    if corners == 3:
        heights = np.einsum("ki,ki->k", offset, _normals(points, chosen))
    return np.ascontiguousarray(chosen, dtype=np.int32), weights, heights


def embedded_positions(
    points: Array, vertices: NDArray[np.int32], weights: Array, heights: Array
) -> Array:
    """Positions of embedded points after the mesh deformed.

    Args:
        points: vertices of the mesh now [m], shape (n, 3).
        vertices: as `embed_points` returns them, shape (k, corners).
        weights: likewise.
        heights: likewise [m], shape (k,).

    Returns:
        [m], shape (k, 3).
    """
    positions = np.einsum("kc,kci->ki", weights, points[vertices])
    if heights.any():
        positions += heights[:, None] * _normals(points, vertices)
    return np.asarray(positions)


def _nearest_centres(points: Array, elements: Indices, queries: Array) -> NDArray[np.int64]:
    """Element whose centre is closest to each query, shape (k,)."""
    centres = points[elements].mean(axis=1)
    middle = centres.mean(axis=0)
    shifted = centres - middle
    squares = (shifted**2).sum(axis=1)
    found = np.zeros(len(queries), np.int64)
    step = max(1, 10 * _CHUNK // len(elements))
    for start in range(0, len(queries), step):
        part = queries[start : start + step] - middle
        found[start : start + step] = (squares - 2.0 * part @ shifted.T).argmin(axis=1)
    return found


def _around(elements: Indices, count: int, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Elements that share a vertex with each chosen one, itself repeated to fill the rows."""
    order = np.argsort(elements.ravel(), kind="stable")
    owners = order // elements.shape[1]
    starts = np.searchsorted(elements.ravel()[order], np.arange(count + 1))
    found = [
        np.unique(np.concatenate([owners[starts[v] : starts[v + 1]] for v in elements[e]]))
        for e in chosen.tolist()
    ]
    rows = np.repeat(chosen[:, None], max(map(len, found), default=1), axis=1)
    for row, ids in zip(rows, found, strict=True):
        row[: len(ids)] = ids
    return rows


def _closest(
    points: Array, elements: Indices, inverse: Array, queries: Array, near: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Element that each query is in or closest to, of those near it, shape (k,)."""
    offset = queries[:, None] - points[elements[near, 0]]
    local = np.einsum("knij,knj->kni", inverse[near], offset)
    weights = np.concatenate([1.0 - local.sum(-1, keepdims=True), local], axis=-1)
    inside = np.clip(weights, 0.0, None)
    inside /= inside.sum(-1, keepdims=True)
    nearest = np.einsum("knc,knci->kni", inside, points[elements[near]])
    best = np.linalg.norm(nearest - queries[:, None], axis=-1).argmin(axis=1)
    return np.asarray(near[np.arange(len(queries)), best])


def _inverse_sides(points: Array, elements: Indices) -> Array:
    """Maps an offset from an element's first corner to the weights of the others."""
    sides = points[elements[:, 1:]] - points[elements[:, :1]]
    return np.asarray(np.linalg.pinv(np.swapaxes(sides, 1, 2)))


def _normals(points: Array, triangles: NDArray[np.int32]) -> Array:
    sides = points[triangles[:, 1:]] - points[triangles[:, :1]]
    normal = np.cross(sides[:, 0], sides[:, 1])
    return np.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))
