"""Rotations and transforms in torch that TorchScript compiles; quaternions are xyzw.

They have the names and the order of arguments of ``isaacsim.core.utils.torch``, which calls some by
several names.
"""

from __future__ import annotations

import math

import torch

from usdsim.math.tensors.rotations import (
    quat_apply,
    quat_conjugate,
    quat_from_angle_axis,
    quat_from_euler_xyz,
    quat_mul,
    quat_rotate,
    quat_rotate_inverse,
)
from usdsim.math.tensors.scalars import normalize, saturate, scale_transform, unscale_transform

__all__ = [
    "compute_heading_and_up",
    "compute_rot",
    "copysign",
    "get_basis_vector",
    "get_euler_xyz",
    "normalize",
    "normalize_angle",
    "quat_apply",
    "quat_conjugate",
    "quat_diff_rad",
    "quat_from_angle_axis",
    "quat_from_euler_xyz",
    "quat_mul",
    "quat_rotate",
    "quat_rotate_inverse",
    "quat_unit",
    "scale",
    "scale_transform",
    "tensor_clamp",
    "tf_apply",
    "tf_combine",
    "tf_inverse",
    "tf_vector",
    "torch_rand_float",
    "unscale",
    "unscale_transform",
]

quat_unit = normalize
tensor_clamp = saturate
scale, unscale = unscale_transform, scale_transform
get_basis_vector = tf_vector = quat_apply


def normalize_angle(x: torch.Tensor) -> torch.Tensor:
    """Angles between -pi and pi [rad]."""
    return torch.atan2(torch.sin(x), torch.cos(x))


def copysign(a: float, b: torch.Tensor) -> torch.Tensor:
    """A number with the signs of others."""
    return torch.abs(torch.full_like(b, a)) * torch.sign(b)


def torch_rand_float(
    lower: float, upper: float, shape: tuple[int, int], device: str
) -> torch.Tensor:
    """Random numbers of a range, in a shape."""
    return lower + (upper - lower) * torch.rand(shape[0], shape[1], device=device)


def quat_diff_rad(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Angles between rotations [rad], shape (...)."""
    sine = quat_mul(a, quat_conjugate(b))[..., :3].norm(p=2, dim=-1)
    return 2.0 * torch.asin(sine.clamp(max=1.0))


def get_euler_xyz(q: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Angles about fixed x, y and z of rotations, from 0 to 2 pi [rad], shape (...) each."""
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    roll = torch.atan2(2.0 * (w * x + y * z), w * w - x * x - y * y + z * z)
    pitch = torch.asin((2.0 * (w * y - z * x)).clamp(-1.0, 1.0))
    yaw = torch.atan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z)
    turn = 2.0 * math.pi
    return roll % turn, pitch % turn, yaw % turn


def tf_inverse(q: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Rotations and translations of inverse transforms."""
    inverse = quat_conjugate(q)
    return inverse, -quat_apply(inverse, t)


def tf_apply(q: torch.Tensor, t: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Points under transforms, shape (..., 3)."""
    return quat_apply(q, v) + t


def tf_combine(
    q1: torch.Tensor, t1: torch.Tensor, q2: torch.Tensor, t2: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Rotations and translations of second transforms in the frames of first ones."""
    return quat_mul(q1, q2), quat_apply(q1, t2) + t1


def compute_heading_and_up(
    torso_rotation: torch.Tensor,
    inv_start_rot: torch.Tensor,
    to_target: torch.Tensor,
    vec0: torch.Tensor,
    vec1: torch.Tensor,
    up_idx: int,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Directions of torsos: how upright they are, and how much they face targets.

    Args:
        torso_rotation: rotations, shape (n, 4).
        inv_start_rot: inverse rotation at the start, shape (n, 4).
        to_target: ways to the targets [m], shape (n, 3).
        vec0: direction ahead at the start, shape (n, 3).
        vec1: direction up at the start, shape (n, 3).
        up_idx: axis of the world that is up.

    Returns:
        Rotations since the start; component of up along the axis; cosine between ahead and the
        way; up; ahead.
    """
    torso_quat = quat_mul(torso_rotation, inv_start_rot)
    heading, up = quat_apply(torso_quat, vec0), quat_apply(torso_quat, vec1)
    facing = (heading * normalize(to_target)).sum(dim=-1)
    return torso_quat, up[:, up_idx], facing, up, heading


def compute_rot(
    torso_quat: torch.Tensor,
    velocity: torch.Tensor,
    ang_velocity: torch.Tensor,
    targets: torch.Tensor,
    torso_positions: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Velocities in the frames of torsos, their angles, and the angles to targets [rad].

    Args:
        torso_quat: rotations, shape (n, 4).
        velocity: linear ones in world [m/s], shape (n, 3).
        ang_velocity: angular ones in world [rad/s], shape (n, 3).
        targets: positions in world [m], shape (n, 3).
        torso_positions: likewise.
    """
    linear, angular = (
        quat_rotate_inverse(torso_quat, velocity),
        quat_rotate_inverse(torso_quat, ang_velocity),
    )
    roll, pitch, yaw = get_euler_xyz(torso_quat)
    way = targets - torso_positions
    return linear, angular, roll, pitch, yaw, torch.atan2(way[:, 1], way[:, 0]) - yaw
