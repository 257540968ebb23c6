"""Agents of stable-baselines3 and skrl: settings from files, and environments as they take them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.core.extras import library

__all__ = ["Sb3VecEnvWrapper", "SkrlVecEnvWrapper", "process_sb3_cfg"]

_SCHEDULES = ("learning_rate", "clip_range", "clip_range_vf")
"""Settings that may change with what is left of the training."""
_STEPS = 2048
"""Steps of a rollout where nothing is said of them, as in stable-baselines3's PPO."""


def process_sb3_cfg(cfg: Mapping[str, Any], num_envs: int) -> dict[str, Any]:
    """Settings of an agent of stable-baselines3 from the plain values of a file.

    Text such as ``nn.ELU`` becomes the class of torch. Rates become functions of the share of the
    training that is left: numbers constant ones, ``lin_0.001`` one that falls to zero. A number of
    ``n_minibatches`` becomes the ``batch_size`` that gives as many.

    Args:
        cfg: the settings.
        num_envs: number of environments.

    Raises:
        InvalidValueError: a rate is neither a number nor such text.
        UnknownNameError: torch has no such class.
    """
    made = {name: _value(value) for name, value in cfg.items()}
    made.update({name: _schedule(name, made[name]) for name in _SCHEDULES if name in made})
    parts = made.pop("n_minibatches", None)
    if parts is not None:
        made["batch_size"] = made.get("n_steps", _STEPS) * num_envs // parts
    return made


def _value(value: Any) -> Any:
    """A plain value with the classes that its texts name."""
    if isinstance(value, Mapping):
        return {name: _value(inner) for name, inner in value.items()}
    if isinstance(value, str) and value.startswith("nn."):
        name = value.removeprefix("nn.")
        if not hasattr(torch.nn, name):
            raise UnknownNameError("class", name, dir(torch.nn), "torch.nn")
        return getattr(torch.nn, name)
    return value


def _schedule(name: str, value: Any) -> Any:
    """Rate as a function of the share of the training that is left; negative ones do not act."""
    if isinstance(value, str):
        try:
            start = float(value.removeprefix("lin_"))
        except ValueError:
            allowed = "a number, or text such as 'lin_0.001'"
            raise InvalidValueError(name, value, allowed) from None
        return _falling(start)
    if value is None or value < 0:
        return value
    rate = float(value)
    return lambda _: rate


def _falling(start: float) -> Callable[[float], float]:
    return lambda left: left * start


def Sb3VecEnvWrapper(env: Any, fast_variant: bool = True) -> Any:
    """An environment as stable-baselines3 takes it; see `usdsim.learning.Sb3VecEnv`.

    Args:
        env: the environment.
        fast_variant: accepted; infos are those of episodes that are over.
    """
    from usdsim.learning import Sb3VecEnv

    return Sb3VecEnv(env)


def SkrlVecEnvWrapper(env: Any, ml_framework: str = "torch", wrapper: str = "isaaclab") -> Any:
    """An environment as skrl takes it, in skrl's own wrapper.

    Args:
        env: the environment.
        ml_framework: ``torch``, ``jax`` or ``warp``.
        wrapper: name of skrl's wrapper.

    Raises:
        UnknownNameError: there is no such framework.
        UnsupportedError: skrl is not installed.
    """
    frameworks = ("torch", "jax", "warp")
    kind = next((name for name in frameworks if ml_framework.startswith(name)), None)
    if kind is None:
        raise UnknownNameError("ml_framework", ml_framework, frameworks)
    return library(f"skrl.envs.wrappers.{kind}").wrap_env(env, wrapper)
