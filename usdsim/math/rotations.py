"""Rotations and rigid transforms in float64 NumPy; quaternions are xyzw and unit.

All functions broadcast over leading dimensions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "IDENTITY_QUAT",
    "UNIT_LENGTH",
    "UNIT_TOLERANCE",
    "cross",
    "quat_align",
    "quat_along",
    "quat_apply",
    "quat_conjugate",
    "quat_from_axis_angle",
    "quat_from_euler",
    "quat_from_matrix",
    "quat_from_wxyz",
    "quat_multiply",
    "quat_normalize",
    "quat_slerp",
    "quat_to_euler",
    "quat_to_matrix",
    "quat_to_rotvec",
    "quat_to_wxyz",
]

IDENTITY_QUAT = np.array([0.0, 0.0, 0.0, 1.0])
IDENTITY_QUAT.setflags(write=False)
UNIT_LENGTH = 1e-14
"""Distance from 1 within which a length is one: scaling stirs the last digits of products alone."""
UNIT_TOLERANCE = 1e-3
"""Distance from 1 up to which what is given as a unit vector or quaternion is one: those stored as
float32 miss it by 1e-7, typing errors by far more."""


def quat_from_wxyz(quat: ArrayLike) -> NDArray[np.float64]:
    """Reorder wxyz (USD's `GfQuat`, MuJoCo) to xyzw, shape (..., 4)."""
    return np.take(np.asarray(quat, dtype=np.float64), (1, 2, 3, 0), axis=-1)


def quat_to_wxyz(quat: ArrayLike) -> NDArray[np.float64]:
    """Reorder xyzw to wxyz, shape (..., 4)."""
    return np.take(np.asarray(quat, dtype=np.float64), (3, 0, 1, 2), axis=-1)


def quat_normalize(quat: ArrayLike) -> NDArray[np.float64]:
    """Scale to unit length; a zero quaternion gives NaN, which callers report by name."""
    quat = np.asarray(quat, dtype=np.float64)
    if quat.ndim == 1:
        x, y, z, w = quat.tolist()
        # In the order of NumPy: from Python 3.12 on, `sum` rounds otherwise.
        length = math.sqrt(x * x + y * y + z * z + w * w)
        if length:
            return np.array([x / length, y / length, z / length, w / length])
    with np.errstate(invalid="ignore", divide="ignore"):
        return quat / np.linalg.norm(quat, axis=-1, keepdims=True)


def quat_conjugate(quat: ArrayLike) -> NDArray[np.float64]:
    """Inverse of a unit quaternion, shape (..., 4)."""
    return np.asarray(quat, dtype=np.float64) * np.array([-1.0, -1.0, -1.0, 1.0])


def cross(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    """Cross product, shape (..., 3); NumPy's own takes four times as long."""
    if a.ndim == b.ndim == 1 and a.dtype == b.dtype == np.float64:
        (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
        return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
    (ax, ay, az), (bx, by, bz) = ((v[..., 0], v[..., 1], v[..., 2]) for v in (a, b))
    out = np.empty(np.broadcast(a, b).shape)
    out[..., 0] = ay * bz - az * by
    out[..., 1] = az * bx - ax * bz
    out[..., 2] = ax * by - ay * bx
    return out


def quat_multiply(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Hamilton product: the rotation `b` followed by `a`, shape (..., 4)."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.ndim == b.ndim == 1:
        return np.array(_multiply(a.tolist(), b.tolist()))
    av, aw, bv, bw = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    vector = aw * bv + bw * av + cross(av, bv)
    scalar = aw * bw - np.sum(av * bv, axis=-1, keepdims=True)
    return np.concatenate([vector, scalar], axis=-1)


def quat_apply(quat: ArrayLike, vec: ArrayLike) -> NDArray[np.float64]:
    """Rotate vectors, shape (..., 3)."""
    quat, vec = np.asarray(quat, dtype=np.float64), np.asarray(vec, dtype=np.float64)
    if quat.ndim == vec.ndim == 1:
        return np.array(_apply(quat.tolist(), vec.tolist()))
    xyz, w = quat[..., :3], quat[..., 3:]
    twice = 2.0 * cross(xyz, vec)
    return vec + w * twice + cross(xyz, twice)


def _multiply(a: list[float], b: list[float]) -> list[float]:
    """`quat_multiply` of one pair in plain floats, to the same digit: it is done for every prim."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [
        aw * bx + bw * ax + (ay * bz - az * by),
        aw * by + bw * ay + (az * bx - ax * bz),
        aw * bz + bw * az + (ax * by - ay * bx),
        # NumPy's sum begins with 0, which tells apart the signs of zero.
        aw * bw - (0.0 + ax * bx + ay * by + az * bz),
    ]


def _apply(quat: list[float], vec: list[float]) -> list[float]:
    """`quat_apply` of one vector in plain floats, to the same digit."""
    x, y, z, w = quat
    vx, vy, vz = vec
    tx, ty, tz = 2.0 * (y * vz - z * vy), 2.0 * (z * vx - x * vz), 2.0 * (x * vy - y * vx)
    return [
        vx + w * tx + (y * tz - z * ty),
        vy + w * ty + (z * tx - x * tz),
        vz + w * tz + (x * ty - y * tx),
    ]


def quat_from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> NDArray[np.float64]:
    """Rotation by `angle` [rad] about the unit vector `axis`, shape (..., 4)."""
    half = 0.5 * np.asarray(angle, dtype=np.float64)[..., None]
    return np.concatenate([np.sin(half) * np.asarray(axis, np.float64), np.cos(half)], axis=-1)


def quat_from_euler(angles: ArrayLike) -> NDArray[np.float64]:
    """Rotations about x, then the turned y, then the turned z; angles [rad], shape (..., 3)."""
    angles = np.asarray(angles, dtype=np.float64)
    x, y, z = (quat_from_axis_angle(np.eye(3)[i], angles[..., i]) for i in range(3))
    return quat_multiply(quat_multiply(x, y), z)


def quat_to_euler(quat: ArrayLike) -> NDArray[np.float64]:
    """Angles about x, then the turned y, then the turned z [rad], shape (..., 3)."""
    x, y, z, w = np.moveaxis(np.asarray(quat, dtype=np.float64), -1, 0)
    return np.stack(
        [
            np.arctan2(2 * (x * w - y * z), 1 - 2 * (x * x + y * y)),
            np.arcsin(np.clip(2 * (x * z + y * w), -1.0, 1.0)),
            np.arctan2(2 * (z * w - x * y), 1 - 2 * (y * y + z * z)),
        ],
        axis=-1,
    )


def quat_to_rotvec(quat: ArrayLike) -> NDArray[np.float64]:
    """Rotation vector (axis times angle in [0, pi]) [rad], shape (..., 3)."""
    quat = np.asarray(quat, dtype=np.float64)
    quat = np.where(quat[..., 3:] < 0.0, -quat, quat)
    sine = np.linalg.norm(quat[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, quat[..., 3:])
    # The limit of angle / sin(angle / 2) is 2 at zero rotation.
    return quat[..., :3] * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-12), 2.0)


def quat_slerp(a: ArrayLike, b: ArrayLike, share: ArrayLike) -> NDArray[np.float64]:
    """Rotations a share of the short way from one to another, at constant speed, shape (..., 4)."""
    a = np.asarray(a, dtype=np.float64)
    turn = quat_to_rotvec(quat_multiply(b, quat_conjugate(a)))
    angle = np.linalg.norm(turn, axis=-1)
    axis = turn / np.maximum(angle, 1e-300)[..., None]
    return quat_multiply(quat_from_axis_angle(axis, np.asarray(share) * angle), a)


def quat_to_matrix(quat: ArrayLike) -> NDArray[np.float64]:
    """Rotation matrix acting on column vectors, shape (..., 3, 3)."""
    quat = np.asarray(quat, dtype=np.float64)
    x, y, z, w = (quat[..., i] for i in range(4))
    out = np.empty((*quat.shape[:-1], 3, 3))
    out[..., 0, 0] = 1 - 2 * (y * y + z * z)
    out[..., 0, 1] = 2 * (x * y - z * w)
    out[..., 0, 2] = 2 * (x * z + y * w)
    out[..., 1, 0] = 2 * (x * y + z * w)
    out[..., 1, 1] = 1 - 2 * (x * x + z * z)
    out[..., 1, 2] = 2 * (y * z - x * w)
    out[..., 2, 0] = 2 * (x * z - y * w)
    out[..., 2, 1] = 2 * (y * z + x * w)
    out[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return out


def quat_from_matrix(matrix: ArrayLike) -> NDArray[np.float64]:
    """Quaternion of a rotation matrix, shape (..., 4), with w >= 0.

    Shepperd's method: the largest of the four squared components is taken first, so no rotation
    loses digits.
    """
    m = np.asarray(matrix, dtype=np.float64)
    d = np.diagonal(m, axis1=-2, axis2=-1)
    trace = d.sum(axis=-1)
    squares = np.stack(
        [
            1 + 2 * d[..., 0] - trace,
            1 + 2 * d[..., 1] - trace,
            1 + 2 * d[..., 2] - trace,
            1 + trace,
        ],
        axis=-1,
    )
    outer = np.empty((*m.shape[:-2], 4, 4))
    for i in range(4):
        outer[..., i, i] = squares[..., i]
    pairs = ((0, 1), (0, 2), (1, 2))
    for i, j in pairs:
        outer[..., i, j] = outer[..., j, i] = m[..., i, j] + m[..., j, i]
    for i, (r, c) in enumerate([(2, 1), (0, 2), (1, 0)]):
        outer[..., i, 3] = outer[..., 3, i] = m[..., r, c] - m[..., c, r]
    best = np.argmax(squares, axis=-1)
    quat = quat_normalize(np.take_along_axis(outer, best[..., None, None], axis=-2)[..., 0, :])
    return np.where(quat[..., 3:] < 0.0, -quat, quat)


def quat_align(source: ArrayLike, target: ArrayLike) -> NDArray[np.float64]:
    """Shortest rotation that takes the unit vector `source` to `target`, shape (4,)."""
    source, target = np.asarray(source, np.float64), np.asarray(target, np.float64)
    dot = float(source @ target)
    if dot < -1.0 + 1e-14:
        other = np.eye(3)[np.argmin(np.abs(source))]
        axis = cross(source, other)
        return np.append(axis / np.linalg.norm(axis), 0.0)
    return quat_normalize(np.append(cross(source, target), 1.0 + dot))


def quat_along(vectors: ArrayLike) -> NDArray[np.float64]:
    """Rotations that take +z to the directions of vectors, (n, 3) to (n, 4); 0 stands for +z."""
    vectors = np.asarray(vectors, dtype=np.float64)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    z = np.where(length > 0.0, vectors / np.maximum(length, 1e-300), (0.0, 0.0, 1.0))
    other = np.where(np.abs(z[:, :1]) < 0.9, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    x = np.cross(other, z)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return quat_from_matrix(np.stack([x, np.cross(z, x), z], axis=-1))
