"""Poses in rows against the values that they are rows of."""

from __future__ import annotations

import numpy as np

from usdsim.math.rotations import quat_normalize
from usdsim.math.transforms import IDENTITY_POSE, Pose, compose_poses, invert_poses


def drawn(count: int, seed: int) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, 7))
    rows[:, 3:] = quat_normalize(rows[:, 3:])
    return rows


def value(row: np.ndarray) -> Pose:
    return Pose(row[:3], row[3:])


def test_rows_compose_and_invert_as_values_do():
    a, b = drawn(5, 0), drawn(5, 1)
    for row, one, other in zip(compose_poses(a, b), a, b, strict=True):
        np.testing.assert_allclose(row, (value(one) @ value(other)).row, atol=1e-14)
    for row, one in zip(invert_poses(a), a, strict=True):
        np.testing.assert_allclose(row, value(one).inverse().row, atol=1e-14)


def test_rows_are_broadcast():
    frames, offset = drawn(6, 2).reshape(2, 3, 7), drawn(1, 3)[0]
    found = compose_poses(frames, offset)
    assert found.shape == (2, 3, 7)
    np.testing.assert_allclose(found[1, 2], (value(frames[1, 2]) @ value(offset)).row, atol=1e-14)
    np.testing.assert_allclose(compose_poses(offset, frames)[0, 1],
                               (value(offset) @ value(frames[0, 1])).row, atol=1e-14)  # fmt: skip


def test_the_pose_of_a_frame_in_itself_changes_nothing():
    poses = drawn(4, 4)
    np.testing.assert_allclose(compose_poses(poses, IDENTITY_POSE), poses, atol=1e-15)
    both = compose_poses(poses, invert_poses(poses))
    np.testing.assert_allclose(both, np.broadcast_to(IDENTITY_POSE, (4, 7)), atol=1e-14)
    np.testing.assert_array_equal(Pose().row, IDENTITY_POSE)
