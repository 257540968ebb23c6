"""Boxes among convex solids, by their corners."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from usdsim.math.meshes.boxes import boxes_of
from usdsim.math.rotations import quat_apply, quat_normalize

UNIT = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
LENGTH = st.floats(0.01, 10.0)
NUMBER = st.floats(-1.0, 1.0)


@given(st.tuples(LENGTH, LENGTH, LENGTH), st.tuples(*[NUMBER] * 4), st.tuples(*[NUMBER] * 3))
def test_boxes_are_found_however_they_lie(half, turn, centre):
    quat = quat_normalize(np.add(turn, [0.0, 0.0, 0.0, 1.5]))
    corners = quat_apply(quat, UNIT * half) + centre
    (found,) = boxes_of([np.vstack([corners, corners[::2]])])
    assert found is not None
    sizes, pose = found
    np.testing.assert_allclose(sorted(sizes), sorted(half), rtol=1e-6)
    made = quat_apply(pose.quat, UNIT * sizes) + pose.pos
    away = np.linalg.norm(made[:, None] - corners, axis=2)
    assert away.min(axis=1).max() < 1e-6 and away.min(axis=0).max() < 1e-6


def test_boxes_along_the_axes_are_not_turned():
    ((sizes, pose),) = boxes_of([UNIT * [1.0, 2.0, 3.0] + [4.0, 5.0, 6.0]])
    np.testing.assert_allclose(sizes, [1.0, 2.0, 3.0])
    np.testing.assert_allclose(pose.pos, [4.0, 5.0, 6.0])
    np.testing.assert_allclose(np.abs(pose.quat), [0.0, 0.0, 0.0, 1.0])


OTHERS = [
    UNIT[:7],
    UNIT @ np.array([[1, 0.2, 0], [0, 1, 0], [0, 0, 1]]),
    np.vstack([UNIT[:7], [1.1, 1.1, 1.1]]),
    np.array([[np.cos(a), np.sin(a), z] for a in np.arange(4) * 0.9 for z in (0, 1)]),
]


@pytest.mark.parametrize("corners", OTHERS)
def test_other_solids_are_none(corners):
    assert boxes_of([corners]) == [None]


def test_solids_are_looked_at_each_by_itself():
    solids = [UNIT, OTHERS[0], 2.0 * UNIT + 5.0, OTHERS[1], UNIT]
    found = boxes_of(solids)
    assert [box is not None for box in found] == [True, False, True, False, True]
    np.testing.assert_allclose(found[2][0], 2.0)
    np.testing.assert_allclose(found[2][1].pos, 5.0)
    assert boxes_of([]) == []
