"""Modifiers of observations: scale, clip, bias, digital filters and integrators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING
from typing import Any

import torch

from usdsim.core.declared import DeclaredConfiguration

__all__ = [
    "DigitalFilter",
    "DigitalFilterCfg",
    "Integrator",
    "IntegratorCfg",
    "ModifierBase",
    "ModifierCfg",
    "bias",
    "clip",
    "scale",
]


class ModifierCfg(DeclaredConfiguration):
    """A function of values, or a class derived from `ModifierBase`."""

    func: Callable[..., Any] = MISSING  # type: ignore[assignment]
    """The function, called with the values and the parameters, or the class."""
    params: dict[str, Any] = {}  # noqa: RUF012
    """Parameters by name, of a function."""


class ModifierBase:
    """Base of modifiers that keep something from one call to the next.

    Args:
        cfg: the configuration.
        data_dim: shape of the values, (num_envs, ...).
        device: where tensors live.
    """

    def __init__(self, cfg: Any, data_dim: tuple[int, ...], device: str):
        self._cfg, self._data_dim, self._device = cfg, data_dim, device

    def reset(self, env_ids: torch.Tensor | None = None) -> None:
        """Forget what belongs to episodes that are over."""

    def __call__(self, data: torch.Tensor) -> torch.Tensor:
        """The modified values of all environments."""
        return data


def scale(data: torch.Tensor, multiplier: float) -> torch.Tensor:
    """Values times a factor."""
    return data * multiplier


def clip(data: torch.Tensor, bounds: tuple[float | None, float | None]) -> torch.Tensor:
    """Values within bounds."""
    return data.clip(min=bounds[0], max=bounds[1])


def bias(data: torch.Tensor, value: float) -> torch.Tensor:
    """Values plus a number."""
    return data + value


class DigitalFilter(ModifierBase):
    """Linear filter y_i = sum_j B_j x_(i-j) - sum_j A_j y_(i-j), j of A from 1.

    All values before an episode are zero.
    """

    def __init__(self, cfg: DigitalFilterCfg, data_dim: tuple[int, ...], device: str):
        super().__init__(cfg, data_dim, device)
        self._a = torch.tensor([float(a) for a in cfg.A], device=device)
        self._b = torch.tensor([float(b) for b in cfg.B], device=device)
        self._inputs = torch.zeros((len(self._b), *data_dim), device=device)
        self._outputs = torch.zeros((len(self._a), *data_dim), device=device)

    def reset(self, env_ids: torch.Tensor | None = None) -> None:
        """Forget the last values; see `ModifierBase.reset`."""
        rows = slice(None) if env_ids is None else env_ids
        self._inputs[:, rows] = 0.0
        self._outputs[:, rows] = 0.0

    def __call__(self, data: torch.Tensor) -> torch.Tensor:
        """The filtered values of all environments."""
        self._inputs = torch.cat([data[None], self._inputs[:-1]])
        new = torch.tensordot(self._b, self._inputs, 1) - torch.tensordot(self._a, self._outputs, 1)
        if len(self._a):
            self._outputs = torch.cat([new[None], self._outputs[:-1]])
        return new


class DigitalFilterCfg(ModifierCfg):
    """A linear filter."""

    func: Callable[..., Any] = DigitalFilter
    """See `ModifierCfg`."""
    A: Sequence[float] = MISSING  # type: ignore[assignment]
    """Factors of the last outputs, newest first."""
    B: Sequence[float] = MISSING  # type: ignore[assignment]
    """Factors of the inputs, newest first."""


class Integrator(ModifierBase):
    """Integral over time by the trapezoidal rule, from zero in every episode."""

    def __init__(self, cfg: IntegratorCfg, data_dim: tuple[int, ...], device: str):
        super().__init__(cfg, data_dim, device)
        self._sum = torch.zeros(data_dim, device=device)
        self._last = torch.zeros(data_dim, device=device)

    def reset(self, env_ids: torch.Tensor | None = None) -> None:
        """Start from zero; see `ModifierBase.reset`."""
        rows = slice(None) if env_ids is None else env_ids
        self._sum[rows] = 0.0
        self._last[rows] = 0.0

    def __call__(self, data: torch.Tensor) -> torch.Tensor:
        """The integral in all environments."""
        self._sum = self._sum + 0.5 * self._cfg.dt * (self._last + data)
        self._last = data.clone()
        return self._sum.clone()


class IntegratorCfg(ModifierCfg):
    """An integral over time."""

    func: Callable[..., Any] = Integrator
    """See `ModifierCfg`."""
    dt: float = MISSING  # type: ignore[assignment]
    """Time from one value to the next [s]."""
