"""Winding of triangles: put right where it is mixed, and what meshes weigh then."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from usdsim.math.meshes.hull import convex_hull
from usdsim.math.meshes.operations import volume_properties
from usdsim.math.meshes.winding import is_wound_alike, turned

CORNERS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 2.0) for z in (0.0, 3.0)])
POINTS, FACES = convex_hull(CORNERS)
FACES = FACES.astype(np.int64)
STRIP = np.array([[i % 5, (i + 1) % 5, (i + 2) % 5] for i in range(5)])
"""A Möbius strip of five triangles."""


def flip(faces, which):
    return np.where(np.asarray(which)[:, None], faces[:, ::-1], faces)


@given(hnp.arrays(np.bool_, len(FACES)), hnp.arrays(np.bool_, len(FACES)))
def test_two_boxes_are_wound_alike_each_by_the_fewest_turns(one, other):
    faces = np.vstack([flip(FACES, one), flip(FACES, other) + len(POINTS)])
    turn = turned(faces)
    assert is_wound_alike(flip(faces, turn))
    for mixed, part in ((one, turn[: len(FACES)]), (other, turn[len(FACES) :])):
        assert part.sum() == min(mixed.sum(), len(FACES) - mixed.sum())


@given(st.data())
def test_boxes_weigh_the_same_however_they_are_wound(data):
    faces = flip(FACES, data.draw(hnp.arrays(np.bool_, len(FACES))))
    solid = volume_properties(POINTS, faces, 2.0)
    assert solid.mass == pytest.approx(12.0)
    assert solid.com == pytest.approx([0.5, 1.0, 1.5])
    assert np.diag(solid.inertia) == pytest.approx([13.0, 10.0, 5.0])


def test_what_cannot_be_wound_alike_stays_and_weighs_as_its_hull():
    assert not turned(STRIP).any()
    assert not is_wound_alike(STRIP)
    points = np.random.default_rng(1).random((5, 3))
    hull = volume_properties(points, [], hull=True)
    assert volume_properties(points, STRIP).mass == hull.mass > 0.0


def test_surfaces_of_two_sides_and_edges_of_four_triangles_are_left_as_they_are():
    both = np.vstack([FACES[:4], FACES[:4, ::-1]])
    assert not turned(both).any()
    # Two boxes that share an edge.
    far = np.where(np.isin(np.arange(8), (6, 7)), np.arange(8) - 6, np.arange(8) + 6)
    joined = np.vstack([FACES, far[FACES]])
    assert not turned(joined).any()
    assert is_wound_alike(joined)


@given(hnp.arrays(np.bool_, len(FACES)))
def test_triangles_without_area_count_for_nothing(mixed):
    empty = np.array([[0, 0, 1], [2, 3, 2]])
    turn = turned(np.vstack([empty, flip(FACES, mixed)]))
    assert not turn[:2].any()
    assert is_wound_alike(np.vstack([empty, flip(flip(FACES, mixed), turn[2:])]))
