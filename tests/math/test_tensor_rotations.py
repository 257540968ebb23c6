"""Rotations, frames and samples of tensors against NumPy's rotations and their inverses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from usdsim.math import rotations as oracle

torch = pytest.importorskip("torch")
from usdsim.math import tensors as tm  # noqa: E402

GENERATOR = np.random.default_rng(3)
QUATS = GENERATOR.normal(size=(2, 50, 4))
QUATS /= np.linalg.norm(QUATS, axis=-1, keepdims=True)
VECTORS = GENERATOR.normal(size=(50, 3))
ZERO = torch.zeros(50, dtype=torch.float64)
A, B, V = torch.tensor(QUATS[0]), torch.tensor(QUATS[1]), torch.tensor(VECTORS)


def close(found, expected) -> None:
    np.testing.assert_allclose(np.asarray(found), expected, atol=1e-9)


def test_rotations_against_those_of_numpy():
    a, b = QUATS
    close(tm.quat_mul(A, B), oracle.quat_multiply(a, b))
    close(tm.quat_apply(A, V), oracle.quat_apply(a, VECTORS))
    close(tm.quat_apply_inverse(A, V), oracle.quat_apply(oracle.quat_conjugate(a), VECTORS))
    close(tm.matrix_from_quat(A), oracle.quat_to_matrix(a))
    close(tm.quat_inv(2.0 * A), oracle.quat_conjugate(a) / 2.0)
    close(
        tm.skew_symmetric_matrix(V) @ V.flip(0)[..., None],
        np.cross(VECTORS, VECTORS[::-1])[..., None],
    )


def test_angles_there_and_back():
    angles = torch.tensor(GENERATOR.uniform(-1.5, 1.5, (3, 50)))
    for found, expected in zip(
        tm.euler_xyz_from_quat(tm.quat_from_euler_xyz(*angles)), angles, strict=True
    ):
        close(found, expected)
    close(tm.axis_angle_from_quat(tm.quat_from_angle_axis(V.norm(dim=-1), V)), VECTORS)
    yaw = tm.quat_from_euler_xyz(ZERO, ZERO, angles[2])
    close(
        tm.yaw_quat(tm.quat_mul(yaw, tm.quat_from_euler_xyz(angles[0], angles[1], ZERO))),
        yaw,
    )
    close(tm.quat_error_magnitude(A, -A), 0.0)
    close(
        tm.wrap_to_pi(torch.tensor([3 * math.pi, -3 * math.pi, 7.0], dtype=torch.float64)),
        [math.pi, -math.pi, 7.0 - 2 * math.pi],
    )


def test_frames_there_and_back():
    shift = V.flip(0)
    pos, quat = tm.combine_frame_transforms(V, A, shift, B)
    back = tm.subtract_frame_transforms(V, A, pos, quat)
    close(back[0], shift)
    close(tm.quat_box_minus(back[1], B), 0.0)
    moved, turn = tm.compute_pose_error(V, A, pos, quat)
    close(V + moved, pos)
    close(
        tm.quat_error_magnitude(
            tm.quat_mul(tm.quat_from_angle_axis(turn.norm(dim=-1), turn), A), quat
        ),
        0.0,
    )
    close(
        tm.transform_points(V, V[:2], A[:2])[1],
        oracle.quat_apply(QUATS[0, 1], VECTORS) + VECTORS[1],
    )


def test_samples_are_where_they_belong():
    points = tm.sample_cylinder(0.5, (1.0, 2.0), 200, "cpu")
    np.testing.assert_allclose(points[:, :2].norm(dim=1), 0.5, rtol=1e-5)
    assert 1.0 <= points[:, 2].min() < 1.2 and 1.8 < points[:, 2].max() <= 2.0
    logs = tm.sample_log_uniform(1e-3, 1e3, 2000, "cpu").log10()
    assert abs(logs.mean()) < 0.3 and logs.min() < -2.5 and logs.max() > 2.5
    np.testing.assert_allclose(tm.random_orientation(20, "cpu").norm(dim=-1), 1.0, rtol=1e-5)
    np.testing.assert_allclose(tm.random_yaw_orientation(20, "cpu")[:, :2], 0.0)
