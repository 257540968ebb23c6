"""Spheres that fill a surface: inside it, close to it, and as many as asked for."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from usdsim.math.deformable.tetrahedra import winding_numbers
from usdsim.math.meshes import distances, spheres
from usdsim.math.meshes.distances import surface_distances
from usdsim.math.meshes.spheres import fill_with_spheres

CELLS = 20_000


def filled(solid, most=128, cells=CELLS):
    return fill_with_spheres(
        np.asarray(solid.vertices), np.asarray(solid.faces, np.int32), most, cells
    )


def covered(solid, centres, radii):
    """Volume of the union over the solid's, by points all over its bounds."""
    points = np.random.default_rng(0).uniform(*solid.bounds, (20_000, 3))
    hit = (np.linalg.norm(points[:, None] - centres, axis=2) < radii).any(axis=1)
    return hit.mean() * np.prod(solid.extents) / solid.volume


@pytest.mark.parametrize(
    ("solid", "share"),
    [
        (trimesh.creation.icosphere(3, radius=0.4), 0.97),
        (trimesh.creation.box((1.0, 1.0, 1.0)), 0.8),
        (trimesh.creation.box((2.0, 0.5, 0.25)), 0.7),
        (trimesh.creation.torus(0.6, 0.2, 32, 16), 0.85),
        (trimesh.creation.annulus(0.3, 0.5, 0.4), 0.7),
    ],
    ids=["ball", "cube", "plank", "torus", "tube"],
)
def test_spheres_fill_a_solid_and_stay_inside(solid, share):
    centres, radii = filled(solid)
    points, faces = np.asarray(solid.vertices), np.asarray(solid.faces, np.int32)
    assert 1 <= len(radii) <= 128 and (radii > 0.0).all()
    assert (winding_numbers(points, faces, centres) > 0.5).all()
    np.testing.assert_allclose(radii, surface_distances(points, faces, centres))
    assert covered(solid, centres, radii) > share
    # Something touches each side, to half a cell.
    pitch = (np.prod(solid.extents) / CELLS) ** (1.0 / 3.0)
    low, high = solid.bounds
    assert ((centres - radii[:, None]).min(axis=0) < low + 0.6 * pitch).all()
    assert ((centres + radii[:, None]).max(axis=0) > high - 0.6 * pitch).all()


def test_a_ball_is_one_sphere_and_a_limit_holds():
    ball = trimesh.creation.icosphere(4, radius=0.4)
    centres, radii = filled(ball, most=1)
    assert len(radii) == 1
    np.testing.assert_allclose(radii, 0.4, rtol=0.08)
    np.testing.assert_allclose(centres, 0.0, atol=0.03)
    counts = [len(filled(trimesh.creation.box((1.0, 1.0, 1.0)), most)[1]) for most in (2, 5, 9)]
    assert counts == [2, 5, 9]


def test_what_encloses_nothing_has_no_spheres():
    triangle = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.2), (0.0, 1.0, 0.4)])
    centres, radii = fill_with_spheres(triangle, np.array([(0, 1, 2), (0, 2, 1)], np.int32), 9, 1)
    assert centres.shape == (0, 3) and radii.shape == (0,)


@settings(max_examples=25)
@given(
    sides=st.tuples(*[st.floats(1e-3, 1e3)] * 3),
    at=st.tuples(*[st.floats(-100.0, 100.0)] * 3),
    flip=st.booleans(),
)
def test_boxes_of_any_size_hold_their_spheres(sides, at, flip):
    box = trimesh.creation.box(sides)
    points = np.asarray(box.vertices) + at
    faces = np.asarray(box.faces, np.int32)[:, :: -1 if flip else 1]
    centres, radii = fill_with_spheres(points, faces, 8, 1000)
    assert len(radii) == 8
    room = 0.5 * np.asarray(sides) - np.abs(centres - at) - radii[:, None]
    assert room.min() > -1e-9 * (np.max(sides) + 100.0)


def distance_to_triangle(corners, query):
    """By the nearest of many points of it, refined around the best."""
    low, high = np.zeros(2), np.ones(2)
    for _ in range(12):
        u, v = (grid.ravel() for grid in np.meshgrid(*np.linspace(low, high, 21).T))
        u, v = (np.where(u + v > 1.0, value, w) for value, w in ((1.0 - v, u), (v, v)))
        u = np.clip(u, 0.0, 1.0)
        at = corners[0] + u[:, None] * (corners[1] - corners[0])
        at = at + v[:, None] * (corners[2] - corners[0])
        away = np.linalg.norm(at - query, axis=1)
        best, width = away.argmin(), 0.15 * (high - low)
        middle = np.array([u[best], v[best]])
        low, high = np.clip(middle - width, 0.0, 1.0), np.clip(middle + width, 0.0, 1.0)
    return away.min()


@pytest.mark.parametrize("seed", range(6))
def test_distances_are_those_of_the_nearest_triangle(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 3)) * 10.0 ** rng.integers(-2, 3)
    faces = rng.integers(0, 12, (20, 3))
    faces = faces[[len(set(face)) == 3 for face in faces.tolist()]].astype(np.int32)
    queries = np.vstack([rng.normal(size=(4, 3)) * np.abs(points).max(), points[:2]])
    expected = [min(distance_to_triangle(points[face], q) for face in faces) for q in queries]
    found = surface_distances(points, faces, queries)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4 * np.abs(points).max())


def test_no_triangles_are_infinitely_far():
    assert np.isinf(
        surface_distances(np.zeros((1, 3)), np.zeros((0, 3), np.int32), np.eye(3))
    ).all()


@pytest.mark.parametrize("together", [1, 32, 10**6])
def test_distances_do_not_depend_on_how_triangles_are_divided(together, monkeypatch):
    monkeypatch.setattr(distances, "_TOGETHER", together)
    solid = trimesh.creation.torus(1.0, 0.3)
    points, faces = np.asarray(solid.vertices), np.asarray(solid.faces, np.int32)
    queries = np.random.default_rng(0).normal(size=(40, 3))
    single = [surface_distances(points, face[None], queries) for face in faces]
    assert (surface_distances(points, faces, queries) == np.min(single, axis=0)).all()


@pytest.mark.parametrize("seed", range(4))
def test_each_sphere_adds_most_to_those_before_it(seed):
    rng = np.random.default_rng(seed)
    size = np.array([0.1, 0.12, 0.09])
    cells = np.argwhere(np.ones((12, 9, 10), bool)) * size
    seeds, radii = rng.permutation(cells)[:60], rng.uniform(-0.05, 0.5, 60)
    covered = np.linalg.norm(cells[:, None] - seeds, axis=2) <= np.abs(radii)
    left, expected = np.ones(len(cells), bool), []
    while len(expected) < 20 and (covered & left[:, None]).any():
        expected.append(int((covered & left[:, None]).sum(axis=0).argmax()))
        left &= ~covered[:, expected[-1]]
    assert spheres._cover(cells, seeds, radii, 20, size) == expected
