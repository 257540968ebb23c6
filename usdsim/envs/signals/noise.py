"""Noise on observations and actions: constant, uniform, normal, and biases of episodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any, Literal, TypeAlias

import torch

from usdsim.core.declared import DeclaredConfiguration
from usdsim.core.errors import InvalidValueError
from usdsim.envs.streams import Streams

__all__ = [
    "ConstantNoiseCfg",
    "GaussianNoiseCfg",
    "NoiseCfg",
    "NoiseModel",
    "NoiseModelCfg",
    "NoiseModelWithAdditiveBias",
    "NoiseModelWithAdditiveBiasCfg",
    "Operation",
    "UniformNoiseCfg",
    "constant_noise",
    "gaussian_noise",
    "operated",
    "uniform_noise",
]

Ids: TypeAlias = torch.Tensor | None
Operation = Literal["add", "scale", "abs"]
"""Whether what is drawn is added to a value, a factor of it, or takes its place."""


class NoiseCfg(DeclaredConfiguration):
    """Base of the configurations of noise that is drawn anew in every step."""

    func: Callable[..., torch.Tensor] = MISSING  # type: ignore[assignment]
    """Function of the values, this configuration, the streams of random numbers, and the indices
    of environments (None: all); it returns the disturbed values."""
    operation: Operation = "add"
    """Whether noise is added to values, a factor of them, or takes their place."""


def constant_noise(
    data: torch.Tensor, cfg: ConstantNoiseCfg, streams: Streams | None = None, env_ids: Ids = None
) -> torch.Tensor:
    """Values with a constant error."""
    return operated(data, torch.as_tensor(cfg.bias, device=data.device), cfg.operation)


def uniform_noise(
    data: torch.Tensor, cfg: UniformNoiseCfg, streams: Streams | None = None, env_ids: Ids = None
) -> torch.Tensor:
    """Values with errors that are uniformly distributed; without streams, by torch's generator."""
    low, high = _limits(cfg.n_min, data), _limits(cfg.n_max, data)
    if streams is None:
        drawn = low + (high - low) * torch.rand_like(data)
    else:
        drawn = streams.uniform(low, high, data.shape[1:], env_ids)
    return operated(data, drawn, cfg.operation)


def gaussian_noise(
    data: torch.Tensor, cfg: GaussianNoiseCfg, streams: Streams | None = None, env_ids: Ids = None
) -> torch.Tensor:
    """Values with errors that are normally distributed; without streams, by torch's generator."""
    mean, std = _limits(cfg.mean, data), _limits(cfg.std, data)
    if streams is None:
        drawn = mean + std * torch.randn_like(data)
    else:
        drawn = streams.normal(mean, std, data.shape[1:], env_ids)
    return operated(data, drawn, cfg.operation)


class ConstantNoiseCfg(NoiseCfg):
    """A constant error."""

    func: Callable[..., torch.Tensor] = constant_noise
    """See `NoiseCfg`."""
    bias: Any = 0.0
    """The error, a number or a tensor."""


class UniformNoiseCfg(NoiseCfg):
    """Errors that are uniformly distributed."""

    func: Callable[..., torch.Tensor] = uniform_noise
    """See `NoiseCfg`."""
    n_min: Any = -1.0
    """Smallest error, a number or a tensor."""
    n_max: Any = 1.0
    """Largest error, a number or a tensor."""


class GaussianNoiseCfg(NoiseCfg):
    """Errors that are normally distributed."""

    func: Callable[..., torch.Tensor] = gaussian_noise
    """See `NoiseCfg`."""
    mean: Any = 0.0
    """Mean, a number or a tensor."""
    std: Any = 1.0
    """Standard deviation, a number or a tensor."""


class NoiseModel:
    """Noise that is drawn anew in every step.

    Args:
        noise_model_cfg: the configuration.
        streams: random numbers of the environments.
        num_envs: number of environments.
        device: where tensors live.
    """

    def __init__(
        self, noise_model_cfg: NoiseModelCfg, streams: Streams, num_envs: int, device: str
    ):
        self._cfg = noise_model_cfg
        self._streams, self._num_envs, self._device = streams, num_envs, device

    def reset(self, env_ids: Ids = None) -> None:
        """Start new episodes."""

    def __call__(self, data: torch.Tensor, env_ids: Ids = None) -> torch.Tensor:
        """Disturbed values, of all environments or of some."""
        noise = self._cfg.noise_cfg
        return noise.func(data, noise, self._streams, env_ids)


class NoiseModelCfg(DeclaredConfiguration):
    """Noise of every step, in a model that is told of resets."""

    class_type: type[Any] = NoiseModel
    """Class of the model."""
    noise_cfg: NoiseCfg = MISSING  # type: ignore[assignment]
    """Noise of every step."""


class NoiseModelWithAdditiveBias(NoiseModel):
    """Noise of every step, and a bias that is drawn once per episode."""

    _cfg: NoiseModelWithAdditiveBiasCfg

    def __init__(
        self, noise_model_cfg: NoiseModelCfg, streams: Streams, num_envs: int, device: str
    ):
        super().__init__(noise_model_cfg, streams, num_envs, device)
        self._bias: torch.Tensor | None = None
        self._due = torch.ones(num_envs, dtype=torch.bool, device=device)

    def reset(self, env_ids: Ids = None) -> None:
        """Draw new biases, when values come next."""
        self._due[slice(None) if env_ids is None else env_ids] = True

    def __call__(self, data: torch.Tensor, env_ids: Ids = None) -> torch.Tensor:
        """Disturbed values, of all environments or of some."""
        each = self._cfg.sample_bias_per_component
        if self._bias is None:
            shape = (self._num_envs, *(data.shape[1:] if each else (1,) * (data.ndim - 1)))
            self._bias = torch.zeros(shape, device=self._device)
        rows = torch.arange(self._num_envs, device=self._device) if env_ids is None else env_ids
        due = rows[self._due[rows]]
        if len(due):
            cfg = self._cfg.bias_noise_cfg
            zero = torch.zeros((len(due), *self._bias.shape[1:]), device=self._device)
            self._bias[due] = cfg.func(zero, cfg, self._streams, due)
            self._due[due] = False
        return super().__call__(data, env_ids) + self._bias[rows]


class NoiseModelWithAdditiveBiasCfg(NoiseModelCfg):
    """Noise of every step, and a bias that is drawn once per episode."""

    class_type: type[Any] = NoiseModelWithAdditiveBias
    """Class of the model."""
    bias_noise_cfg: NoiseCfg = MISSING  # type: ignore[assignment]
    """Distribution of the biases."""
    sample_bias_per_component: bool = True
    """Whether every number has a bias of its own."""


def operated(data: torch.Tensor, drawn: torch.Tensor, operation: Operation) -> torch.Tensor:
    """Values after what was drawn was added to them, multiplied them or took their place.

    Raises:
        InvalidValueError: the operation is unknown.
    """
    if operation == "add":
        return data + drawn
    if operation == "scale":
        return data * drawn
    if operation == "abs":
        return torch.zeros_like(data) + drawn
    raise InvalidValueError("operation", operation, "add, scale or abs")


def _limits(value: Any, data: torch.Tensor) -> Any:
    return value if isinstance(value, int | float) else torch.as_tensor(value, device=data.device)
