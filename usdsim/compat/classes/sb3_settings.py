"""Settings of Stable-Baselines3 agents read from files, made what its classes take."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from usdsim.core.errors import InvalidValueError

__all__ = ["process_sb3_cfg"]

_SCHEDULES = ("learning_rate", "clip_range", "clip_range_vf")
_ROLLOUT = 2048
"""Steps of a rollout where settings have none, as of its PPO."""


def process_sb3_cfg(cfg: dict[str, Any], num_envs: int) -> dict[str, Any]:
    """Settings with layers for ``nn.`` names, functions for schedules, and the size of batches.

    Args:
        cfg: the settings, which are changed. A schedule is a number, or ``lin_`` and one, which
            falls to 0; one below 0 stays. ``n_minibatches`` becomes ``batch_size``.
        num_envs: number of environments.

    Returns:
        The same settings.

    Raises:
        InvalidValueError: a schedule is no number.
    """
    _name_layers(cfg)
    for name in _SCHEDULES:
        if name in cfg:
            cfg[name] = _schedule(name, cfg[name])
    if "n_minibatches" in cfg:
        cfg["batch_size"] = cfg.get("n_steps", _ROLLOUT) * num_envs // cfg.pop("n_minibatches")
    return cfg


def _name_layers(cfg: dict[str, Any]) -> None:
    for name, value in cfg.items():
        if isinstance(value, dict):
            _name_layers(value)
        elif isinstance(value, str) and value.startswith("nn."):
            cfg[name] = getattr(importlib.import_module("torch.nn"), value[3:])


def _schedule(name: str, value: Any) -> float | Callable[[float], float]:
    """A function of the share of the training that is left."""
    try:
        number = float(value.rpartition("_")[2] if isinstance(value, str) else value)
    except (TypeError, ValueError):
        allowed = "a number, or 'lin_' and one"
        raise InvalidValueError(name, value, allowed) from None
    if isinstance(value, str):
        return lambda left: left * number
    return value if number < 0.0 else lambda _: number
