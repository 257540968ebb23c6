"""Points moved by the bodies they are bound to."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.math.rotations import quat_apply, quat_conjugate, quat_multiply

__all__ = ["skinned_points"]

Array = NDArray[np.float64]


def skinned_points(
    points: ArrayLike,
    bind_poses: Array,
    poses: Array,
    counts: ArrayLike,
    vertices: ArrayLike,
    weights: ArrayLike,
) -> Array:
    """Positions of the points of a skin when its bones have moved.

    Args:
        points: of the skin where it is bound [m], shape (n, 3).
        bind_poses: of the bones where it is bound [m, xyzw], shape (bones, 7).
        poses: of the bones now [m, xyzw], shape (bones, 7).
        counts: how many points each bone moves, shape (bones,).
        vertices: which they are, bone after bone, shape (sum of `counts`,).
        weights: how much, same shape; those of one point need not sum to 1.

    Returns:
        [m], shape (n, 3).
    """
    rest = np.asarray(points, dtype=np.float64)
    ids, share = np.asarray(vertices, np.int64), np.asarray(weights, np.float64)
    bone = np.repeat(np.arange(len(poses)), np.asarray(counts, np.int64))
    turn = quat_multiply(poses[:, 3:], quat_conjugate(bind_poses[:, 3:]))
    shift = poses[:, :3] - quat_apply(turn, bind_poses[:, :3])
    moved = quat_apply(turn[bone], rest[ids]) + shift[bone]
    total = np.bincount(ids, share, len(rest))
    result = np.array(rest)
    held = total > 0.0
    for i in range(3):
        summed = np.bincount(ids, share * moved[:, i], len(rest))
        result[held, i] = summed[held] / total[held]
    return result
