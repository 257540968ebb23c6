"""Deformable bodies written by hand, and what theory says of them."""

from __future__ import annotations

import numpy as np

from usdsim.math.deformable.elements import measures
from usdsim.parser.description import DeformableDescription

_EVEN = [(0, 4, 6, 5), (0, 6, 2, 3), (0, 5, 3, 1), (6, 3, 5, 7), (0, 6, 3, 5)]
_ODD = [(4, 0, 1, 2), (4, 5, 1, 7), (4, 6, 7, 2), (1, 3, 2, 7), (4, 1, 2, 7)]


def tet_grid(cells, size, at=(0.0, 0.0, 0.0)):
    """A box of five tetrahedra per cell, alternately split so that faces match."""
    shape = np.array(cells) + 1
    axes = [np.linspace(0.0, s, n) for s, n in zip(size, shape, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3) + at
    elements = []
    for i, j, k in np.ndindex(*cells):
        corner = [
            np.ravel_multi_index((i + a, j + b, k + c), tuple(shape))
            for a, b, c in np.ndindex(2, 2, 2)
        ]
        for tet in _ODD if (i + j + k) % 2 else _EVEN:
            elements.append([corner[v] for v in tet])
    elements = np.array(elements, dtype=np.int32)
    turned = measures(points, elements) < 0.0
    elements[turned] = elements[turned][:, [0, 1, 3, 2]]
    return points, elements


def sheet(cells, size, at=(0.0, 0.0, 0.0)):
    """A flat rectangle of triangles in the plane of x and y, diagonals alternating."""
    nx, ny = cells
    x, y = np.meshgrid(np.linspace(0, size[0], nx + 1), np.linspace(0, size[1], ny + 1))
    points = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1) + at
    elements = []
    for i, j in np.ndindex(nx, ny):
        a, b = j * (nx + 1) + i, j * (nx + 1) + i + 1
        c, d = a + nx + 1, b + nx + 1
        split = [(a, b, c), (b, d, c)] if (i + j) % 2 else [(a, b, d), (a, d, c)]
        elements += split
    return points, np.array(elements, dtype=np.int32)


def soft(points, elements, path="/soft", start=None, **values):
    """A deformable body at rest."""
    values.setdefault("mass", 8.0)
    values.setdefault("youngs_modulus", 1e5)
    values.setdefault("poissons_ratio", 0.3)
    values.setdefault("velocities", np.zeros_like(points))
    if elements.shape[1] < 4:
        values.setdefault("thickness", 0.01)
    return DeformableDescription(
        path=path,
        kind={4: "volume", 3: "surface", 2: "curves"}[elements.shape[1]],
        mesh=f"{path}/mesh",
        rest_points=points,
        points=points if start is None else start,
        elements=elements,
        **values,
    )


def linear_equilibrium(points, elements, modulus, ratio, forces, held):
    """Displacements under small loads, by textbook finite elements [m], shape (n, 3)."""
    lame = modulus * ratio / ((1 + ratio) * (1 - 2 * ratio))
    shear = modulus / (2 * (1 + ratio))
    law = np.diag([2 * shear] * 3 + [shear] * 3)
    law[:3, :3] += lame
    stiffness = np.zeros((3 * len(points), 3 * len(points)))
    for corners, volume in zip(elements, measures(points, elements), strict=True):
        sides = (points[corners[1:]] - points[corners[0]]).T
        slopes = np.linalg.inv(sides)
        slopes = np.vstack([-slopes.sum(axis=0), slopes])
        strain = np.zeros((6, 12))
        for n, (a, b, c) in enumerate(slopes):
            strain[:, 3 * n : 3 * n + 3] = [
                [a, 0, 0], [0, b, 0], [0, 0, c], [b, a, 0], [0, c, b], [c, 0, a],
            ]  # fmt: skip
        where = (3 * corners[:, None] + np.arange(3)).ravel()
        stiffness[np.ix_(where, where)] += volume * strain.T @ law @ strain
    free = np.repeat(~held, 3)
    moved = np.zeros(3 * len(points))
    moved[free] = np.linalg.solve(stiffness[np.ix_(free, free)], forces.ravel()[free])
    return moved.reshape(-1, 3)
