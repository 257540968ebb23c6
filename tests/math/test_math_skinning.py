"""Points moved by the bodies they are bound to."""

import numpy as np

from usdsim.math.deformable.skinning import skinned_points
from usdsim.math.rotations import quat_apply, quat_from_axis_angle

POINTS = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [9, 9, 9]])
TURN = quat_from_axis_angle(np.array([0.0, 0.0, 1.0]), 0.5 * np.pi)
STILL = np.array([0.0, 0.0, 0.0, 1.0])


def poses(*rows):
    return np.array([[*pos, *quat] for pos, quat in rows], dtype=np.float64)


def test_points_follow_their_bones_and_blend_between_them():
    bind = poses(((0, 0, 0), STILL), ((1, 0, 0), STILL))
    now = poses(((0, 0, 5), STILL), ((1, 0, 0), TURN))
    found = skinned_points(POINTS, bind, now, [2, 2], [0, 1, 1, 2], [2.0, 1.0, 1.0, 0.5])
    np.testing.assert_allclose(found[0], [0, 0, 5])
    np.testing.assert_allclose(found[1], [1, 0, 2.5])
    np.testing.assert_allclose(found[2], [1, 1, 0], atol=1e-12)
    np.testing.assert_allclose(found[3], POINTS[3])


def test_the_pose_of_binding_is_undone_first():
    bind = poses(((1, 2, 3), TURN))
    np.testing.assert_allclose(skinned_points(POINTS, bind, bind, [4], range(4), [1] * 4), POINTS)
    now = poses(((1, 2, 3), STILL))
    back = quat_apply(TURN * [-1, -1, -1, 1], POINTS - [1, 2, 3]) + np.array([1, 2, 3])
    found = skinned_points(POINTS, bind, now, [4], range(4), np.ones(4))
    np.testing.assert_allclose(found, back, atol=1e-12)
