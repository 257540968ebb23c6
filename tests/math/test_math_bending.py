"""Hinges between triangles: energy of bending against that of plates."""

from __future__ import annotations

import numpy as np
import pytest

from usdsim.math.deformable.bending import hinge_factors
from usdsim.math.deformable.elements import measures

CURL = 1.03


def lattice(kind, n):
    """A mesh of about n rows of triangles."""
    rows = np.sqrt(0.75) if kind == "equilateral" else 1.0
    points, faces = [], []
    for j in range(n + 1):
        shift = 0.5 * j if kind == "equilateral" else 0.0
        points += [[i + shift, rows * j, 0.0] for i in range(n + 1)]
    for i, j in np.ndindex(n, n):
        a, b = j * (n + 1) + i, j * (n + 1) + i + 1
        c, d = a + n + 1, b + n + 1
        slash = kind == "equilateral" or (kind == "alternating" and (i + j) % 2)
        faces += [(a, b, c), (b, d, c)] if slash else [(a, b, d), (a, d, c)]
    return np.array(points), np.array(faces)


def hinges_of(faces):
    """Both ends of each edge and what is opposite."""
    found: dict[tuple[int, int], list[int]] = {}
    for i, j, k in faces.tolist():
        for a, b, c in ((i, j, k), (j, k, i), (k, i, j)):
            found.setdefault((min(a, b), max(a, b)), []).append(c)
    return np.array([[*edge, *[*over, -1][:2]] for edge, over in found.items()], np.int32)


def rows_of(points, hinges):
    """Angle of each hinge per height of each vertex, and its stiffness without a factor."""
    matrix, stiffness = np.zeros((len(hinges), len(points))), np.zeros(len(hinges))
    for row, (a, b, *over) in enumerate(hinges):
        if over[1] < 0:
            continue
        edge = points[b] - points[a]
        length = np.linalg.norm(edge)
        for c in over:
            along = (points[c] - points[a]) @ edge / length
            height = np.linalg.norm(np.cross(points[c] - points[a], edge)) / length
            matrix[row, c] += 1.0 / height
            matrix[row, a] -= (1.0 - along / length) / height
            matrix[row, b] -= along / length / height
            stiffness[row] += 0.5 * height * length
    inner = stiffness > 0.0
    stiffness[inner] = (
        np.sum((points[hinges[inner, 1]] - points[hinges[inner, 0]]) ** 2, 1) / (stiffness[inner])
    )
    return matrix, stiffness


def cylinder(kind, angle, n=8):
    """Energy per area, over that of theory, of a cylinder of curvature 1 on a mesh without end.

    Every other vertex may leave it by the same height, which is all that can relax there.
    """
    points, faces = lattice(kind, n)
    hinges = hinges_of(faces)
    factors = hinge_factors(points, hinges, np.zeros(len(points), bool), 0.0)
    matrix, stiffness = rows_of(points, hinges)
    i, j = np.divmod(np.arange(len(points)), n + 1)
    z = 0.5 * (points @ [np.cos(angle), np.sin(angle), 0.0]) ** 2
    bent, raised = matrix @ z, matrix @ (-1.0) ** (i + j)
    # A hinge belongs to its ends in equal parts; as many vertices of each kind are counted.
    inside = (i >= 2) & (i < n - 2) & (j >= 2) & (j < n - 2)
    weight = inside[hinges[:, :2]].mean(axis=1) * factors * stiffness
    height = -(weight * bent) @ raised / ((weight * raised) @ raised)
    area = measures(points, faces)[0] * 2.0
    return float(weight @ (bent + height * raised) ** 2 / (area * np.count_nonzero(inside)))


@pytest.mark.parametrize("kind", ["alternating", "equilateral"])
@pytest.mark.parametrize("degrees", [0.0, 20.0, 45.0, 90.0, 130.0])
def test_cylinders_of_all_directions_are_as_stiff_as_plates(kind, degrees):
    assert cylinder(kind, np.radians(degrees)) == pytest.approx(CURL, rel=1e-9)


def test_parallel_diagonals_are_left_as_they_are():
    points, faces = lattice("parallel", 4)
    hinges = hinges_of(faces)
    assert (hinge_factors(points, hinges, np.zeros(len(points), bool), 0.3) == 1.0).all()


def test_a_hinge_at_a_clamp_is_twice_as_stiff():
    points, faces = lattice("parallel", 4)
    hinges = hinges_of(faces)
    held = points[:, 0] < 1.5
    factors = hinge_factors(points, hinges, held, 0.3)
    clamp = (points[hinges[:, :2], 0] == 1.0).all(axis=1)
    assert (factors[clamp & (hinges[:, 3] >= 0)] == 2.0).all()
    assert (factors[~clamp] == 1.0).all()
