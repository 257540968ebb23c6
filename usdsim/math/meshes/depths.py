"""Depth of a mesh behind each of its triangles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["depths"]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_CELLS = 40
"""Cells per triangle, on average, above which cells are made larger."""
BLOCK = 200_000
"""Pairs of a ray and a triangle that are looked at together."""


def depths(corners: Array, normals: Array, reach: float) -> Array:
    """Distance from each triangle's centroid, against its normal, to the next triangle.

    Args:
        corners: of the triangles [m], shape (n, 3, 3).
        normals: unit normals, shape (n, 3).
        reach: how far to look [m].

    Returns:
        Distances, at most `reach` [m], shape (n,).
    """
    found = np.full(len(corners), float(reach))
    start = corners.mean(axis=1)
    end = start - reach * normals
    pairs = _candidates(
        np.minimum(start, end), np.maximum(start, end), corners.min(axis=1), corners.max(axis=1)
    )
    for rays, triangles in pairs:
        other = rays != triangles
        rays, triangles = rays[other], triangles[other]
        distance = _distances(start[rays], -normals[rays], corners[triangles])
        np.minimum.at(found, rays, distance)
    return found


def _distances(start: Array, direction: Array, corners: Array) -> Array:
    """Distance of each triangle along a ray; inf where it is missed (Moeller and Trumbore)."""
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    across = np.cross(direction, second)
    volume = np.einsum("ij,ij->i", first, across)
    offset = start - corners[:, 0]
    turned = np.cross(offset, first)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.einsum("ij,ij->i", offset, across) / volume
        v = np.einsum("ij,ij->i", direction, turned) / volume
        distance = np.einsum("ij,ij->i", second, turned) / volume
        hit = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (distance > 0.0)
    return np.where(hit, distance, np.inf)


def _candidates(
    low: Array, high: Array, others_low: Array, others_high: Array
) -> Iterator[tuple[Ints, Ints]]:
    """Pairs of a box and an other box that overlap, by the cells of a grid that they share."""
    size = max(float((high - low).max()), float(np.median((others_high - others_low).max(axis=1))))
    origin = np.minimum(low.min(axis=0), others_low.min(axis=0))
    while True:
        spans = np.floor((others_high - origin) / size) - np.floor((others_low - origin) / size) + 1
        if spans.prod(axis=1).sum() <= MOST_CELLS * len(spans) + 1000:
            break
        size *= 2.0
    shape = np.floor((np.maximum(high.max(0), others_high.max(0)) - origin) / size) + 1
    cells, owner = _cells(others_low - origin, others_high - origin, size, shape)
    order = cells.argsort()
    cells, owner = cells[order], owner[order]
    wanted, rays = _cells(low - origin, high - origin, size, shape)
    first, last = cells.searchsorted(wanted, "left"), cells.searchsorted(wanted, "right")
    counts = last - first
    blocks = np.flatnonzero(np.diff(np.cumsum(counts) // BLOCK)) + 1
    for block in np.split(np.arange(len(counts)), blocks):
        which, place = _expand(counts[block])
        which = block[which]
        one, two = rays[which], owner[first[which] + place]
        apart = (low[one] > others_high[two]) | (high[one] < others_low[two])
        overlap = ~apart.any(axis=1)
        yield one[overlap], two[overlap]


def _cells(low: Array, high: Array, size: float, shape: Array) -> tuple[Ints, Ints]:
    """Numbers of the cells each box touches, and the boxes."""
    start = np.floor(low / size).astype(np.int64)
    span = np.floor(high / size).astype(np.int64) - start + 1
    owner, place = _expand(span.prod(axis=1))
    span = span[owner]
    x, rest = place % span[:, 0], place // span[:, 0]
    cell = start[owner] + np.stack([x, rest % span[:, 1], rest // span[:, 1]], axis=1)
    _, columns, layers = (int(n) for n in shape)
    return (cell[:, 0] * columns + cell[:, 1]) * layers + cell[:, 2], owner


def _expand(counts: Ints) -> tuple[Ints, Ints]:
    """For counts (2, 3): (0, 0, 1, 1, 1) and (0, 1, 0, 1, 2)."""
    owner = np.repeat(np.arange(len(counts)), counts)
    start = np.cumsum(counts) - counts
    return owner, np.arange(len(owner)) - start[owner]
