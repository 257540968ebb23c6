"""Elastic moduli of deformable bodies, from the engine's stiffness numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .layout import NodeLayout

__all__ = ["lame_parameters"]

Array = NDArray[np.float64]

_EDGES = {
    4: np.array([(0, 1), (1, 2), (2, 0), (2, 3), (0, 3), (1, 3)]),
    3: np.array([(1, 2), (2, 0), (0, 1)]),
}
"""Edges of elements by number of corners, in the engine's order."""


def lame_parameters(layout: NodeLayout, stiffness: Array) -> Array:
    """Lame's parameters of every element, for surfaces those of plane stress.

    With the lengths l of an element's edges, the engine's elastic energy is a quadratic form in
    half the changes of l^2, of which it keeps the upper triangle, row by row. Two strains tell both
    parameters: one that grows the element alike in all directions, and one that shears it.

    Args:
        layout: which elements.
        stiffness: the engine's numbers, shape (worlds, nflexstiffness).

    Returns:
        First and second parameter [Pa], shape (worlds, matches * num_elements, 2).
    """
    corners = 4 if layout.thickness == 0.0 else 3
    edges, space = _EDGES[corners], corners - 1
    upper = np.triu_indices(len(edges))
    starts = layout.stiffness.reshape(-1)
    if (starts < 0).all():
        return np.zeros((len(stiffness), len(starts), 2))
    numbers = stiffness[:, starts[:, None] + np.arange(len(upper[0]))]
    numbers = np.where(starts[:, None] < 0, 0.0, numbers)
    metric = np.zeros((*numbers.shape[:2], len(edges), len(edges)))
    metric[..., upper[0], upper[1]] = metric[..., upper[1], upper[0]] = numbers
    shapes = layout.rest_shapes.reshape(-1, 3, 3)
    points = np.concatenate([np.zeros((len(shapes), 1, 3)), np.swapaxes(shapes, 1, 2)], axis=1)
    sides = points[:, edges[:, 1]] - points[:, edges[:, 0]]
    size = np.abs(np.linalg.det(shapes)) / (6.0 if space == 3 else 2.0)
    if layout.thickness:
        size = size * layout.thickness

    def density(changes: Array) -> Array:
        return np.asarray(np.einsum("te,wtef,tf->wt", changes, metric, changes) / size)

    # Two perpendicular directions in the element, of which one is stretched as the other shrinks.
    first = sides[:, 0] / np.linalg.norm(sides[:, 0], axis=1, keepdims=True)
    other = sides[:, 1] - (sides[:, 1] * first).sum(axis=1, keepdims=True) * first
    other /= np.linalg.norm(other, axis=1, keepdims=True)
    along = [np.einsum("tei,ti->te", sides, axis) ** 2 for axis in (first, other)]
    shear = 0.5 * density(along[0] - along[1])
    bulk = density((sides**2).sum(axis=2))
    lame = 2.0 * (bulk - space * shear) / space**2
    return np.stack([lame, shear], axis=-1)
