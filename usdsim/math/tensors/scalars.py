"""Scalings of tensors: limits, intervals, angles and lengths, in torch."""

from __future__ import annotations

import math

import torch
from torch import Tensor

__all__ = [
    "copysign",
    "normalize",
    "saturate",
    "scale_transform",
    "unscale_transform",
    "wrap_to_pi",
]


def scale_transform(x: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """Scale values from the interval (lower, upper) to (-1, 1)."""
    return (2.0 * x - lower - upper) / (upper - lower)


def unscale_transform(x: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """Scale values from the interval (-1, 1) to (lower, upper)."""
    return 0.5 * (x * (upper - lower) + lower + upper)


def saturate(x: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """Values within limits."""
    return torch.maximum(torch.minimum(x, upper), lower)


def normalize(x: Tensor, eps: float = 1e-9) -> Tensor:
    """Vectors of length 1, shape (..., n)."""
    return x / x.norm(p=2, dim=-1, keepdim=True).clamp(min=eps)


def wrap_to_pi(angles: Tensor) -> Tensor:
    """Angles within -pi and pi [rad]; odd multiples of pi keep their sign."""
    wrapped = torch.remainder(angles + math.pi, 2.0 * math.pi) - math.pi
    return torch.where((wrapped == -math.pi) & (angles > 0.0), -wrapped, wrapped)


def copysign(mag: float, other: Tensor) -> Tensor:
    """A magnitude with the signs of other values."""
    return torch.copysign(torch.full_like(other, abs(mag)), other)
