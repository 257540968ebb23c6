"""Triangles and tetrahedra that deform."""

import itertools

import numpy as np
import pytest

from usdsim.math.deformable.elements import (
    border_faces,
    embed_points,
    embedded_positions,
    lumped_masses,
    measures,
    shared_borders,
)

CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
TETS = np.array([[0, 1, 2, 3], [1, 2, 3, 4]], dtype=np.int32)
TRIANGLES = np.array([[0, 1, 2]], dtype=np.int32)


def test_measures():
    volumes = measures(CORNERS, TETS)
    assert volumes[0] == pytest.approx(1 / 6)
    assert volumes[1] == pytest.approx(1 / 3)
    assert measures(CORNERS, TETS[:, [1, 0, 2, 3]])[0] == pytest.approx(-1 / 6)
    assert measures(CORNERS, TRIANGLES)[0] == pytest.approx(0.5)


def test_masses_are_lumped_by_size():
    masses = lumped_masses(TETS, measures(CORNERS, TETS), 5, 6.0)
    np.testing.assert_allclose(masses, [0.5, 1.5, 1.5, 1.5, 1.0])


def test_borders():
    shared = shared_borders(TETS)
    assert (shared == 2).sum() == 2
    assert shared[0, 0] == 2 and shared[1, 3] == 2
    faces = border_faces(TETS)
    assert len(faces) == 6
    centre = CORNERS.mean(axis=0)
    corners = CORNERS[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("fi,fi->f", normals, corners.mean(axis=1) - centre) > 0).all()
    # The divergence theorem: a closed surface encloses what its elements fill.
    enclosed = np.einsum("fi,fi->f", normals, corners[:, 0]).sum() / 6
    assert enclosed == pytest.approx(measures(CORNERS, TETS).sum())


def test_embedded_points_follow_affine_maps():
    rng = np.random.default_rng(0)
    queries = rng.uniform(-0.2, 1.1, size=(40, 3))
    vertices, weights, heights = embed_points(CORNERS, TETS, queries)
    assert not heights.any()
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    back = embedded_positions(CORNERS, vertices, weights, heights)
    np.testing.assert_allclose(back, queries, atol=1e-12)
    linear, shift = rng.normal(size=(3, 3)), rng.normal(size=3)
    moved = embedded_positions(CORNERS @ linear + shift, vertices, weights, heights)
    np.testing.assert_allclose(moved, queries @ linear + shift, atol=1e-12)


def test_points_belong_to_the_element_they_are_in():
    inside = CORNERS[TETS].mean(axis=1)
    vertices, weights, _ = embed_points(CORNERS, TETS, inside)
    np.testing.assert_array_equal(vertices, TETS)
    np.testing.assert_allclose(weights, 0.25)


def test_points_find_their_element_among_many():
    n = 6
    grid = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    rng = np.random.default_rng(1)
    points = grid + rng.uniform(-0.1, 0.1, size=grid.shape)
    tets = []
    for cell in np.ndindex(n - 1, n - 1, n - 1):
        for order in itertools.permutations(range(3)):
            path = np.cumsum([[0, 0, 0], *np.eye(3, dtype=int)[list(order)]], axis=0) + cell
            tets.append(np.ravel_multi_index(tuple(path.T), (n, n, n)))
    elements = np.array(tets, dtype=np.int32)
    share = rng.dirichlet(np.ones(4), size=len(elements))
    queries = np.einsum("mc,mci->mi", share, points[elements])
    vertices, weights, _ = embed_points(points, elements, queries)
    assert weights.min() > -1e-9
    np.testing.assert_array_equal(vertices, elements)


def test_points_beside_a_surface_keep_their_height():
    points = CORNERS[:3]
    query = np.array([[0.2, 0.3, 0.05], [0.2, 0.3, -0.05]])
    vertices, weights, heights = embed_points(points, TRIANGLES, query)
    np.testing.assert_allclose(heights, [0.05, -0.05])
    turn = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    moved = embedded_positions(points @ turn.T, vertices, weights, heights)
    np.testing.assert_allclose(moved, query @ turn.T, atol=1e-12)
