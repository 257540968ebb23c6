"""Convexity by edges, and what shares them."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from usdsim.math.inertia import mesh_mass
from usdsim.math.meshes.adjacency import twin_edges
from usdsim.math.meshes.convexity import are_convex, has_convex_edges, inner_hull_volume
from usdsim.math.meshes.facets import facets, fewest_facets
from usdsim.math.meshes.hull import convex_hull
from usdsim.math.meshes.welding import weld


def ball(count, seed=0):
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return convex_hull(points / np.linalg.norm(points, axis=1, keepdims=True))


def ring(radius, tube, around, across):
    """A torus."""
    u, v = (2 * np.pi * np.arange(n) / n for n in (around, across))
    distance = radius + tube * np.cos(v)[None]
    points = np.stack(
        [
            distance * np.cos(u)[:, None],
            distance * np.sin(u)[:, None],
            np.broadcast_to(tube * np.sin(v), (around, across)),
        ],
        axis=-1,
    ).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    corners = [
        ((i + di) % around * across + (j + dj) % across).ravel()
        for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1))
    ]
    a, b, c, d = corners
    return points, np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)])


@given(st.integers(4, 60), st.integers(0, 1000), st.booleans())
@settings(max_examples=40)
def test_hulls_are_convex_and_dented_ones_are_not(count, seed, inwards):
    points, faces = ball(count, seed)
    faces = faces[:, ::-1] if inwards else faces
    assert has_convex_edges(points, faces.astype(np.int64))
    if len(points) < 8:
        return  # all corners of a dented tetrahedron may still be corners
    dented = points.copy()
    dented[0] *= 0.2
    volume = abs(mesh_mass(1.0, dented, faces).mass)
    full = mesh_mass(1.0, *convex_hull(dented)).mass
    assert has_convex_edges(dented, faces.astype(np.int64)) == (abs(full - volume) < 1e-9)


def test_fine_hollows_are_seen():
    """Each of a thousand edges turns by little."""
    points, faces = ring(1.0, 0.3, 1000, 60)
    assert not has_convex_edges(points, faces)
    assert not has_convex_edges(*ring(1.0, 0.3, 3, 3))


def test_pieces_that_are_convex_are_not_convex_together():
    points, faces = ball(30)
    two = np.vstack([points, points + np.array([3.0, 0.0, 0.0])])
    assert not has_convex_edges(two, np.vstack([faces, faces + len(points)]).astype(np.int64))


def piece(kind, seed):
    points, faces = ball(12, seed)
    if kind == "hollow":
        points, faces = ring(1.0, 0.3, 6, 4)
    elif kind == "dented":
        points[0] *= 0.2
    elif kind == "open":
        faces = faces[1:]
    elif kind == "inwards":
        faces = faces[:, ::-1]
    elif kind == "soup":
        points, faces = points[faces].reshape(-1, 3), np.arange(faces.size).reshape(-1, 3)
    return points, faces.astype(np.int64)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["solid", "hollow", "dented", "open", "inwards", "soup"]),
            st.integers(0, 4),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_pieces_are_convex_where_each_is_by_itself(kinds):
    """They lie in each other, and equal ones have their corners in common."""
    pieces = [piece(*kind) for kind in kinds]
    owner = np.repeat(np.arange(len(pieces)), [len(points) for points, _ in pieces])
    starts = np.searchsorted(owner, np.arange(len(pieces)))
    faces = np.vstack([faces + start for (_, faces), start in zip(pieces, starts, strict=True)])
    expected = []
    for points, triangles in pieces:
        first, place = weld(points)
        expected.append(has_convex_edges(points, first[place][triangles]))
    found = are_convex(np.vstack([points for points, _ in pieces]), faces, owner)
    assert found.tolist() == expected


@pytest.mark.parametrize("broken", ["open", "doubled", "turned", "thin", "empty"])
def test_what_is_no_closed_surface_is_not_convex(broken):
    points, faces = ball(30)
    faces = faces.astype(np.int64)
    if broken == "open":
        faces = faces[1:]
    elif broken == "doubled":
        faces = np.vstack([faces, faces[:1]])
    elif broken == "turned":
        faces[0] = faces[0, ::-1]
    elif broken == "thin":
        points[faces[0, 0]] = 0.5 * (points[faces[0, 1]] + points[faces[0, 2]])
    else:
        faces = faces[:0]
    assert not has_convex_edges(points, faces)


def test_single_precision_does_not_bend_flat_sides():
    axis = np.linspace(-1, 1, 5)
    points = np.stack(np.meshgrid(axis, axis, axis), -1).reshape(-1, 3)
    skin = points[np.abs(points).max(axis=1) == 1.0]
    corners, faces = convex_hull(skin)
    moved = corners @ np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0] + 5.0
    assert has_convex_edges(moved.astype(np.float32).astype(np.float64), faces.astype(np.int64))


def test_twins_are_each_other_and_run_the_other_way():
    _, faces = ring(1.0, 0.3, 7, 5)
    twin = twin_edges(faces[:-1])
    edges = np.stack([faces[:-1].ravel(), np.roll(faces[:-1], -1, 1).ravel()], axis=1)
    paired = twin >= 0
    assert np.count_nonzero(~paired) == 3  # beyond the triangle left out
    assert (edges[twin[paired]] == edges[paired][:, ::-1]).all()
    assert (twin[twin[paired]] == np.flatnonzero(paired)).all()


def test_inner_hull_is_no_larger_than_the_hull():
    points = np.random.default_rng(1).normal(size=(500, 3))
    full = mesh_mass(1.0, *convex_hull(points)).mass
    assert 0.5 * full < inner_hull_volume(points) <= full
    assert inner_hull_volume(points * [1.0, 1.0, 0.0]) == 0.0


@pytest.mark.parametrize("count", [8, 40])
def test_fewest_facets_is_a_bound(count):
    cube = convex_hull(np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).T.reshape(-1, 3))
    for points, faces in (cube, ball(count), ring(1.0, 0.3, count, 6)):
        a, b, c = (points[faces[:, i]] for i in range(3))
        normals = np.cross(b - a, c - a)
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        made = len(facets(points, faces.astype(np.int64), normals))
        assert fewest_facets(points, faces.astype(np.int64), normals) <= made
    assert made < len(faces)


@given(st.lists(st.tuples(*[st.integers(-2, 2)] * 3), max_size=40))
def test_welding_is_what_numpy_finds_unique(rows):
    points = np.array(rows, dtype=np.float64).reshape(-1, 3)
    first, place = weld(points)
    expected = np.unique(points, axis=0, return_index=True, return_inverse=True)
    np.testing.assert_array_equal(points[first], expected[0])
    np.testing.assert_array_equal(first, expected[1])
    np.testing.assert_array_equal(place, expected[2].ravel())


@given(st.lists(st.tuples(*[st.integers(0, 6)] * 3), max_size=14), st.sampled_from([1, 1 << 28]))
def test_twins_are_the_reversed_edges_that_nothing_else_has(triangles, stretch):
    faces = np.array(triangles, np.int64).reshape(-1, 3)
    edges = [(t[k], t[(k + 1) % 3]) for t in faces.tolist() for k in range(3)]
    expected = [
        edges.index((b, a)) if edges.count((a, b)) == 1 == edges.count((b, a)) else -1
        for a, b in edges
    ]
    # Large numbers of points leave no room to sort edges with their places.
    assert twin_edges(faces * stretch).tolist() == expected


def test_one_dent_among_thousands_of_triangles_is_found():
    solid = trimesh.creation.icosphere(4)
    points, faces = np.asarray(solid.vertices), np.asarray(solid.faces)
    assert has_convex_edges(points, faces.astype(np.int64))
    for corner in (faces[7, 0], faces[1_001, 1]):
        dented = points.copy()
        dented[corner] *= 0.99
        assert not has_convex_edges(dented, faces.astype(np.int64))
