"""Geometry of Lee controllers: attitudes from forces, torques from attitudes, inertia of a whole.

Quaternions are xyzw. Formulas are those of Lee, Leok and McClamroch, CDC 2010.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from usdsim.math.tensors import matrix_from_quat, quat_conjugate, quat_from_matrix, quat_mul

__all__ = [
    "compute_body_torque",
    "compute_desired_orientation",
    "limit_inclination",
    "total_inertia",
    "yaw_rate_to_body_angvel",
]

_TINY = 1e-9


def limit_inclination(forces_w: Tensor, largest: float) -> Tensor:
    """Forces brought within a cone about the vertical, shape (..., 3).

    Args:
        forces_w: forces in world [N], shape (..., 3).
        largest: largest angle from world z [rad].

    Returns:
        The same vectors within the cone. Beyond it, directions on it [unit vector] of the same
        heading; world z for a force straight down, which has no heading.
    """
    level = forces_w[..., :2].norm(dim=-1, keepdim=True)
    heading = forces_w[..., :2] / level.clamp(min=_TINY)
    angle = torch.atan2(level, forces_w[..., 2:])
    edge = torch.full_like(level, largest)
    limited = torch.cat([heading * edge.sin(), edge.cos()], dim=-1)
    return torch.where(angle > largest, limited, forces_w)


def compute_desired_orientation(
    forces_w: Tensor, yaw_setpoint: Tensor, rotation_matrix_buffer: Tensor | None = None
) -> Tensor:
    """Orientations that point body z along forces and body x to a heading, shape (..., 4).

    Args:
        forces_w: forces in world [N], shape (..., 3).
        yaw_setpoint: angles of the heading about world z [rad], shape (...).
        rotation_matrix_buffer: takes the rotation matrices, shape (..., 3, 3); None: nothing does.

    Returns:
        Unit quaternions xyzw in world.
    """
    up = forces_w / forces_w.norm(dim=-1, keepdim=True).clamp(min=_TINY)
    zero = torch.zeros_like(yaw_setpoint)
    heading = torch.stack([yaw_setpoint.cos(), yaw_setpoint.sin(), zero], dim=-1)
    left = torch.linalg.cross(up, heading, dim=-1)
    left = left / left.norm(dim=-1, keepdim=True).clamp(min=_TINY)
    matrix = torch.stack([torch.linalg.cross(left, up, dim=-1), left, up], dim=-1)
    if rotation_matrix_buffer is not None:
        rotation_matrix_buffer.copy_(matrix)
    return quat_from_matrix(matrix)


def yaw_rate_to_body_angvel(
    yaw_rate: Tensor, roll: Tensor, pitch: Tensor, device: Any = None
) -> Tensor:
    """Angular velocities about world z in the axes of a body [rad/s], shape (..., 3).

    Args:
        yaw_rate: angular velocities about world z [rad/s], shape (...).
        roll: roll of the body [rad], likewise.
        pitch: pitch of the body [rad], likewise.
        device: where the result goes; None: where the rates are.
    """
    axis = [-pitch.sin(), roll.sin() * pitch.cos(), roll.cos() * pitch.cos()]
    return (torch.stack(axis, dim=-1) * yaw_rate[..., None]).to(device)


def compute_body_torque(
    setpoint_orientation: Tensor,
    setpoint_angvel_b: Tensor,
    current_quat: Tensor,
    current_angvel_b: Tensor,
    robot_inertia: Tensor,
    K_rot: Tensor,
    K_angvel: Tensor,
    max_yaw_rate: float,
) -> Tensor:
    """Torques that turn bodies to their orientations, in their axes [N m], shape (..., 3).

    They are -K_rot e_R - K_angvel (w - w_goal) + w x I w, with e_R the vector of the skew matrix
    (R_goal^T R - R^T R_goal) / 2, which is zero at the goal and the sine of the angle around it.

    Args:
        setpoint_orientation: goals in world, unit quaternions xyzw, shape (..., 4).
        setpoint_angvel_b: goals of angular velocities in the body's axes [rad/s], shape (..., 3).
        current_quat: present orientations, likewise.
        current_angvel_b: present angular velocities, likewise.
        robot_inertia: inertias in the body's axes [kg m^2], shape (..., 3, 3).
        K_rot: stiffness about each axis [N m], shape (..., 3).
        K_angvel: damping about each axis [N m s/rad], shape (..., 3).
        max_yaw_rate: largest goal about body z [rad/s].
    """
    turned = quat_mul(quat_conjugate(setpoint_orientation), current_quat)
    error = 2.0 * turned[..., 3:] * turned[..., :3]
    yaw = setpoint_angvel_b[..., 2:].clamp(-max_yaw_rate, max_yaw_rate)
    goal = torch.cat([setpoint_angvel_b[..., :2], yaw], dim=-1)
    momentum = (robot_inertia @ current_angvel_b[..., None])[..., 0]
    gyroscopic = torch.linalg.cross(current_angvel_b, momentum, dim=-1)
    return gyroscopic - K_rot * error - K_angvel * (current_angvel_b - goal)


def total_inertia(
    masses: Tensor, inertias: Tensor, positions: Tensor, quats: Tensor, root_quat: Tensor
) -> tuple[Tensor, Tensor]:
    """Masses and inertias of wholes about their centres of mass, in the axes of their roots.

    Args:
        masses: masses of the parts [kg], shape (n, parts).
        inertias: inertias about the centres of mass of the parts, in their axes [kg m^2], shape
            (n, parts, 3, 3).
        positions: centres of mass in world [m], shape (n, parts, 3).
        quats: orientations of the parts in world, unit quaternions xyzw, shape (n, parts, 4).
        root_quat: orientations of the roots, likewise, shape (n, 4).

    Returns:
        Masses [kg], shape (n,), and inertias [kg m^2], shape (n, 3, 3).
    """
    mass = masses.sum(dim=1)
    weights = masses / mass[:, None]
    arms = positions - (weights[..., None] * positions).sum(dim=1, keepdim=True)
    turn = matrix_from_quat(quats)
    squares = (arms * arms).sum(dim=-1)[..., None, None] * torch.eye(3, device=arms.device)
    points = masses[..., None, None] * (squares - arms[..., :, None] * arms[..., None, :])
    total = (turn @ inertias @ turn.mT + points).sum(dim=1)
    root = matrix_from_quat(root_quat)
    return mass, root.mT @ total @ root
