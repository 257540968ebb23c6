"""Randomization of values in place, by the private name that programs' own events use."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from usdsim.core.errors import InvalidValueError
from usdsim.envs.mdp.events.sampling import Distribution, Operation
from usdsim.math.tensors import sample_gaussian, sample_log_uniform, sample_uniform

__all__ = ["_randomize_prop_by_op"]

_DRAWS = {
    "uniform": sample_uniform,
    "log_uniform": sample_log_uniform,
    "gaussian": sample_gaussian,
}
_OPERATIONS = {
    "add": lambda values, drawn: values + drawn,
    "scale": lambda values, drawn: values * drawn,
    "abs": lambda values, drawn: drawn,
}


def _randomize_prop_by_op(
    data: torch.Tensor,
    distribution_parameters: Sequence[float | torch.Tensor],
    dim_0_ids: torch.Tensor | None,
    dim_1_ids: torch.Tensor | Sequence[int] | slice,
    operation: Operation,
    distribution: Distribution = "uniform",
) -> torch.Tensor:
    """Change a part of some values by what is drawn, and return all of them.

    Args:
        data: the values, which are changed, shape (rows, columns, ...).
        distribution_parameters: smallest and largest number, or mean and standard deviation.
        dim_0_ids: rows to change; None: all.
        dim_1_ids: columns to change.
        operation: what is done with what is drawn.
        distribution: where it is drawn from.

    Raises:
        InvalidValueError: operation or distribution is unknown.
    """
    for what, word, known in (
        ("operation", operation, _OPERATIONS),
        ("distribution", distribution, _DRAWS),
    ):
        if word not in known:
            raise InvalidValueError(what, word, ", ".join(known))
    rows = torch.arange(len(data)) if dim_0_ids is None else torch.as_tensor(dim_0_ids)
    columns = torch.arange(data.shape[1])[dim_1_ids]
    place = rows[:, None].to(data.device), columns.to(data.device)
    chosen = data[place]
    low, high = distribution_parameters
    drawn = _DRAWS[distribution](low, high, tuple(chosen.shape), data.device)
    data[place] = _OPERATIONS[operation](chosen, drawn)
    return data
