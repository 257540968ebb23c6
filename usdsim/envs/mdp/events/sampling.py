"""Sampling of parameters: what is drawn, and what it does to the value that was configured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import torch

from usdsim.core.arguments import choice
from usdsim.core.errors import InvalidValueError
from usdsim.envs.signals.noise import Operation, operated

__all__ = ["Distribution", "Operation", "columns_of", "randomized"]

Distribution = Literal["uniform", "log_uniform", "gaussian"]
"""Distribution it is drawn from: between two numbers, or about a mean with a standard deviation."""


def randomized(
    env: Any,
    env_ids: torch.Tensor,
    values: torch.Tensor,
    parameters: Sequence[float],
    operation: Operation,
    distribution: Distribution,
) -> torch.Tensor:
    """Values that were drawn about others.

    Args:
        env: the environment.
        env_ids: environments.
        values: configured values, shape (environments, ...).
        parameters: smallest and largest number, or mean and standard deviation.
        operation: what is done with what is drawn.
        distribution: where it is drawn from.

    Raises:
        InvalidValueError: operation or distribution is unknown, or the parameters are not two
            numbers in order.
    """
    low, high = (float(p) for p in parameters)
    choice("distribution", distribution, ("uniform", "log_uniform", "gaussian"))
    if distribution != "gaussian" and low > high:
        raise InvalidValueError("distribution parameters", (low, high), "smaller, larger number")
    if distribution == "log_uniform" and low <= 0.0:
        raise InvalidValueError("distribution parameters", (low, high), "numbers above 0")
    draw = {
        "uniform": env.streams.uniform,
        "log_uniform": env.streams.log_uniform,
        "gaussian": env.streams.normal,
    }[distribution]
    drawn: torch.Tensor = draw(low, high, values.shape[1:], env_ids)
    return operated(values, drawn, operation)


def columns_of(ids: list[int] | slice) -> list[int] | None:
    """Indices as writers take them; None: all."""
    return None if isinstance(ids, slice) else ids
