"""Shells of height fields: closed by a floor, they enclose what lies below the heights."""

import numpy as np
import trimesh

from usdsim.math.meshes.height_fields import height_field_shell


def test_a_shell_with_a_floor_encloses_what_is_below_the_heights():
    heights = np.random.default_rng(0).uniform(0.0, 1.0, (4, 6))
    points, faces = height_field_shell(heights, (2.5, 1.5), 0.25)
    foot = np.arange(heights.size, len(points))
    floor = np.stack([np.full(len(foot) - 2, foot[0]), foot[2:], foot[1:-1]], axis=1)
    closed = trimesh.Trimesh(points, np.concatenate([faces, floor]), process=False)
    # Cells are 1 m wide, so a triangle of a cell has half the mean of its corners below it.
    a, b, c, d = heights[:-1, :-1], heights[:-1, 1:], heights[1:, 1:], heights[1:, :-1]
    below = ((a + b + c) / 6.0 + (a + c + d) / 6.0).sum()
    assert closed.is_watertight
    np.testing.assert_allclose(closed.volume, below + 0.25 * 15.0)


def test_feet_of_walls_are_under_the_rim():
    points, faces = height_field_shell(np.ones((2, 3)), (1.0, 1.0), 0.5)
    np.testing.assert_array_equal(points[6:, :2], points[[0, 1, 2, 5, 4, 3], :2])
    np.testing.assert_array_equal(points[6:, 2], -0.5)
    assert len(faces) == 2 * 2 + 2 * 6
