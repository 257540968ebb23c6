"""Interpolation of tensors: rotations along the shortest arc, and poses between two."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from .frames import make_pose, unmake_pose
from .rotations import axis_angle_from_quat, matrix_from_quat, quat_box_plus, quat_from_matrix

__all__ = ["interpolate_poses", "interpolate_rotations", "quat_slerp"]


def quat_slerp(q1: Tensor, q2: Tensor, tau: float) -> Tensor:
    """Rotations between two, at constant angular velocity along the shorter way.

    Args:
        q1: unit quaternions, shape (..., 4).
        q2: likewise.
        tau: 0 at `q1`, 1 at `q2`.
    """
    dot = (q1 * q2).sum(dim=-1, keepdim=True)
    q2 = torch.where(dot < 0.0, -q2, q2)
    angle = torch.acos(dot.abs().clamp(max=1.0))
    sine = angle.sin()
    near = sine < 1e-6
    sine = torch.where(near, torch.ones_like(sine), sine)
    start = torch.where(near, torch.full_like(sine, 1.0 - tau), ((1.0 - tau) * angle).sin() / sine)
    end = torch.where(near, torch.full_like(sine, tau), (tau * angle).sin() / sine)
    return start * q1 + end * q2


def interpolate_rotations(
    R1: Tensor,
    R2: Tensor,
    num_steps: int,
    axis_angle: bool = True,
) -> Tensor:
    """Rotation matrices from one to another in equal steps, both ends among them.

    Args:
        R1: where to begin, shape (3, 3).
        R2: where to end, shape (3, 3).
        num_steps: number of steps.
        axis_angle: whether to turn about one axis, or to interpolate quaternions: the same way.

    Returns:
        Shape (num_steps + 1, 3, 3).
    """
    first, last = quat_from_matrix(R1), quat_from_matrix(R2)
    if axis_angle:
        turn = axis_angle_from_quat(quat_from_matrix(R2 @ R1.transpose(-1, -2)))
        share = torch.arange(num_steps, dtype=R1.dtype, device=R1.device)[:, None] / num_steps
        quats = quat_box_plus(first.expand(num_steps, 4), share * turn)
    else:
        quats = torch.stack([quat_slerp(first, last, i / num_steps) for i in range(num_steps)])
    return torch.cat([matrix_from_quat(quats), R2[None]])


def interpolate_poses(
    pose_1: Tensor,
    pose_2: Tensor,
    num_steps: int | None = None,
    step_size: float | None = None,
    perturb: bool = False,
) -> tuple[Tensor, int]:
    """Poses on the straight way from one to another, both ends among them.

    Args:
        pose_1: where to begin, shape (4, 4).
        pose_2: where to end, shape (4, 4).
        num_steps: number of poses in between; None: as `step_size` says.
        step_size: largest distance of neighbours [m].
        perturb: whether positions in between move along the way by up to half a step, at random.

    Returns:
        The poses, shape (number in between + 2, 4, 4), and the number in between.

    Raises:
        ValueError: neither or both of `num_steps` and `step_size` are given.
    """
    if (num_steps is None) == (step_size is None):
        raise ValueError("Give either num_steps or step_size.")
    (begin, start), (end, stop) = unmake_pose(pose_1), unmake_pose(pose_2)
    if num_steps is None:
        num_steps = math.ceil(float((end - begin).norm()) / float(step_size or 1.0))
    count = num_steps + 1
    grid = torch.arange(count + 1, dtype=pose_1.dtype, device=pose_1.device)
    if perturb:
        grid[1:-1] += torch.rand(num_steps, dtype=grid.dtype, device=grid.device) - 0.5
    positions = begin + (grid / count)[:, None] * (end - begin)
    return make_pose(positions, interpolate_rotations(start, stop, count)), num_steps
