"""Masks of classes: who meets by their bits, and what is left where the bits run out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from usdsim.engine.compile.shapes.masks import BITS, collision_masks


def meeting(types, affinities) -> np.ndarray:
    """The engine's rule, for all pairs of classes."""
    hit = (types[:, None] & affinities) != 0
    return hit | hit.T


def all_but(count: int, *pairs: tuple[int, int]) -> np.ndarray:
    allowed = np.ones((count, count), bool)
    for a, b in pairs:
        allowed[a, b] = allowed[b, a] = False
    return allowed


def ones(count: int) -> np.ndarray:
    return np.ones(count)


@given(st.integers(1, 70), st.floats(0.0, 1.0), st.integers(0, 2**32 - 1))
def test_classes_meet_by_their_masks_or_are_left(count, share, seed):
    random = np.random.default_rng(seed)
    allowed = np.triu(random.random((count, count)) < share)
    allowed |= allowed.T
    alone = random.random(count) < 0.5
    types, affinities, left = collision_masks(allowed, ones(count), alone)
    assert max(types.max(), affinities.max()) < 2**BITS
    assert ((types | affinities) != 0).all()
    met = meeting(types, affinities)
    assert not met[tuple(left.T)].any()
    met[tuple(left.T)] = met[tuple(left.T[::-1])] = True
    counts = ~np.diag(alone)
    np.testing.assert_array_equal(met[counts], allowed[counts])
    if count <= BITS:
        assert len(left) == 0


@pytest.mark.parametrize(
    ("pairs", "most"),
    [
        ([(i, i + 1) for i in range(0, 1000, 2)], 0),
        ([(i, (i + 1) % 300) for i in range(300)], 0),
        ([(i, i) for i in range(1000)], 0),
        ([(i, (i + step) % 1000) for i in range(1000) for step in (1, 7)], 5000),
    ],
    ids=["partners", "ring", "themselves", "four-others"],
)
def test_masks_are_enough_where_most_classes_meet(pairs, most):
    count = 1 + max(max(pair) for pair in pairs)
    none = np.zeros(count, bool)
    *_, left = collision_masks(all_but(count, *pairs), ones(count), none)
    assert len(left) <= most


def test_what_weighs_most_is_covered_first():
    """Each of 40 classes meets itself alone, which takes a bit for each; one is for the rest."""
    weights = np.arange(40.0)
    *_, left = collision_masks(np.eye(40, dtype=bool), weights, np.zeros(40, bool))
    assert {tuple(pair) for pair in left.tolist()} == {(i, i) for i in range(41 - BITS)}
