"""Euler angles of tensors: roll, pitch and yaw about fixed axes, and any order of turning axes."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from .rotations import matrix_from_quat, quat_from_angle_axis, quat_mul

__all__ = ["euler_xyz_from_quat", "matrix_from_euler", "quat_from_euler_xyz"]


def quat_from_euler_xyz(roll: Tensor, pitch: Tensor, yaw: Tensor) -> Tensor:
    """Rotations about the fixed axes x, then y, then z [rad]."""
    zero = torch.zeros_like(roll)
    roll, pitch, yaw = torch.broadcast_tensors(roll, pitch, yaw)
    x, y, z = (0.5 * angle for angle in (roll, pitch, yaw))
    about_x = torch.stack([x.sin(), zero, zero, x.cos()], dim=-1)
    about_y = torch.stack([zero, y.sin(), zero, y.cos()], dim=-1)
    about_z = torch.stack([zero, zero, z.sin(), z.cos()], dim=-1)
    return quat_mul(about_z, quat_mul(about_y, about_x))


def euler_xyz_from_quat(quat: Tensor, wrap_to_2pi: bool = False) -> tuple[Tensor, Tensor, Tensor]:
    """Roll, pitch and yaw [rad]; see `quat_from_euler_xyz`.

    Args:
        quat: unit quaternions, shape (..., 4).
        wrap_to_2pi: whether angles lie between 0 and 2 pi, rather than -pi and pi.
    """
    x, y, z, w = quat.unbind(-1)
    roll = torch.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = torch.asin((2.0 * (w * y - z * x)).clamp(-1.0, 1.0))
    yaw = torch.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    if wrap_to_2pi:
        turn = 2.0 * math.pi
        return roll % turn, pitch % turn, yaw % turn
    return roll, pitch, yaw


def matrix_from_euler(euler_angles: Tensor, convention: str) -> Tensor:
    """Rotation matrices of angles about the axes of the frame that turns, shape (..., 3, 3).

    Args:
        euler_angles: angles in the order of the axes [rad], shape (..., 3).
        convention: three axes such as ``XYZ``: about x first, then the new y, then the newer z.

    Raises:
        ValueError: the axes are not three of X, Y and Z, with different ones side by side.
    """
    letters = set(convention) <= set("XYZ") and len(convention) == 3
    if not letters or convention[1] in (convention[0], convention[2]):
        raise ValueError(
            f"convention is {convention!r}; allowed: three of X, Y and Z, such as 'XYZ', with no "
            "letter twice in a row"
        )
    if euler_angles.dim() == 0 or euler_angles.shape[-1] != 3:
        raise ValueError(f"Angles have the shape {tuple(euler_angles.shape)}; allowed: (..., 3)")
    axes = torch.eye(3, dtype=euler_angles.dtype, device=euler_angles.device)
    first, second, third = (
        quat_from_angle_axis(angle, axes["XYZ".index(letter)].expand(*angle.shape, 3))
        for letter, angle in zip(convention, euler_angles.unbind(-1), strict=True)
    )
    return matrix_from_quat(quat_mul(quat_mul(first, second), third))
