"""Rigid transforms: position and orientation in float64, as a value or as rows of seven numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .rotations import (
    IDENTITY_QUAT,
    quat_apply,
    quat_conjugate,
    quat_from_wxyz,
    quat_multiply,
    quat_normalize,
)

__all__ = ["IDENTITY_POSE", "Pose", "compose_poses", "invert_poses", "pose_rows"]

IDENTITY_POSE = np.array([0.0, 0.0, 0.0, *IDENTITY_QUAT])
"""Pose of a frame in itself, as a row: position and orientation xyzw, shape (7,)."""
IDENTITY_POSE.setflags(write=False)


def _vector() -> NDArray[np.float64]:
    return np.zeros(3)


def _identity() -> NDArray[np.float64]:
    return np.array(IDENTITY_QUAT)


@dataclass(frozen=True, eq=False, slots=True)
class Pose:
    """A rigid transform: `pose_ab` takes coordinates in frame b to frame a."""

    pos: NDArray[np.float64] = field(default_factory=_vector)
    """Position [m], shape (3,)."""
    quat: NDArray[np.float64] = field(default_factory=_identity)
    """Orientation, xyzw unit quaternion, shape (4,)."""

    @property
    def row(self) -> NDArray[np.float64]:
        """Position [m] and orientation xyzw in a row, shape (7,)."""
        return np.concatenate([self.pos, self.quat])

    def __matmul__(self, other: Pose) -> Pose:
        """Composition: ``pose_ac = pose_ab @ pose_bc``."""
        return Pose(
            self.pos + quat_apply(self.quat, other.pos),
            quat_normalize(quat_multiply(self.quat, other.quat)),
        )

    def inverse(self) -> Pose:
        """The transform from frame a to frame b."""
        quat = quat_conjugate(self.quat)
        return Pose(-quat_apply(quat, self.pos), quat)

    def apply(self, point: ArrayLike) -> NDArray[np.float64]:
        """Transform points [m], shape (..., 3)."""
        return self.pos + quat_apply(self.quat, point)

    def almost_equal(self, other: Pose, pos: float = 1e-9, angle: float = 1e-9) -> bool:
        """Whether positions agree to `pos` [m] and orientations to `angle` [rad]."""
        if self.pos.tolist() == other.pos.tolist() and self.quat.tolist() == other.quat.tolist():
            return True
        # The arc cosine of the dot product cannot tell angles below 1e-8 from zero; a chord can.
        sign = 1.0 if float(self.quat @ other.quat) >= 0.0 else -1.0
        chord = float(np.linalg.norm(self.quat - sign * other.quat))
        turned = 4.0 * np.arcsin(min(0.5 * chord, 1.0))
        return bool(np.abs(self.pos - other.pos).max() <= pos and turned <= angle)


def compose_poses(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Composition of poses in rows, as `Pose` has it: those of c in a from b in a and c in b.

    Args:
        a: positions and orientations xyzw, shape (..., 7).
        b: what can be broadcast with them.

    Returns:
        Shape (..., 7).
    """
    pos = a[..., :3] + quat_apply(a[..., 3:], b[..., :3])
    quat = quat_normalize(quat_multiply(a[..., 3:], b[..., 3:]))
    return np.concatenate([pos, quat], axis=-1)


def pose_rows(pos: ArrayLike, wxyz: ArrayLike) -> NDArray[np.float64]:
    """Poses in rows of positions and quaternions wxyz, as MuJoCo keeps them, shape (..., 7)."""
    return np.concatenate([pos, quat_from_wxyz(wxyz)], axis=-1)


def invert_poses(poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inverse of poses in rows, shape (..., 7)."""
    quat = quat_conjugate(poses[..., 3:])
    return np.concatenate([-quat_apply(quat, poses[..., :3]), quat], axis=-1)
