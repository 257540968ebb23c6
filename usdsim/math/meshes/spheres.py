"""Sphere filling: spheres inside a closed surface that together take up most of it."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from .bounds import bounds
from .distances import surface_distances

__all__ = ["fill_with_spheres"]

Array = NDArray[np.float64]
Cells = NDArray[np.int64]

SEEDS = 1000
"""Cells that a sphere may be centred in."""
FEWEST_CELLS, MOST_CELLS, MOST_ALONG = 1_000, 200_000, 200
"""Cells of the grid, in all and along a side; more cost memory without better spheres."""


def fill_with_spheres(
    points: Array, faces: NDArray[np.int32], most: int, cells: int
) -> tuple[Array, Array]:
    """Spheres inside a closed surface, each as large as fits where it is.

    The inside is divided into cells. From those that lie deepest in their surroundings the one
    whose sphere covers most cells that no other covers yet is taken, until all are covered. No
    sphere reaches beyond the surface, and large ones touch it to half a cell.

    Args:
        points: corners of the surface [m], shape (n, 3).
        faces: triangles, shape (m, 3).
        most: spheres at most.
        cells: cells of a grid over the surface's bounds.

    Returns:
        Centres [m], shape (k, 3), and radii [m], shape (k,); none where the surface encloses no
        cell.
    """
    low, high = bounds(points)
    counts = _counts(high - low, int(np.clip(cells, FEWEST_CELLS, MOST_CELLS)))
    size = (high - low) / counts
    inside = _inside(points, faces, low, size, counts)
    filled = np.argwhere(inside)
    if not len(filled):
        return np.zeros((0, 3)), np.zeros(0)
    depth = _depths(inside, size)
    seeds = _seeds(filled, depth)
    centres = low + (filled + 0.5) * size
    chosen = _cover(centres, centres[seeds], depth[tuple(filled[seeds].T)], most, size)
    middles = centres[seeds[chosen]]
    return middles, surface_distances(points, faces, middles)


def _counts(sides: Array, cells: int) -> Cells:
    """Cells along each side, about cubes where the sides allow."""
    left = np.full(3, True)
    counts = np.ones(3, np.int64)
    while left.any():
        pitch = float(np.prod(sides[left]) / cells) ** (1.0 / left.sum())
        thin = left & (sides <= pitch)
        if not thin.any():
            counts[left] = np.ceil(np.minimum(sides[left] / pitch, MOST_ALONG))
            break
        left &= ~thin
    return counts


def _inside(
    points: Array, faces: NDArray[np.int32], low: Array, size: Array, counts: Cells
) -> NDArray[np.bool_]:
    """Whether the middle of each cell is enclosed: surfaces above it, by their direction."""
    places = (points - low) / size
    corners = tuple(places[faces[:, k]] for k in range(3))
    flat = [corner[:, :2] for corner in corners]
    # Not quite the middle: a line through an edge would meet two triangles, or none.
    shift = 0.5 + np.array([1.3e-7, 0.7e-7])
    least, most = (functools.reduce(pick, flat) for pick in (np.minimum, np.maximum))
    first = np.clip(np.ceil(least - shift).astype(np.int64), 0, None)
    last = np.floor(most - shift).astype(np.int64)
    spans = np.clip(np.minimum(last, counts[:2] - 1) - first + 1, 0, None)
    number = spans.prod(axis=1)
    owner = np.repeat(np.arange(len(faces)), number)
    place = np.arange(len(owner)) - np.repeat(number.cumsum() - number, number)
    column = first[owner] + np.stack([place % spans[owner, 0], place // spans[owner, 0]], axis=1)
    at = column + shift
    a, b, c = (corner[owner] for corner in corners)
    area = _area(a, b, c)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.stack([_area(b, c, at), _area(c, a, at), _area(a, b, at)], axis=1)
        weights /= area[:, None]
        height = weights[:, 0] * a[:, 2] + weights[:, 1] * b[:, 2] + weights[:, 2] * c[:, 2]
    met = (weights >= 0.0).all(axis=1) & np.isfinite(height)
    below = np.clip(np.ceil(height[met] - 0.5).astype(np.int64), 0, counts[2])
    windings = np.zeros((*counts[:2], counts[2] + 1))
    index = column[met, 0], column[met, 1], below
    np.add.at(windings, index, np.sign(area[met]))
    above = windings[..., ::-1].cumsum(axis=2)[..., ::-1]
    return np.asarray(np.abs(above[..., 1:]) > 0.5)


def _area(a: Array, b: Array, c: Array) -> Array:
    """Twice the signed area of triangles seen from above."""
    u, v = b[..., :2] - a[..., :2], c[..., :2] - a[..., :2]
    return np.asarray(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0])


def _depths(inside: NDArray[np.bool_], size: Array) -> Array:
    """Distance of each cell to the surface of the filled ones [m], axis after axis."""
    squares = np.where(np.pad(inside, 1), np.inf, 0.0)
    for axis, step in enumerate(size):
        lines = np.moveaxis(squares, axis, -1)
        steps = np.arange(lines.shape[-1]) * step
        apart = (steps[:, None] - steps) ** 2
        flat = lines.reshape(-1, len(steps))
        nearest = np.stack([(flat + apart[k]).min(axis=1) for k in range(len(steps))], axis=1)
        squares = np.moveaxis(nearest.reshape(lines.shape), -1, axis)
    depth = np.sqrt(squares[1:-1, 1:-1, 1:-1]) - 0.5 * float(size.mean())
    return np.asarray(np.where(inside, depth, 0.0))


def _seeds(filled: Cells, depth: Array) -> Cells:
    """Cells to centre spheres in: the deepest of their neighbours, then others all over."""
    padded = np.pad(depth, 1)
    highest = np.ones(len(filled), bool)
    own = depth[tuple(filled.T)]
    for offset in np.ndindex(3, 3, 3):
        highest &= own >= padded[tuple((filled + offset).T)] - 1e-12
    ridges = np.flatnonzero(highest)
    ridges = ridges[np.argsort(-own[ridges], kind="stable")][: SEEDS // 2]
    rest = np.linspace(0, len(filled) - 1, min(SEEDS - len(ridges), len(filled))).astype(np.int64)
    return np.unique(np.concatenate([ridges, rest]))


class _Cover:
    """Cells that the spheres of seeds cover, found for those seeds that are asked about.

    Args:
        cells: middles of the cells [m], ascending along the first axis, shape (n, 3).
        seeds: middles of spheres [m], shape (k, 3).
        radii: their radii [m], shape (k,).
    """

    def __init__(self, cells: Array, seeds: Array, radii: Array):
        self._columns, self._seeds, self._squares = cells.T.copy(), seeds, radii**2
        self._first = np.searchsorted(self._columns[0], seeds[:, 0] - radii)
        self._last = np.searchsorted(self._columns[0], seeds[:, 0] + radii, side="right")
        self._found: dict[int, NDArray[np.intp]] = {}

    def __getitem__(self, seed: int) -> NDArray[np.intp]:
        found = self._found.get(seed)
        if found is None:
            first = int(self._first[seed])
            x, y, z = self._columns[:, first : self._last[seed]] - self._seeds[seed][:, None]
            near = x * x + y * y + z * z <= self._squares[seed]
            self._found[seed] = found = first + np.flatnonzero(near)
        return found


def _cover(cells: Array, seeds: Array, radii: Array, most: int, size: Array) -> list[int]:
    """Seeds whose spheres cover most cells together, the one that adds most first.

    What a sphere adds only falls while others are taken, so that one is looked at only while it
    may be the best: at first, cells that it covers fit into a sphere larger by half a diagonal.
    """
    # Where the surface is thinner than cells are, depths are below zero.
    radii = np.abs(radii)
    covered = _Cover(cells, seeds, radii)
    larger = radii + 0.5 * float(np.linalg.norm(size))
    gains = np.minimum(4.0 / 3.0 * np.pi * larger**3 / size.prod(), len(cells))
    known = np.full(len(seeds), -1)
    left = np.ones(len(cells), bool)
    chosen: list[int] = []
    while len(chosen) < most:
        best = int(gains.argmax())
        if known[best] < len(chosen):
            gains[best] = np.count_nonzero(left[covered[best]])
            known[best] = len(chosen)
        elif gains[best] > 0:
            chosen.append(best)
            left[covered[best]] = False
        else:
            break
    return chosen
