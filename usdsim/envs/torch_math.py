"""Rotations, transforms and samples in torch, with Isaac Lab's names; quaternions are xyzw."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

__all__ = [
    "axis_angle_from_quat",
    "combine_frame_transforms",
    "compute_pose_error",
    "convert_quat",
    "copysign",
    "euler_xyz_from_quat",
    "matrix_from_quat",
    "normalize",
    "quat_apply",
    "quat_apply_inverse",
    "quat_apply_yaw",
    "quat_box_minus",
    "quat_conjugate",
    "quat_error_magnitude",
    "quat_from_angle_axis",
    "quat_from_euler_xyz",
    "quat_inv",
    "quat_mul",
    "quat_rotate",
    "quat_rotate_inverse",
    "quat_unique",
    "random_orientation",
    "random_yaw_orientation",
    "sample_cylinder",
    "sample_gaussian",
    "sample_log_uniform",
    "sample_uniform",
    "saturate",
    "scale_transform",
    "skew_symmetric_matrix",
    "subtract_frame_transforms",
    "transform_points",
    "unscale_transform",
    "wrap_to_pi",
    "yaw_quat",
]


def scale_transform(x: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """From the interval (lower, upper) to (-1, 1)."""
    return (2.0 * x - lower - upper) / (upper - lower)


def unscale_transform(x: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """From the interval (-1, 1) to (lower, upper)."""
    return 0.5 * (x * (upper - lower) + lower + upper)


def saturate(x: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """Values within limits."""
    return torch.maximum(torch.minimum(x, upper), lower)


def normalize(x: Tensor, eps: float = 1e-9) -> Tensor:
    """Vectors of length 1, shape (..., n)."""
    return x / x.norm(dim=-1, keepdim=True).clamp(min=eps)


def wrap_to_pi(angles: Tensor) -> Tensor:
    """Angles within -pi and pi [rad]; odd multiples of pi keep their sign."""
    wrapped = torch.remainder(angles + math.pi, 2.0 * math.pi) - math.pi
    return torch.where((wrapped == -math.pi) & (angles > 0.0), -wrapped, wrapped)


def copysign(mag: float, other: Tensor) -> Tensor:
    """A magnitude with the signs of other values."""
    return torch.copysign(torch.full_like(other, abs(mag)), other)


def skew_symmetric_matrix(vec: Tensor) -> Tensor:
    """Matrices of the cross products with vectors, shape (..., 3) to (..., 3, 3)."""
    x, y, z = vec.unbind(-1)
    zero = torch.zeros_like(x)
    rows = torch.stack([zero, -z, y, z, zero, -x, -y, x, zero], dim=-1)
    return rows.reshape(*vec.shape[:-1], 3, 3)


def convert_quat(quat: Tensor, to: str = "xyzw") -> Tensor:
    """Quaternions in the other order: ``to`` is ``xyzw`` or ``wxyz``.

    Raises:
        ValueError: the order is another.
    """
    if to not in ("xyzw", "wxyz"):
        raise ValueError(f"to is {to!r}; allowed: 'xyzw', 'wxyz'")
    return torch.roll(quat, -1 if to == "xyzw" else 1, dims=-1)


def quat_unique(q: Tensor) -> Tensor:
    """The one of q and -q with a real part that is not negative."""
    return torch.where(q[..., 3:] < 0.0, -q, q)


def quat_conjugate(q: Tensor) -> Tensor:
    """Conjugate quaternions."""
    return torch.cat([-q[..., :3], q[..., 3:]], dim=-1)


def quat_inv(q: Tensor, eps: float = 1e-9) -> Tensor:
    """Inverse quaternions."""
    return quat_conjugate(q) / q.pow(2).sum(dim=-1, keepdim=True).clamp(min=eps)


def quat_mul(q1: Tensor, q2: Tensor) -> Tensor:
    """Hamilton products: the rotation q2, then q1."""
    a, b, v, w = q1[..., 3:], q2[..., 3:], q1[..., :3], q2[..., :3]
    v, w = torch.broadcast_tensors(v, w)
    vector = a * w + b * v + torch.linalg.cross(v, w)
    return torch.cat([vector, a * b - (v * w).sum(dim=-1, keepdim=True)], dim=-1)


def quat_apply(quat: Tensor, vec: Tensor) -> Tensor:
    """Rotated vectors."""
    axis, vec = torch.broadcast_tensors(quat[..., :3], vec)
    twice = 2.0 * torch.linalg.cross(axis, vec)
    return vec + quat[..., 3:] * twice + torch.linalg.cross(axis, twice)


def quat_apply_inverse(quat: Tensor, vec: Tensor) -> Tensor:
    """Vectors rotated by the inverse."""
    return quat_apply(quat_conjugate(quat), vec)


quat_rotate = quat_apply
quat_rotate_inverse = quat_apply_inverse


def yaw_quat(quat: Tensor) -> Tensor:
    """The part of rotations that turns about z, where roll and pitch come first."""
    x, y, z, w = quat.unbind(-1)
    half = 0.5 * torch.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    zero = torch.zeros_like(half)
    return torch.stack([zero, zero, half.sin(), half.cos()], dim=-1)


def quat_apply_yaw(quat: Tensor, vec: Tensor) -> Tensor:
    """Vectors rotated by the yaw of rotations."""
    return quat_apply(yaw_quat(quat), vec)


def quat_from_angle_axis(angle: Tensor, axis: Tensor) -> Tensor:
    """Rotations by angles [rad] about axes of any length, shapes (...) and (..., 3)."""
    half = 0.5 * angle[..., None]
    return normalize(torch.cat([normalize(axis) * half.sin(), half.cos()], dim=-1))


def axis_angle_from_quat(quat: Tensor, eps: float = 1e-6) -> Tensor:
    """Rotation vectors [rad], the shorter way, shape (..., 3)."""
    quat = quat_unique(quat)
    length = quat[..., :3].norm(dim=-1, keepdim=True)
    angle = 2.0 * torch.atan2(length, quat[..., 3:])
    factor = torch.where(length > eps, angle / length.clamp(min=eps), torch.full_like(angle, 2.0))
    return quat[..., :3] * factor


def quat_from_euler_xyz(roll: Tensor, pitch: Tensor, yaw: Tensor) -> Tensor:
    """Rotations about the fixed axes x, then y, then z [rad]."""
    zero = torch.zeros_like(roll)
    x, y, z = (0.5 * angle for angle in (roll, pitch, yaw))
    about_x = torch.stack([x.sin(), zero, zero, x.cos()], dim=-1)
    about_y = torch.stack([zero, y.sin(), zero, y.cos()], dim=-1)
    about_z = torch.stack([zero, zero, z.sin(), z.cos()], dim=-1)
    return quat_mul(about_z, quat_mul(about_y, about_x))


def euler_xyz_from_quat(quat: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Roll, pitch and yaw within -pi and pi [rad]; see `quat_from_euler_xyz`."""
    x, y, z, w = quat.unbind(-1)
    roll = torch.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = torch.asin((2.0 * (w * y - z * x)).clamp(-1.0, 1.0))
    yaw = torch.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return roll, pitch, yaw


def matrix_from_quat(quat: Tensor) -> Tensor:
    """Rotation matrices, shape (..., 3, 3)."""
    columns = torch.eye(3, dtype=quat.dtype, device=quat.device)
    return quat_apply(quat[..., None, :], columns).transpose(-1, -2)


def quat_box_minus(q1: Tensor, q2: Tensor) -> Tensor:
    """Rotation vectors from q2 to q1 in the common frame [rad]."""
    return axis_angle_from_quat(quat_mul(q1, quat_conjugate(q2)))


def quat_error_magnitude(q1: Tensor, q2: Tensor) -> Tensor:
    """Angles between rotations [rad]."""
    return quat_box_minus(q1, q2).norm(dim=-1)


def combine_frame_transforms(
    t01: Tensor, q01: Tensor, t12: Tensor | None = None, q12: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Poses of frames 2 in frames 0, from those of 1 in 0 and 2 in 1 [m]; None: identity."""
    position = t01 if t12 is None else t01 + quat_apply(q01, t12)
    return position, q01 if q12 is None else quat_mul(q01, q12)


def subtract_frame_transforms(
    t01: Tensor, q01: Tensor, t02: Tensor | None = None, q02: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Poses of frames 2 in frames 1, from those of both in frames 0 [m]; None: identity."""
    back = quat_inv(q01)
    position = quat_apply(back, (torch.zeros_like(t01) if t02 is None else t02) - t01)
    return position, back if q02 is None else quat_mul(back, q02)


def compute_pose_error(
    t01: Tensor, q01: Tensor, t02: Tensor, q02: Tensor, rot_error_type: str = "axis_angle"
) -> tuple[Tensor, Tensor]:
    """What leads from poses 1 to poses 2: shifts [m], and rotation vectors [rad] or quaternions.

    Raises:
        ValueError: `rot_error_type` is neither ``axis_angle`` nor ``quat``.
    """
    if rot_error_type not in ("axis_angle", "quat"):
        raise ValueError(f"rot_error_type is {rot_error_type!r}; allowed: 'axis_angle', 'quat'")
    turn = quat_mul(q02, quat_inv(q01))
    return t02 - t01, axis_angle_from_quat(turn) if rot_error_type == "axis_angle" else turn


def transform_points(
    points: Tensor, pos: Tensor | None = None, quat: Tensor | None = None
) -> Tensor:
    """Points in the frame in which their own frame has a pose.

    Args:
        points: shape (p, 3) or (n, p, 3) [m].
        pos: shape (3,) or (n, 3) [m]; None: zero.
        quat: shape (4,) or (n, 4); None: identity.
    """
    turned = points if quat is None else quat_apply(quat[..., None, :], points)
    return turned if pos is None else turned + pos[..., None, :]


def random_orientation(num: int, device: Any) -> Tensor:
    """Rotations that are uniformly distributed, shape (num, 4)."""
    return normalize(torch.randn((num, 4), device=device))


def random_yaw_orientation(num: int, device: Any) -> Tensor:
    """Rotations about z by uniformly distributed angles, shape (num, 4)."""
    half = 0.5 * sample_uniform(-math.pi, math.pi, (num,), device)
    zero = torch.zeros_like(half)
    return torch.stack([zero, zero, half.sin(), half.cos()], dim=-1)


def sample_uniform(
    lower: Tensor | float, upper: Tensor | float, size: int | tuple[int, ...], device: Any
) -> Tensor:
    """Numbers that are uniformly distributed within limits."""
    shape = (size,) if isinstance(size, int) else tuple(size)
    return torch.rand(shape, device=device) * (upper - lower) + lower


def sample_log_uniform(
    lower: Tensor | float, upper: Tensor | float, size: int | tuple[int, ...], device: Any
) -> Tensor:
    """Numbers whose logarithms are uniformly distributed within positive limits."""
    low, high = (torch.as_tensor(v, dtype=torch.float32).log().to(device) for v in (lower, upper))
    return sample_uniform(low, high, size, device).exp()


def sample_gaussian(
    mean: Tensor | float, std: Tensor | float, size: int | tuple[int, ...], device: Any
) -> Tensor:
    """Numbers that are normally distributed."""
    shape = (size,) if isinstance(size, int) else tuple(size)
    return torch.randn(shape, device=device) * std + mean


def sample_cylinder(
    radius: float, h_range: tuple[float, float], size: int | tuple[int, ...], device: Any
) -> Tensor:
    """Points on the side of an upright cylinder about z, shape (*size, 3) [m].

    Args:
        radius: radius of the cylinder [m].
        h_range: lowest and highest z [m].
        size: number of points, or shape.
        device: where the tensor lives.
    """
    angle = sample_uniform(-math.pi, math.pi, size, device)
    height = sample_uniform(*h_range, size, device)
    return torch.stack([radius * angle.cos(), radius * angle.sin(), height], dim=-1)
