"""Homogeneous matrices of tensors: poses of shape (4, 4), made, split, inverted and chained."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = [
    "make_pose",
    "pose_in_A_to_pose_in_B",
    "pose_inv",
    "transform_poses_from_frame_A_to_frame_B",
    "unmake_pose",
]


def make_pose(pos: Tensor, rot: Tensor) -> Tensor:
    """Poses, shape (..., 4, 4), of positions [m] and rotation matrices."""
    upper = torch.cat([rot, pos[..., None]], dim=-1)
    last = torch.eye(4, dtype=pos.dtype, device=pos.device)[3:].expand(*upper.shape[:-2], 1, 4)
    return torch.cat([upper, last], dim=-2)


def unmake_pose(pose: Tensor) -> tuple[Tensor, Tensor]:
    """Positions [m] and rotation matrices of poses, which are views of them."""
    return pose[..., :3, 3], pose[..., :3, :3]


def pose_inv(pose: Tensor) -> Tensor:
    """Inverse poses: the outer frame in the inner one."""
    position, rotation = unmake_pose(pose)
    back = rotation.transpose(-1, -2)
    return make_pose(-(back @ position[..., None])[..., 0], back)


def pose_in_A_to_pose_in_B(pose_in_A: Tensor, pose_A_in_B: Tensor) -> Tensor:
    """Poses in frame B, of poses in frame A and those of A in B."""
    return pose_A_in_B @ pose_in_A


def transform_poses_from_frame_A_to_frame_B(
    src_poses: Tensor,
    frame_A: Tensor,
    frame_B: Tensor,
) -> Tensor:
    """Poses that lie in frame A as the given ones lie in frame B.

    Args:
        src_poses: poses, shape (n, 4, 4).
        frame_A: where they shall go, shape (4, 4).
        frame_B: where they are, shape (4, 4).
    """
    return frame_A @ pose_inv(frame_B) @ src_poses
