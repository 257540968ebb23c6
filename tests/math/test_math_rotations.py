import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from usdsim.math.rotations import (
    IDENTITY_QUAT,
    cross,
    quat_align,
    quat_apply,
    quat_conjugate,
    quat_from_axis_angle,
    quat_from_matrix,
    quat_from_wxyz,
    quat_multiply,
    quat_normalize,
    quat_slerp,
    quat_to_matrix,
    quat_to_rotvec,
    quat_to_wxyz,
)
from usdsim.math.transforms import Pose

COMPONENT = st.floats(-1, 1)
QUAT = (
    st.tuples(*[COMPONENT] * 4)
    .filter(lambda q: np.linalg.norm(q) > 1e-3)
    .map(lambda q: quat_normalize(np.array(q)))
)
VECTOR = st.tuples(*[st.floats(-10, 10)] * 3).map(np.array)
UNIT = (
    st.tuples(*[COMPONENT] * 3)
    .filter(lambda v: np.linalg.norm(v) > 1e-3)
    .map(lambda v: np.array(v) / np.linalg.norm(v))
)
POSE = st.builds(Pose, VECTOR, QUAT)


def same_rotation(a, b, tolerance=1e-12):
    return min(np.abs(a - b).max(), np.abs(a + b).max()) < tolerance


@given(QUAT, QUAT, QUAT)
def test_rotations_are_a_group(a, b, c):
    left = quat_multiply(quat_multiply(a, b), c)
    np.testing.assert_allclose(left, quat_multiply(a, quat_multiply(b, c)), atol=1e-14)
    np.testing.assert_allclose(quat_multiply(a, IDENTITY_QUAT), a, atol=0)
    np.testing.assert_allclose(quat_multiply(IDENTITY_QUAT, a), a, atol=0)
    np.testing.assert_allclose(quat_multiply(a, quat_conjugate(a)), IDENTITY_QUAT, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(quat_multiply(a, b)), 1.0, atol=1e-14)


@given(QUAT, QUAT, VECTOR, VECTOR)
def test_rotations_act_on_vectors(a, b, v, w):
    np.testing.assert_allclose(
        quat_apply(quat_multiply(a, b), v), quat_apply(a, quat_apply(b, v)), atol=1e-12
    )
    np.testing.assert_allclose(quat_apply(a, v) @ quat_apply(a, w), v @ w, atol=1e-11)
    np.testing.assert_allclose(
        quat_apply(a, np.cross(v, w)), np.cross(quat_apply(a, v), quat_apply(a, w)), atol=1e-11
    )


@given(QUAT, VECTOR)
def test_matrices_are_the_same_rotation(q, v):
    matrix = quat_to_matrix(q)
    np.testing.assert_allclose(matrix @ v, quat_apply(q, v), atol=1e-12)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(matrix) == pytest.approx(1.0, abs=1e-13)
    assert same_rotation(quat_from_matrix(matrix), q)


def test_half_turns_survive_the_matrix():
    for axis in np.eye(3):
        for angle in (np.pi, np.pi - 1e-9, np.pi + 1e-9):
            q = quat_from_axis_angle(axis, angle)
            assert same_rotation(quat_from_matrix(quat_to_matrix(q)), q, 1e-15)


@given(UNIT, st.floats(-3.1, 3.1))
def test_axis_and_angle(axis, angle):
    q = quat_from_axis_angle(axis, angle)
    np.testing.assert_allclose(quat_apply(q, axis), axis, atol=1e-14)
    np.testing.assert_allclose(quat_to_rotvec(q), axis * angle, atol=1e-12)
    np.testing.assert_allclose(quat_to_rotvec(-q), axis * angle, atol=1e-12)


def test_rotation_follows_the_right_hand():
    q = quat_from_axis_angle([0, 0, 1], np.pi / 2)
    np.testing.assert_allclose(quat_apply(q, [1, 0, 0]), [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(q, [0, 0, np.sqrt(0.5), np.sqrt(0.5)])


def test_small_rotation_vectors_keep_their_digits():
    for angle in (0.0, 1e-300, 1e-13, 1e-9, 1e-5):
        q = quat_from_axis_angle([0, 1, 0], angle)
        np.testing.assert_allclose(quat_to_rotvec(q), [0, angle, 0], rtol=1e-12)


@given(UNIT, UNIT)
def test_alignment_is_the_shortest_rotation(a, b):
    q = quat_align(a, b)
    np.testing.assert_allclose(quat_apply(q, a), b, atol=1e-7)
    angle = np.linalg.norm(quat_to_rotvec(q))
    expected = np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)
    assert angle == pytest.approx(expected, abs=1e-6)


def test_alignment_of_opposite_vectors():
    for axis in (*np.eye(3), np.array([0.6, 0.0, 0.8])):
        q = quat_align(axis, -axis)
        np.testing.assert_allclose(quat_apply(q, axis), -axis, atol=1e-15)


@given(QUAT)
def test_component_orders(q):
    np.testing.assert_array_equal(quat_to_wxyz(q), [q[3], q[0], q[1], q[2]])
    np.testing.assert_array_equal(quat_from_wxyz(quat_to_wxyz(q)), q)


def test_functions_broadcast():
    rng = np.random.default_rng(0)
    q, v = quat_normalize(rng.normal(size=(5, 1, 4))), rng.normal(size=(7, 3))
    many = quat_apply(q, v)
    assert many.shape == (5, 7, 3)
    np.testing.assert_allclose(many[2, 3], quat_apply(q[2, 0], v[3]))
    assert quat_to_matrix(q).shape == (5, 1, 3, 3)
    np.testing.assert_allclose(
        np.abs(np.sum(quat_from_matrix(quat_to_matrix(q)) * q, axis=-1)), 1.0
    )
    assert quat_to_rotvec(q).shape == (5, 1, 3)


def test_no_rotation_is_nan():
    assert np.isnan(quat_normalize(np.zeros(4))).all()
    with pytest.raises(ValueError):
        IDENTITY_QUAT[0] = 1.0


@given(POSE, POSE, POSE, VECTOR)
def test_poses_are_a_group(a, b, c, point):
    assert ((a @ b) @ c).almost_equal(a @ (b @ c), 1e-11, 1e-12)
    assert (a @ a.inverse()).almost_equal(Pose(), 1e-12, 1e-12)
    assert (a.inverse() @ a).almost_equal(Pose(), 1e-12, 1e-12)
    np.testing.assert_allclose((a @ b).apply(point), a.apply(b.apply(point)), atol=1e-11)
    assert (a @ Pose()).almost_equal(a) and a.almost_equal(a)


def test_pose_equality_sees_small_angles_and_both_signs():
    a = Pose(quat=quat_from_axis_angle([0, 0, 1], 1.0))
    b = Pose(quat=quat_from_axis_angle([0, 0, 1], 1.0 + 1e-8))
    assert not a.almost_equal(b, angle=0.9e-8)
    assert a.almost_equal(b, angle=1.1e-8)
    assert a.almost_equal(Pose(quat=-a.quat), angle=0.0)
    assert not Pose().almost_equal(Pose(np.array([0, 2e-9, 0])))


def test_default_poses_share_nothing():
    a, b = Pose(), Pose()
    a.pos[0] = 1.0
    assert b.pos[0] == 0.0


@given(QUAT, UNIT, st.floats(0.0, 3.1), st.floats(0.0, 1.0))
def test_slerp_turns_at_constant_speed_the_short_way(start, axis, angle, share):
    end = quat_multiply(quat_from_axis_angle(axis, angle), start)
    part = quat_multiply(quat_from_axis_angle(axis, share * angle), start)
    for target in (end, -end):
        assert same_rotation(quat_slerp(start, target, share), part, 1e-7)


@given(st.lists(st.tuples(QUAT, QUAT, VECTOR, VECTOR), min_size=1, max_size=4))
def test_one_is_as_many_to_the_bit(rows):
    """Single rotations are computed apart, as there are thousands of them."""
    a, b, v, w = (np.array(column) for column in zip(*rows, strict=True))
    for function, left, right in (
        (quat_multiply, a, b),
        (quat_apply, a, v),
        (cross, v, w),
    ):
        one = np.array([function(x, y) for x, y in zip(left, right, strict=True)])
        assert one.tobytes() == function(left, right).tobytes()
    one = np.array([quat_normalize(x) for x in 3.0 * a])
    assert one.tobytes() == quat_normalize(3.0 * a).tobytes()


def test_a_zero_quaternion_is_no_rotation():
    assert np.isnan(quat_normalize(np.zeros(4))).all()
