"""Linear interpolation between points of a table, in torch."""

from __future__ import annotations

import torch

from usdsim.core.errors import InvalidValueError

__all__ = ["LinearInterpolation"]


class LinearInterpolation:
    """Piecewise linear function through points, constant beyond the first and the last.

    Args:
        x: places, increasing, shape (n,).
        y: values there, shape (n,).
        device: where tensors live.

    Raises:
        InvalidValueError: places do not increase, or values are not one per place.
    """

    def __init__(self, x: torch.Tensor, y: torch.Tensor, device: str):
        if x.numel() != y.numel() or x.numel() == 0:
            raise InvalidValueError("y", y.numel(), f"{x.numel()} values, and at least one")
        if bool((x.diff() <= 0.0).any()):
            raise InvalidValueError("x", x.tolist(), "increasing places")
        self._x, self._y = x.reshape(-1).to(device).clone(), y.reshape(-1).to(device).clone()

    def compute(self, q: torch.Tensor) -> torch.Tensor:
        """Values at places.

        Args:
            q: places, any shape.

        Returns:
            The same shape.
        """
        if len(self._x) == 1:
            return self._y[0].expand(q.shape).clone()
        upper = torch.searchsorted(self._x, q.contiguous()).clamp(1, len(self._x) - 1)
        x0, x1 = self._x[upper - 1], self._x[upper]
        part = ((q - x0) / (x1 - x0)).clamp(0.0, 1.0)
        return torch.lerp(self._y[upper - 1], self._y[upper], part)
